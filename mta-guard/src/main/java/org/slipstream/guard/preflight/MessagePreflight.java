package org.slipstream.guard.preflight;

import org.slipstream.auth.dkim.BodyHash;
import org.slipstream.auth.dkim.BodyHashes;
import org.slipstream.auth.dkim.DkimResult;
import org.slipstream.auth.dkim.DkimSigner;
import org.slipstream.auth.dkim.DkimVerdict;
import org.slipstream.auth.dkim.DkimVerifier;
import org.slipstream.auth.dkim.RawHeader;
import org.slipstream.auth.dkim.SignedFields;
import org.slipstream.auth.dkim.SigningKey;
import org.slipstream.auth.dkim.SigningKeys;
import org.slipstream.auth.dkim.StreamedMessage;
import org.slipstream.auth.dmarc.AuthorDomains;
import org.slipstream.auth.dmarc.DmarcEvaluation;
import org.slipstream.auth.dmarc.DmarcResult;
import org.slipstream.auth.dmarc.DmarcVerdict;
import org.slipstream.auth.iprev.IprevEvaluation;
import org.slipstream.auth.iprev.IprevResult;
import org.slipstream.auth.iprev.IprevVerdict;
import org.slipstream.auth.spf.SpfEvaluation;
import org.slipstream.auth.spf.SpfQuestion;
import org.slipstream.auth.spf.SpfResult;
import org.slipstream.auth.spf.SpfVerdict;
import org.slipstream.core.Address;
import org.slipstream.core.CheckFinding;
import org.slipstream.core.FindingList;
import org.slipstream.core.dns.AddressText;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.text.Ascii;
import org.slipstream.guard.dkim.MailSigner;
import org.slipstream.guard.sender.SenderVerdicts;
import org.slipstream.guard.zone.WantedRecord;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Judges one message as a large receiver would when this server sent it: the header, the signatures,
/// SPF, DMARC and the name of the address. A message without a signature of its author's domain is
/// signed first, as the server does.
///
/// The message may come from a stranger: it has [#MOST_OCTETS] at most, is read in passes of linear time,
/// and costs DNS no more questions than at a receiver.
public final class MessagePreflight {
    /// Gmail takes no larger mail, and others take half of it.
    public static final int MOST_OCTETS = 50 << 20;
    private static final int USUAL_OCTETS = 25 << 20;
    private static final int MOST_TOLD = 10;

    /// The circumstances of the message.
    ///
    /// @param addresses from which this server sends
    /// @param hostname in EHLO
    /// @param sender of the envelope; by default one of the author's domain
    /// @param keys that sign
    public record SendingServer(List<InetAddress> addresses, String hostname, Optional<Address> sender,
            SigningKeys keys) {
        public SendingServer {
            addresses = List.copyOf(addresses);
        }
    }

    /// @param message as it leaves, with its signatures
    public record Preflight(List<CheckFinding> findings, byte[] message) {}

    private final DnsLookup dns;
    private final SendingServer server;
    private final Instant now;
    private final FindingList findings = new FindingList();

    private MessagePreflight(DnsLookup dns, SendingServer server, Instant now) {
        this.dns = dns;
        this.server = server;
        this.now = now;
    }

    /// @param file the message, with any line ends
    public static Preflight run(DnsLookup dns, byte[] file, SendingServer server, Instant now) {
        return new MessagePreflight(dns, server, now).judge(file);
    }

    private Preflight judge(byte[] file) {
        WireForm wire = WireForm.of(file);
        wire.findings(findings);
        if (wire.octets().length > USUAL_OCTETS) {
            findings.advice("size", "the message has " + (wire.octets().length >> 20)
                    + " MiB; many servers take 25 at most");
        }
        byte[] message = wire.octets();
        List<SigningKey> signed = List.of();
        Optional<Split> split = split(message);
        if (split.isPresent()) {
            signed = MailSigner.keys(server.keys, split.get().header, now);
            if (!signed.isEmpty()) {
                message = joined(fields(signed, split.get(), message), message);
                split = split(message);
            }
        }
        if (split.isEmpty()) {
            findings.lacks("header", "the header has more than " + (StreamedMessage.MOST_HEADER >> 20) + " MiB");
        } else {
            new HeaderFindings(split.get().header, findings).all(now);
            sender(split.get(), message, signed);
        }
        return new Preflight(findings.all(), message);
    }

    /// A header, and the place of the body.
    private record Split(RawHeader header, int body) {}

    private static Optional<Split> split(byte[] message) {
        try {
            int[] body = {message.length};
            StreamedMessage streamed = new StreamedMessage(new ByteArrayInputStream(message));
            Optional<RawHeader> header = streamed.header();
            if (header.isPresent()) {
                streamed.body((_, from, to) -> body[0] -= to - from);
            }
            return header.map(found -> new Split(found, body[0]));
        } catch (IOException e) {
            throw new IllegalStateException("octets in memory can be read", e);
        }
    }

