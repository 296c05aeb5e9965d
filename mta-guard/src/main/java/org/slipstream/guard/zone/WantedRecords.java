package org.slipstream.guard.zone;

import org.slipstream.auth.dkim.SigningKey;
import org.slipstream.auth.spf.SpfRecord;
import org.slipstream.core.dns.AddressText;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.ReverseName;
import org.slipstream.guard.dkim.KeyState;
import org.slipstream.guard.zone.WantedRecord.Need;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// The records that a domain should have, and the files that some of them announce. It is the one
/// list of them: `mta setup` prints it, and `mta check --dns` compares DNS with it.
///
/// The records of MTA-STS and autoconfig announce files that a web server has to serve, and a TLSA
/// record is wrong as soon as the key of the certificate changes. So these have a condition.
public final class WantedRecords {
    private static final int POLICY_ID_CHARACTERS = 20;
    private static final String POLICY_SECONDS = "604800";

    private final DomainQuestion asked;
    private final List<X509Certificate> chain;

    /// @param chain of this server; empty for a self-signed one
    public WantedRecords(DomainQuestion asked, List<X509Certificate> chain) {
        this.asked = asked;
        this.chain = List.copyOf(chain);
    }

    /// In the order in which a zone file has them.
    public List<WantedRecord> all() {
        List<WantedRecord> all = new ArrayList<>();
        all.add(mx());
        asked.addresses().forEach(address -> all.add(address(asked.hostname(), address)));
        all.add(spf(true));
        if (!asked.hostname().equals(asked.domain())) {
            all.add(spfOfHost());
        }
        asked.keys().stream().filter(stored -> stored.state() != KeyState.RETIRED)
                .forEach(stored -> all.add(dkim(stored.key())));
        all.add(dmarc());
        all.add(tlsReports());
        asked.services().forEach(service -> all.add(srv(service)));
        tlsa().ifPresent(all::add);
        all.add(stsHost());
        all.add(sts());
        autoconfigHost().ifPresent(all::add);
        return all;
    }

    WantedRecord mx() {
        return needed("mx", asked.domain(), RecordType.MX, "10 " + asked.hostname() + ".",
                "mail for the domain comes to this server");
    }

    WantedRecord address(String host, InetAddress address) {
        return needed("name", host, address instanceof Inet4Address ? RecordType.A : RecordType.AAAA,
                AddressText.of(address), "the name in EHLO has the address of the server");
    }

    /// The provider of the address sets it.
    public WantedRecord reverse(InetAddress address) {
        return reverse(address, asked.hostname());
    }

    /// @param ehlo the name in EHLO of connections from the address
    WantedRecord reverse(InetAddress address, String ehlo) {
        return needed("ptr", ReverseName.of(address), RecordType.PTR, ehlo + ".",
                "large receivers refuse mail from an address without a name");
    }

    /// @param isExchanger this server is an MX host of the domain, so `mx` allows it
    WantedRecord spf(boolean isExchanger) {
        return needed("spf", asked.domain(), RecordType.TXT, SpfRecord.VERSION
                + (isExchanger
                        ? " mx"
                        : asked.senders().stream().map(address -> " " + term(address)).collect(Collectors.joining()))
                + " -all", "this server may send mail of the domain, and no other one");
    }

    static String term(InetAddress address) {
        return (address instanceof Inet4Address ? "ip4:" : "ip6:") + AddressText.of(address);
    }

    WantedRecord spfOfHost() {
        return new WantedRecord("spf", asked.hostname(), RecordType.TXT, SpfRecord.VERSION + " a -all", Need.ADVISED,
                "reports have no sender, and receivers judge them by the name of the host");
    }

    WantedRecord dkim(SigningKey key) {
        return needed("dkim", key.name().dns(), RecordType.TXT, key.record(),
                "the public key of the signatures (" + key.algorithm().word() + ")");
    }

    WantedRecord dmarc() {
        return needed("dmarc", "_dmarc." + asked.domain(), RecordType.TXT,
                "v=DMARC1; p=none; rua=mailto:postmaster@" + asked.domain(),
                "receivers send reports; when they are clean, p=reject protects the name");
    }

    WantedRecord tlsReports() {
        return new WantedRecord("tls-reports", "_smtp._tls." + asked.domain(), RecordType.TXT,
                "v=TLSRPTv1; rua=mailto:postmaster@" + asked.domain(), Need.ADVISED,
                "other servers report when TLS to this server fails");
    }

