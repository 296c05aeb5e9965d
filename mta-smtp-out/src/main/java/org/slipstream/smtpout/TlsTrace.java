package org.slipstream.smtpout;

import org.slipstream.auth.dane.CertificateNames;
import org.slipstream.auth.dane.DaneCertificates;
import org.slipstream.auth.dane.TlsaRecord;
import org.slipstream.auth.sts.StsPolicy;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.TlsDemand;
import org.slipstream.core.dns.DomainName;
import org.slipstream.core.text.Controls;
import org.slipstream.core.text.Utf8;
import org.slipstream.smtpout.demand.TlsDemands;
import org.slipstream.smtpout.dialog.PeerExtensions;
import org.slipstream.smtpout.dialog.PeerExtensions.PeerExtension;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.smtpout.wire.CertificateCheck;
import org.slipstream.smtpout.wire.Dialer;
import org.slipstream.smtpout.wire.Endpoint;
import org.slipstream.smtpout.wire.Sources;
import org.slipstream.smtpout.wire.Wire;
import org.slipstream.smtpout.wire.WireInput;
import org.slipstream.smtpout.wire.WireWatchdog;

import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// One dialogue with each host of a domain, up to the second EHLO under TLS and without mail, and the
/// demands on its TLS.
///
/// The classes that deliver make the connection, the lookups and the checks; only their order is here, and
/// no certificate ends the dialogue, because the wrong ones are what it is for. A stranger writes most of
/// the text, so each line and their number are bounded, and no line has a control character.
///
/// | Bound | Value |
/// |---|---|
/// | hosts | [#MOST_HOSTS] |
/// | addresses of a host that are tried | [#MOST_ADDRESSES] |
/// | lines of a reply that are shown | [#MOST_LINES] |
/// | certificates and names of each that are shown | [#MOST_CERTIFICATES], [#MOST_NAMES] |
/// | characters of a line | [#LONGEST_LINE] |
///
/// Blocking.
public final class TlsTrace {
    static final int MOST_HOSTS = 5;
    static final int MOST_ADDRESSES = 4;
    static final int MOST_LINES = 30;
    static final int MOST_CERTIFICATES = 6;
    static final int MOST_NAMES = 5;
    static final int LONGEST_LINE = 400;
    private static final long STAGGER_MILLIS = 250;

    private final String hostname;
    private final RouteFinder routes;
    private final HostFinder hosts;
    private final TlsDemands demands;
    private final long stepMillis;
    private final List<String> lines = new ArrayList<>();
    private boolean good = true;

    /// @param good each host offers TLS and meets its demands
    public record TracedTls(List<String> lines, boolean good) {
        public TracedTls {
            lines = List.copyOf(lines);
        }
    }

    /// @param hostname ours, in EHLO
    /// @param stepMillis the longest wait for a connection, a reply or a handshake
    public TlsTrace(String hostname, RouteFinder routes, HostFinder hosts, TlsDemands demands, long stepMillis) {
        this.hostname = hostname;
        this.routes = routes;
        this.hosts = hosts;
        this.demands = demands;
        this.stepMillis = stepMillis;
    }

    /// The hosts for the mail of a domain; a host without exchangers is its own.
    public synchronized TracedTls domain(String name) {
        return switch (routes.find(name)) {
            case RouteFinder.Answer.Found(Route.Smtp route) -> all(name, route.hosts());
            case RouteFinder.Answer.NoRoute(Reply reason) -> {
                begin();
                fails("no route  " + reason);
                yield end();
            }
        };
    }

    /// One host, whatever its exchangers are.
    public synchronized TracedTls host(String name, int port) {
        return all(name, List.of(new Route.Host(name, port, 0)));
    }