    private byte[] fields(List<SigningKey> keys, Split split, byte[] message) {
        BodyHash hash = DkimSigner.bodyHash();
        hash.update(message, split.body, message.length);
        return DkimSigner.fields(keys, SignedFields.USUAL, split.header, hash.finish(), now)
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] joined(byte[] one, byte[] other) {
        byte[] all = new byte[one.length + other.length];
        System.arraycopy(one, 0, all, 0, one.length);
        System.arraycopy(other, 0, all, one.length, other.length);
        return all;
    }

    private void sender(Split split, byte[] message, List<SigningKey> signed) {
        List<String> from = split.header.values("from");
        String author = AuthorDomains.of(from).domains().stream().findFirst().orElse("");
        BodyHashes bodies = new BodyHashes();
        DkimVerifier verifier = new DkimVerifier(split.header, now, bodies);
        bodies.update(message, split.body, message.length);
        List<DkimResult> signatures = verifier.results(dns);
        dkim(signatures, verifier.unjudged(), author, signed);
        if (server.addresses.isEmpty()) {
            findings.unknown("address", "the address of this server is unknown: give it with --address");
        }
        Optional<Address> sender = server.sender
                .or(() -> author.isEmpty() ? Optional.empty() : Optional.of(new Address("postmaster", author)));
        List<SpfVerdict> verdicts = new ArrayList<>();
        for (InetAddress address : server.addresses) {
            verdicts.add(SpfEvaluation.check(dns,
                    SpfQuestion.ofSender(address, sender, server.hostname, server.hostname, now)));
            spf(address, verdicts.getLast());
            reverse(address);
        }
        if (verdicts.isEmpty()) {
            dmarc(DmarcEvaluation.check(dns, from, SenderVerdicts.signed(signatures)));
        } else {
            verdicts.stream().map(spf -> DmarcEvaluation.check(dns, from, SenderVerdicts.names(spf, signatures)))
                    .distinct().forEach(this::dmarc);
        }
    }

    private void dkim(List<DkimResult> signatures, int unjudged, String author, List<SigningKey> signed) {
        if (signatures.isEmpty()) {
            findings.lacks("dkim", "the message is not signed, and there is no active key of "
                    + (author.isEmpty() ? "its author" : author + "; mta setup " + author + " makes them"));
        }
        if (unjudged > 0) {
            findings.lacks("dkim", unjudged + " more signatures; receivers judge the newest ones only");
        }
        for (DkimResult each : signatures.subList(0, Math.min(signatures.size(), MOST_TOLD))) {
            String name = each.selector() + "._domainkey." + each.domain();
            Optional<SigningKey> own = signed.stream().filter(key -> key.name().dns().equals(name)).findFirst();
            if (each.verdict() == DkimVerdict.PASS) {
                findings.ok("dkim", "the signature of " + name + " passes");
            } else {
                String text = "the signature of " + name + ": " + Ascii.lower(each.verdict().name()) + ", "
                        + each.reason();
                own.ifPresentOrElse(
                        key -> findings.lacks("dkim", text,
                                WantedRecord.line(name, RecordType.TXT, key.record())),
                        () -> findings.lacks("dkim", text));
            }
        }
    }

    private void spf(InetAddress address, SpfVerdict spf) {
        String place = AddressText.of(address);
        if (spf.result() == SpfResult.PASS) {
            findings.ok("spf", place + " may send for " + spf.domain() + ", by " + spf.reason());
        } else {
            findings.lacks("spf", place + " may not send for " + spf.domain() + ": "
                    + Ascii.lower(spf.result().name()) + ", " + spf.reason() + " (mta check --dns " + spf.domain()
                    + ")");
        }
    }

    private void reverse(InetAddress address) {
        IprevVerdict iprev = IprevEvaluation.check(dns, address);
        String place = AddressText.of(address);
        if (iprev.result() != IprevResult.PASS) {
            findings.lacks("ptr", place + ": " + iprev.reason() + "; large receivers refuse its mail");
        } else if (!iprev.names().contains(Ascii.lower(server.hostname))) {
            findings.advice("ptr", place + " is " + iprev.names().getFirst() + ", and EHLO says " + server.hostname);
        } else {
            findings.ok("ptr", place + " is " + server.hostname + ", and back");
        }
    }

    private void dmarc(DmarcVerdict dmarc) {
        if (dmarc.result() == DmarcResult.PASS) {
            findings.ok("dmarc", dmarc.reason() + "; SPF is " + (dmarc.spfAligned() ? "" : "not ")
                    + "aligned, DKIM is " + (dmarc.dkimAligned() ? "" : "not ") + "aligned");
            if (!dmarc.spfAligned() || !dmarc.dkimAligned()) {
                findings.advice("dmarc", "Outlook.com wants SPF and DKIM to pass, and one to be aligned; with both,"
                        + " mail also survives a forwarder or a list that breaks one");
            }
        } else {
            findings.lacks("dmarc", Ascii.lower(dmarc.result().name()) + ": " + dmarc.reason()
                    + "; the domains of MAIL FROM or of the signature must be that of From");
        }
    }
}