    WantedRecord srv(MailService service) {
        return new WantedRecord("srv", "_" + service.name() + "._tcp." + asked.domain(), RecordType.SRV,
                "0 1 " + service.port() + " " + service.host() + ".", Need.ADVISED,
                "mail programs of users find the service " + service.name());
    }

    /// Empty without a certificate that others know.
    Optional<WantedRecord> tlsa() {
        return chain.isEmpty()
                ? Optional.empty()
                : digest(chain.getFirst(), 1, 1).map(digest -> new WantedRecord("dane",
                        "_25._tcp." + asked.hostname(), RecordType.TLSA, "3 1 1 " + digest, Need.CONDITIONAL,
                        "the zone has DNSSEC, and renewals of the certificate keep its key (certbot --reuse-key)"));
    }

    /// @param selector 0: the certificate; 1: its public key (RFC 6698 section 2.1.2)
    static Optional<String> digest(X509Certificate certificate, int selector, int matching) {
        try {
            byte[] data = selector == 0 ? certificate.getEncoded() : certificate.getPublicKey().getEncoded();
            return switch (matching) {
                case 0 -> Optional.of(HexFormat.of().formatHex(data));
                case 1 -> Optional.of(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data)));
                case 2 -> Optional.of(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-512").digest(data)));
                default -> Optional.empty();
            };
        } catch (GeneralSecurityException impossible) {
            return Optional.empty();
        }
    }

    /// The identifier follows from the policy, so that a changed policy gets a new one.
    WantedRecord sts() {
        String id = "";
        try {
            id = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256")
                    .digest(policy().text().getBytes(StandardCharsets.UTF_8))).substring(0, POLICY_ID_CHARACTERS);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("each Java has SHA-256", e);
        }
        return new WantedRecord("mta-sts", "_mta-sts." + asked.domain(), RecordType.TXT, "v=STSv1; id=" + id,
                Need.CONDITIONAL, "a web server serves the policy at " + policy().url());
    }

    WantedRecord stsHost() {
        return alias("mta-sts", "mta-sts." + asked.domain(), policy());
    }

    private WantedRecord alias(String subject, String name, WebFile file) {
        return new WantedRecord(subject, name, RecordType.CNAME, asked.hostname() + ".", Need.CONDITIONAL,
                "the web server of this host serves " + file.url());
    }

    /// A file for Thunderbird and others; empty without a service from which they could fetch mail.
    Optional<WantedRecord> autoconfigHost() {
        return autoconfig().map(file -> alias("autoconfig", "autoconfig." + asked.domain(), file));
    }

    /// The files that the conditional records announce.
    public List<WebFile> webFiles() {
        List<WebFile> files = new ArrayList<>(List.of(policy()));
        autoconfig().ifPresent(files::add);
        return files;
    }

    /// In the mode *testing*: failures are reported, and mail is delivered all the same.
    private WebFile policy() {
        return new WebFile("mta-sts.txt", "https://mta-sts." + asked.domain() + "/.well-known/mta-sts.txt",
                "version: STSv1\r\nmode: testing\r\nmx: " + asked.hostname() + "\r\nmax_age: " + POLICY_SECONDS
                        + "\r\n");
    }

    private Optional<WebFile> autoconfig() {
        String domain = asked.domain();
        return asked.services().stream().anyMatch(WantedRecords::isStore)
                ? Optional.of(new WebFile("config-v1.1.xml", "http://autoconfig." + domain + "/mail/config-v1.1.xml",
                        "<clientConfig version=\"1.1\">\n  <emailProvider id=\"" + domain + "\">\n    <domain>" + domain
                                + "</domain>\n"
                                + asked.services().stream().map(WantedRecords::element).collect(Collectors.joining())
                                + "  </emailProvider>\n</clientConfig>\n"))
                : Optional.empty();
    }

    private static boolean isStore(MailService service) {
        return service.name().equals("imaps");
    }

    private static String element(MailService service) {
        String element = isStore(service) ? "incomingServer" : "outgoingServer";
        return "    <" + element + " type=\"" + (isStore(service) ? "imap" : "smtp") + "\">\n      <hostname>"
                + service.host() + "</hostname>\n      <port>" + service.port() + "</port>\n      <socketType>"
                + (service.name().endsWith("s") ? "SSL" : "STARTTLS") + "</socketType>\n      <username>"
                + (isStore(service) ? "%EMAILADDRESS%" : "%EMAILLOCALPART%")
                + "</username>\n      <authentication>password-cleartext</authentication>\n    </" + element + ">\n";
    }

    private static WantedRecord needed(String subject, String name, RecordType type, String value, String why) {
        return new WantedRecord(subject, name, type, value, Need.NEEDED, why);
    }
}
