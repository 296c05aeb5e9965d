package org.slipstream.it;

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
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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
        assertThat(header(server, "bob")).startsWith("X-Spam: Yes\r\n").doesNotContain("X-Spam: forged");
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
        assertThat(send(server, "first", "bob", "Hello.").toString()).startsWith("451 4.3.0 Content filter unavailable");
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
    private static String header(PackagedServer server, String to) throws IOException {
        String mailbox = to + "@here.example";
        eventually().until(() -> server.mail().count(mailbox) == 1);
        String text = new String(server.mail().newMail(mailbox).getFirst(), StandardCharsets.US_ASCII);
        String header = text.substring(0, text.indexOf("\r\n\r\n") + 2);
        return header.replaceFirst("^Return-Path: .*\r\nDelivered-To: .*\r\n", "");
    }
}
