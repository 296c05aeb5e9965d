package org.slipstream.it;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Peer;
import org.slipstream.it.fixture.PeerRspamd;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.StubDns;
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `policy.rspamd` with the packaged program and Debian's Rspamd: spam, marked mail and ordinary mail,
/// a filter that is away and comes back.
@RequiresPrograms("rspamd")
class RspamdIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    /// The customary test pattern, and the one that Rspamd marks.
    private static final String SPAM = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";
    private static final String SUSPICIOUS = "YJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";
    private static final int LARGE = 3 << 20;

    @Test
    void spamIsRefusedSuspiciousMailMarkedAndOrdinaryMailPasses() throws Exception {
        Peer rspamd = BENCH.keep(Peer.start(new PeerRspamd()));
        PackagedServer server = server(rspamd, BENCH.home());
        assertThat(send(server, "spam", "bob", SPAM)).hasToString("550 5.7.1 Gtube pattern");
        assertThat(send(server, "spam-in-a-complaint", "abuse", SPAM).code()).isEqualTo(250);
        assertThat(send(server, "suspicious", "bob", SUSPICIOUS).code()).isEqualTo(250);
        eventually().until(() -> server.mail().junk("bob@here.example").size() == 1);
        assertThat(header(server.mail().junk("bob@here.example"))).startsWith("X-Spam: Yes\r\n")
                .doesNotContain("X-Spam: forged");
        assertThat(send(server, "ordinary", "carol", "Hello.").code()).isEqualTo(250);
        assertThat(header(server, "carol")).startsWith("X-Spamd-Result: default: False [").doesNotContain("X-Spam:");
        String large = "x".repeat(70) + "\r\n";
        assertThat(send(server, "large", "dave", large.repeat(LARGE / large.length())).code()).isEqualTo(250);
        assertThat(header(server, "dave")).startsWith("X-Spamd-Result: ").contains("\r\nSubject: large\r\n");
        assertThat(server.mail().newMail("dave@here.example").getFirst()).hasSizeGreaterThan(LARGE - 72);
        assertThat(rspamd.log()).contains("from: <x@far.example>", "rcpts: <bob@here.example>", "ip: 127.0.0.1");
        eventually().until(() -> server.log().contains("check=rspamd")
                && server.log().contains("reply=\"550 5.7.1 Gtube pattern\"")
                && server.log().contains("tags=\"rspamd=add header "));
    }

    @Test
    void withoutTheFilterClientsComeBackLaterAndTheStatusTellsSo() throws Exception {
        Peer rspamd = BENCH.keep(Peer.start(new PeerRspamd()));
        Path home = BENCH.home();
        PackagedServer server = server(rspamd, home);
        rspamd.stop();
        assertThat(send(server, "first", "bob", "Hello.").toString())
                .startsWith("451 4.3.0 Content filter unavailable");
        assertThat(send(server, "second", "bob", "Hello.").code()).isEqualTo(451);
        assertThat(server.command("status").out()).containsPattern("TROUBLE +rspamd").contains("Connection refused");
        rspamd.startAgain();
        eventually().untilAsserted(() -> assertThat(send(server, "third", "bob", "Hello.").code()).isEqualTo(250));
        assertThat(server.command("status").out()).doesNotContain("TROUBLE");
        assertThat(server.log().lines().filter(line -> line.contains("event=filter-"))).satisfiesExactly(
                away -> assertThat(away).contains("event=filter-unavailable"),
                back -> assertThat(back).contains("event=filter-available"));
        rspamd.stop();
        settings(home, rspamd, "rspamd-failure = \"accept\"");
        assertThat(server.command("reload").out()).contains("policy.rspamd-failure changed; in force now");
        assertThat(send(server, "unfiltered", "carol", SPAM).code()).isEqualTo(250);
        assertThat(server.command("status").out()).contains("accepted without the filter");
    }

    /// Rspamd counts a client without a name as suspicious, so it has to learn the name. A worker of
    /// this test stands in for Rspamd, which tells no one what it was told.
    @Test
    void theFilterLearnsTheNameOfAHostWhereTheNameBelongsToTheHost() throws Exception {
        List<String> names = new CopyOnWriteArrayList<>();
        HttpServer worker = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 10);
        BENCH.keep(() -> worker.stop(0));
        worker.createContext("/checkv2", exchange -> {
            exchange.getRequestBody().readAllBytes();
            names.add(exchange.getRequestHeaders().getFirst("Ip") + " "
                    + exchange.getRequestHeaders().getFirst("Hostname"));
            byte[] reply = "{\"action\":\"no action\"}".getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, reply.length);
            exchange.getResponseBody().write(reply);
            exchange.close();
        });
        worker.start();
        StubDns dns = BENCH.keep(StubDns.of("""
                7.100.51.198.in-addr.arpa. IN PTR mx.far.example.
                8.100.51.198.in-addr.arpa. IN PTR mx.far.example.
                mx.far.example. IN A 198.51.100.7
                """));
        PackagedServer server = BENCH
                .server(Settings.quick().set("relay.networks", "").set("trust.xclient", "127.0.0.1")
                        .set("smtp-client.dns-servers", dns.address())
                        .set("policy.rspamd", "http://127.0.0.1:" + worker.getAddress().getPort()));
        for (String client : List.of("198.51.100.7", "198.51.100.8", "198.51.100.9")) {
            try (var talk = SmtpTalker.introducedTo(server.smtp())) {
                talk.must(220, "XCLIENT ADDR=" + client);
                talk.must(250, "EHLO client.example");
                assertThat(talk.send(OutgoingMessage.of("named", "x@far.example", "bob@here.example")).code())
                        .isEqualTo(250);
            }
        }
        assertThat(names).containsExactly("198.51.100.7 mx.far.example", "198.51.100.8 null", "198.51.100.9 null");
    }

    private static PackagedServer server(Peer rspamd, Path home) throws IOException {
        settings(home, rspamd, "");
        return BENCH.server(home, Settings.quick());
    }

    private static void settings(Path home, Peer rspamd, String more) throws IOException {
        Files.writeString(home.resolve("mta.toml"),
                "[policy]\nrspamd = \"http://127.0.0.1:" + rspamd.port() + "\"\n" + more + "\n");
    }

    private static SmtpReply send(PackagedServer server, String subject, String to, String body) {
        String message = "From: <x@far.example>\r\nSubject: " + subject + "\r\nX-Spam: forged\r\n\r\n" + body + "\r\n";
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            return talk.send(new OutgoingMessage("x@far.example", List.of(to + "@here.example"),
                    message.getBytes(StandardCharsets.US_ASCII)));
        }
    }

    /// The only message of this mailbox, without the fields of its delivery on top.
    private static String header(PackagedServer server, String to) {
        String mailbox = to + "@here.example";
        eventually().until(() -> server.mail().count(mailbox) == 1);
        return header(server.mail().newMail(mailbox));
    }

    private static String header(List<byte[]> messages) {
        String text = new String(messages.getFirst(), StandardCharsets.US_ASCII);
        String header = text.substring(0, text.indexOf("\r\n\r\n") + 2);
        return header.replaceFirst("^Return-Path: .*\r\nDelivered-To: .*\r\n", "");
    }
}
