package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Peer;
import org.slipstream.it.fixture.PeerNsd;
import org.slipstream.it.fixture.PeerUnbound;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.RequiresRoot;
import org.slipstream.it.fixture.SendingPeer;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.TestCertificates;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// DANE with a zone that `ldns-signzone` has signed, NSD as its name server, and Unbound as the resolver that
/// validates. Postfix with the same zone is the referee: it decides as this server does.
///
/// DNS names no port, so the hosts listen on port 25 of loopback addresses.
@RequiresRoot
@RequiresPrograms({"nsd", "unbound", "postfix", "ldns-keygen", "ldns-signzone", "unshare"})
class DaneIT {
    private static final String RESOLVER = "127.0.35.53";
    private static final String WRONG = "ab".repeat(32);
    private static final String BROKEN = "cd".repeat(32);
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Map<Host, SmtpSink> SINKS = new EnumMap<>(Host.class);
    private static PackagedServer server;
    private static Peer resolver;

    /// The domains, by that which their zone says about their host.
    enum Host {
        /// The key that the host has.
        RIGHT("signed.test"),
        /// Another key.
        FALSE("signed.test"),
        /// A record whose signature is not right.
        BOGUS("signed.test"),
        /// Another key, in a zone that is not signed.
        UNSIGNED("plain.test");

        private final String zone;

        Host(String zone) {
            this.zone = zone;
        }

        String domain() {
            return name().toLowerCase(java.util.Locale.ROOT) + "." + zone;
        }

        InetSocketAddress address() {
            return new InetSocketAddress(InetAddress.ofLiteral("127.0.35." + (10 + ordinal())), 25);
        }

        String records(String digest) {
            return """
                    %1$s. IN MX 10 mx.%1$s.
                    mx.%1$s. IN A %2$s
                    _25._tcp.mx.%1$s. IN TLSA 3 1 1 %3$s
                    """.formatted(domain(), address().getAddress().getHostAddress(), digest);
        }
    }

    @BeforeAll
    static void start() throws Exception {
        for (Host host : Host.values()) {
            SINKS.put(host, BENCH.keep(SmtpSink.on(host.address(),
                    SinkScript.smtp().startTls(TestCertificates.of("mx." + host.domain())))));
        }
        Path folder = BENCH.folder();
        String key = ProgramRun.of("sh", "-c", "cd '" + folder
                + "' && ldns-keygen -a ECDSAP256SHA256 -k -r /dev/urandom signed.test").mustSucceed().out().strip();
        Peer names = BENCH.keep(Peer.start(new PeerNsd(Map.of("signed.test", signed(folder, key), "plain.test",
                zone("plain.test") + Host.UNSIGNED.records(WRONG)))));
        resolver = BENCH.keep(Peer.start(new PeerUnbound(List.of("signed.test", "plain.test"), names.port(),
                Files.readString(folder.resolve(key + ".key")).strip(), RESOLVER)));
        server = BENCH.server(Settings.quick().set("smtp-client.dane", "true").set("smtp-client.dns-servers",
                "127.0.0.1:" + resolver.port()));
    }

    private static String zone(String name) {
        return """
                $TTL 60
                %1$s. IN SOA ns.%1$s. hostmaster.%1$s. 1 3600 600 86400 60
                %1$s. IN NS ns.%1$s.
                ns.%1$s. IN A 127.0.0.1
                """.formatted(name);
    }

    /// One record is changed after it was signed.
    private static String signed(Path folder, String key) throws Exception {
        Path plain = Files.writeString(folder.resolve("signed.zone"), zone("signed.test")
                + Host.RIGHT.records(keyOf(SINKS.get(Host.RIGHT))) + Host.FALSE.records(WRONG)
                + Host.BOGUS.records(BROKEN));
        ProgramRun.of("sh", "-c", "cd '" + folder + "' && ldns-signzone -f signed.out " + plain.getFileName() + " "
                + key).mustSucceed();
        String signed = Files.readString(folder.resolve("signed.out"));
        assertThat(signed).contains(BROKEN);
        return signed.replace(BROKEN, keyOf(SINKS.get(Host.BOGUS)));
    }