    private TracedTls all(String name, List<Route.Host> found) {
        begin();
        List<Route.Host> first = found.subList(0, Math.min(MOST_HOSTS, found.size()));
        demands.tellTo(outcome -> {
            // A session has a host; a policy that cannot be fetched has none.
            if (outcome.host().isEmpty()) {
                fails("policy    " + outcome.result().word() + ": " + outcome.additional());
            }
        });
        List<Route.Host> permitted = switch (demands.decide(name, first)) {
            case TlsDemands.HostDecision.Permitted(List<Route.Host> hostsOfPolicy) -> hostsOfPolicy;
            case TlsDemands.HostDecision.NoHost none -> {
                fails("no host   " + none.reason());
                yield List.of();
            }
        };
        DomainName.ascii(name).map(demands::of).orElse(List.of()).forEach(policy -> policy.strings()
                .forEach(each -> tell("policy    " + policy.kind().word() + " " + policy.domain() + ": " + each)));
        for (Route.Host host : first) {
            tell("");
            Optional<Route.Host> chosen = permitted.stream()
                    .filter(each -> each.name().equals(host.name()) && each.port() == host.port()).findFirst();
            dialogue(name, chosen.orElse(host), chosen.isPresent());
        }
        if (found.size() > first.size()) {
            tell("and " + (found.size() - first.size()) + " more hosts");
        }
        return end();
    }

    private void begin() {
        lines.clear();
        good = true;
    }

    private TracedTls end() {
        return new TracedTls(lines, good);
    }

    private void tell(String line) {
        lines.add(Utf8.beginning(Controls.replaced(line), LONGEST_LINE));
    }

    private void fails(String line) {
        good = false;
        tell(line);
    }

    // ---- the dialogue

    private void dialogue(String domain, Route.Host host, boolean permitted) {
        List<InetAddress> addresses = addresses(host);
        if (addresses.isEmpty()) {
            return;
        }
        try (WireWatchdog watchdog = new WireWatchdog()) {
            Wire wire = new Wire(
                    addresses.stream().map(each -> new Endpoint.Tcp(host.name(), each, host.port())).toList(),
                    watchdog, new Dialer(Sources.ANY, STAGGER_MILLIS));
            Optional<WireInput.Ended> gone = wire.connect(stepMillis);
            tell(wire.endpoint().toString());
            if (gone.isPresent()) {
                fails("no connection: " + gone.get().reason());
            } else {
                try {
                    speak(wire);
                    judge(domain, host, permitted, wire.peerCertificates());
                } finally {
                    wire.close(stepMillis);
                }
            }
        }
    }

    private List<InetAddress> addresses(Route.Host host) {
        HostFinder.HostAnswer answer = host.addresses().isEmpty()
                ? hosts.find(host.name())
                : new HostFinder.HostAnswer.Found(host.addresses().stream().map(InetAddress::ofLiteral).toList());
        return switch (answer) {
            case HostFinder.HostAnswer.Found(List<InetAddress> found) ->
                found.subList(0, Math.min(MOST_ADDRESSES, found.size()));
            case HostFinder.HostAnswer.None(String reason) -> noAddress(host, reason);
            case HostFinder.HostAnswer.Trouble(String reason) -> noAddress(host, reason);
        };
    }

    private List<InetAddress> noAddress(Route.Host host, String reason) {
        fails(host + "  no address: " + reason);
        return List.of();
    }

    private void speak(Wire wire) {
        if (!isPositive(reply(wire))) {
            return;
        }
        Optional<Reply> offer = said(wire, "EHLO " + hostname);
        if (isPositive(offer)) {
            if (!PeerExtensions.of(offer.get()).offers(PeerExtension.STARTTLS)) {
                fails("STARTTLS is not offered");
            } else if (isPositive(said(wire, "STARTTLS"))) {
                encrypt(wire);
            }
        }
        said(wire, "QUIT");
    }