    private static String keyOf(SmtpSink sink) throws Exception {
        try (SmtpTalker talk = SmtpTalker.introducedTo(sink.address())) {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256")
                    .digest(talk.startTls().getPublicKey().getEncoded()));
        }
    }

    private static OutgoingMessage mail(Host host, String name, String field) {
        String recipient = name + "@" + host.domain();
        return new OutgoingMessage("ann@here.example", List.of(recipient),
                ("From: ann@here.example\r\nTo: " + recipient + "\r\nSubject: x\r\nMessage-ID: <" + recipient + ">\r\n"
                        + field + "\r\nHello.\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static void send(InetSocketAddress to, OutgoingMessage mail) {
        try (SmtpTalker talk = SmtpTalker.introducedTo(to)) {
            assertThat(talk.send(mail).code()).isEqualTo(250);
        }
    }

    private static void arrives(Host host, String name, Supplier<String> why) {
        eventually().untilAsserted(
                () -> assertThat(SINKS.get(host).messages()).as(why).anyMatch(mail -> has(mail.recipients(), name)));
    }

    private static boolean has(List<String> recipients, String name) {
        return recipients.stream().anyMatch(each -> each.contains(name + "@"));
    }

    private static boolean hasArrived(Host host, String name) {
        return SINKS.get(host).messages().stream().anyMatch(mail -> has(mail.recipients(), name));
    }

    private static String lastReply(Host host) {
        return Queue.of(server).messages().stream()
                .filter(each -> each.toString().contains("ours@" + host.domain())).map(Queue::lastReply).findFirst()
                .orElse("");
    }

    @Test
    void ourServerObeysTheRecordsOfASignedZoneOnly() {
        for (Host host : Host.values()) {
            send(server.submission(), mail(host, "ours", ""));
        }
        arrives(Host.RIGHT, "ours", () -> lastReply(Host.RIGHT));
        arrives(Host.UNSIGNED, "ours", () -> lastReply(Host.UNSIGNED));
        eventually().untilAsserted(() -> assertThat(lastReply(Host.FALSE)).contains("4.7.5",
                "TLS is required by DANE for mx.false.signed.test[127.0.35.11]",
                "none of the TLSA records names its certificate"));
        eventually().untilAsserted(() -> assertThat(lastReply(Host.BOGUS)).contains("4.7.5",
                "DNSSEC: no secure answer about mx.bogus.signed.test"));
        String id = Queue.of(server).messages().stream().filter(each -> each.toString().contains("false.signed.test"))
                .findFirst().orElseThrow().path("id").asString();
        assertThat(server.command("explain", id).mustSucceed().out())
                .contains("TLS is required by DANE for mx.false.signed.test");
        // RFC 8689: its sender has no wish for the TLS that the domain demands.
        for (Host host : List.of(Host.FALSE, Host.BOGUS)) {
            send(server.submission(), mail(host, "easy", "TLS-Required: No\r\n"));
            arrives(host, "easy", () -> "TLS-Required: No");
            assertThat(hasArrived(host, "ours")).isFalse();
        }
    }

    @Test
    void theCommandTellsTheDemandOfEachHost() throws IOException {
        Path home = BENCH.home();
        Files.writeString(home.resolve("mta.toml"), "hostname = \"mail.here.example\"\n[smtp-client]\n"
                + "dns-servers = [\"127.0.0.1:" + resolver.port() + "\"]\n");
        ProgramRun right = Program.run(home, "trace", "--tls", Host.RIGHT.domain()).mustSucceed();
        assertThat(right.out()).contains("policy    tlsa right.signed.test: 3 1 1 ", "C: STARTTLS",
                "demand    DANE: met");
        ProgramRun wrong = Program.run(home, "trace", "--tls", Host.FALSE.domain());
        assertThat(wrong.exit()).isEqualTo(1);
        assertThat(wrong.out()).contains("demand    DANE: not met, none of the TLSA records names its certificate");
        ProgramRun bogus = Program.run(home, "trace", "--tls", Host.BOGUS.domain());
        assertThat(bogus.exit()).isEqualTo(1);
        assertThat(bogus.out()).contains("no host   451 4.7.5 DNSSEC: no secure answer");
        assertThat(Program.run(home, "trace", "--tls", Host.UNSIGNED.domain()).mustSucceed().out())
                .contains("demand    none: TLS is used when it is offered");
    }

    @Test
    void postfixDecidesTheSame() throws IOException {
        SendingPeer postfix = BENCH.keep(SendingPeer.start(SendingPeer.Kind.POSTFIX_WITH_DANE,
                new InetSocketAddress(InetAddress.ofLiteral(RESOLVER), 53)));
        for (Host host : Host.values()) {
            send(postfix.address(), mail(host, "theirs", ""));
        }
        arrives(Host.RIGHT, "theirs", postfix::log);
        arrives(Host.UNSIGNED, "theirs", postfix::log);
        for (Host host : List.of(Host.FALSE, Host.BOGUS)) {
            eventually().untilAsserted(() -> assertThat(postfix.log())
                    .containsPattern("to=<theirs@" + host.domain() + ">.*status=deferred"));
            assertThat(hasArrived(host, "theirs")).as(postfix::log).isFalse();
        }
        assertThat(postfix.log())
                .contains("Verified TLS connection established to mx.right.signed.test[127.0.35.10]:25")
                .contains("Server certificate not verified", "TLSA lookup error for mx.bogus.signed.test:25");
    }
}