    private void encrypt(Wire wire) {
        Optional<WireInput.Ended> failed = wire.startTls(stepMillis);
        if (failed.isPresent()) {
            fails("the TLS handshake failed: " + failed.get().reason());
            return;
        }
        tell("   " + wire.security());
        List<X509Certificate> chain = wire.peerCertificates();
        chain.stream().limit(MOST_CERTIFICATES).forEach(this::certificate);
        if (chain.size() > MOST_CERTIFICATES) {
            tell("   and " + (chain.size() - MOST_CERTIFICATES) + " more certificates");
        }
        said(wire, "EHLO " + hostname);
    }

    private void certificate(X509Certificate each) {
        List<String> names = CertificateNames.of(each);
        String more = names.size() > MOST_NAMES ? " and " + (names.size() - MOST_NAMES) + " more" : "";
        tell("   certificate  " + each.getSubjectX500Principal().getName());
        if (!names.isEmpty()) {
            tell("     for        " + String.join(", ", names.subList(0, Math.min(MOST_NAMES, names.size()))) + more);
        }
        tell("     valid      " + each.getNotBefore().toInstant() + " to " + each.getNotAfter().toInstant());
        tell("     issuer     " + each.getIssuerX500Principal().getName());
    }

    private Optional<Reply> said(Wire wire, String command) {
        tell("C: " + command);
        wire.send(command + "\r\n", stepMillis);
        return reply(wire);
    }

    private Optional<Reply> reply(Wire wire) {
        return switch (wire.read(stepMillis)) {
            case WireInput.Received(Reply reply) -> {
                List<String> whole = reply.toWire().lines().toList();
                whole.stream().limit(MOST_LINES).forEach(line -> tell("S: " + line));
                if (whole.size() > MOST_LINES) {
                    tell("   and " + (whole.size() - MOST_LINES) + " more lines");
                }
                if (!reply.isPositive()) {
                    good = false;
                }
                yield Optional.of(reply);
            }
            case WireInput.Ended ended -> {
                fails("no reply: " + ended.reason());
                yield Optional.empty();
            }
        };
    }

    private static boolean isPositive(Optional<Reply> reply) {
        return reply.filter(Reply::isPositive).isPresent();
    }

    // ---- the demands

    private void judge(String domain, Route.Host host, boolean permitted, List<X509Certificate> chain) {
        Optional<String> byName = chain.isEmpty()
                ? Optional.of("there is no TLS")
                : demands.authorities().judge(chain, host.name())
                        .map((CertificateCheck.RefusedCertificate each) -> String.valueOf(each.getMessage()));
        if (!chain.isEmpty()) {
            tell("   for " + host.name() + ", by the known authorities: " + byName.orElse("valid"));
        }
        if (!permitted) {
            fails("demand    the host is not used for mail of " + domain + ": its policies do not permit it");
            return;
        }
        TlsDemand demand = host.demand();
        switch (demand.kind()) {
            case NONE -> demands.tried(domain).ifPresentOrElse(
                    policy -> verdict("MTA-STS, which is only tested", triedBy(policy, host).or(() -> byName)),
                    () -> tell("demand    none: TLS is used when it is offered"));
            case ENCRYPT -> verdict("DANE without a usable record: any certificate",
                    byName.filter(_ -> chain.isEmpty()));
            case STS -> verdict("MTA-STS", byName);
            case DANE -> verdict("DANE", chain.isEmpty()
                    ? byName
                    : DaneCertificates.refusal(
                            demand.associations().stream().flatMap(each -> TlsaRecord.usable(each).stream()).toList(),
                            demand.names(), chain, Instant.now()));
        }
    }

    private static Optional<String> triedBy(StsPolicy policy, Route.Host host) {
        return Stream.of(host.name() + " is not an mx of the policy").filter(_ -> !policy.permits(host.name()))
                .findFirst();
    }

    private void verdict(String demand, Optional<String> refusal) {
        refusal.ifPresentOrElse(reason -> fails("demand    " + demand + ": not met, " + reason),
                () -> tell("demand    " + demand + ": met"));
    }
}
