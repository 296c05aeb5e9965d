package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.ImapClient;
import org.slipstream.it.fixture.ImapClient.ImapMessage;
import org.slipstream.it.fixture.PageBlocks;
import org.slipstream.it.fixture.Peer;
import org.slipstream.it.fixture.PeerDovecot;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.RequiresRoot;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Trace;
import org.slipstream.it.fixture.UnprivilegedProgram;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.UnusedPort;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The two programs of `docs/dovecot.md`, with the configuration of that page: LMTP, logins, lookup
/// of users, quotas, and IMAP over both kinds of mailboxes.
@RequiresRoot
@RequiresPrograms({"dovecot", "doveadm", "python3", "msmtp", "openssl", "setpriv"})
class DovecotIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final PageBlocks PAGE = new PageBlocks("dovecot.md");
    private static final String DOVECOT_CONF = "/etc/dovecot/dovecot.conf";
    private static final String MTA_TOML = "/etc/slipstream/mta.toml";
    private static final String CHANGED = ", changed lines";
    private static final String ALICE = "alice@example.org";
    private static final String BOB = "bob@example.org";
    private static final String FULL = "full@example.org";
    private static final String DOTTED = "o.hara_x-2@example.org";
    private static final String FRIEND = "friend@far.example";
    private static final byte[] EIGHT_BITS = "Gr\u00fc\u00dfe\r\n.\r\n..\r\n".getBytes(StandardCharsets.UTF_8);
    private static Peer dovecot;
    private static PackagedServer server;

    @BeforeAll
    static void start() throws IOException {
        dovecot = BENCH.keep(Peer.start(dovecot(PAGE.block(DOVECOT_CONF), "")));
        server = server(dovecot, PAGE.block(MTA_TOML));
    }

    private static PeerDovecot dovecot(String configuration, String changed) {
        return new PeerDovecot(configuration, changed,
                Map.of(ALICE, "", BOB, "", FULL, "userdb_quota_rule=*:storage=1K", "off@example.org", "nologin=y"));
    }

    private static PackagedServer server(Peer dovecot, String page) throws IOException {
        var home = BENCH.home();
        Files.writeString(home.resolve("mta.toml"), PeerDovecot.here(dovecot.folder(), page));
        return BENCH.server(home, quick());
    }

    /// Free ports and short times; the rest is in `mta.toml`.
    private static Settings quick() {
        return new Settings(Map.of()).set("listen.smtp", "127.0.0.1:0").set("listen.submission", "127.0.0.1:0")
                .set("listen.submissions", "127.0.0.1:0").set("queue.minimal-backoff", "1s")
                .set("queue.maximal-backoff", "2s").set("queue.scan-interval", "1s").set("queue.report-interval", "0s")
                .set("submission.failed-login-delay", "0s");
    }

    private static ImapClient imap(Peer dovecot, String user) {
        return new ImapClient(dovecot.port(), user, PeerDovecot.PASSWORD);
    }

    private static SmtpTalker secure() {
        var talk = SmtpTalker.introducedTo(server.submission());
        talk.startTls();
        talk.must(250, "EHLO client.example");
        return talk;
    }

    private static String plain(String user, String password) {
        return "AUTH PLAIN " + base64("\0" + user + "\0" + password);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(PackagedServer server, OutgoingMessage message) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(message).code()).isEqualTo(250);
        }
    }

    private static List<ImapMessage> with(String id, List<ImapMessage> all) {
        return all.stream().filter(message -> OutgoingMessage.idOf(message.content()).equals(id)).toList();
    }

    private static ImapMessage only(String id, Peer dovecot, String user) {
        var found = new ArrayList<ImapMessage>();
        eventually().until(() -> found.addAll(with(id, imap(dovecot, user).messages("INBOX"))));
        return found.getFirst();
    }

    @Test
    void mailFromOutsideIsReadByImapUnchanged() {
        var message = OutgoingMessage.of("outside@far.example", FRIEND, List.of(ALICE), EIGHT_BITS);
        send(server, message);
        var read = only(message.id(), dovecot, ALICE);
        assertThat(read.sizeOctets()).isEqualTo(read.content().length);
        assertThat(Trace.of(read.content()).original()).isEqualTo(message.content());
        assertThat(dovecot.log()).doesNotContain("Error:", "Fatal:", "Panic:");
    }

    @Test
    void anUnknownUserIsRefusedAndAnAliasIsDeliveredToBoth() {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            talk.must(250, "MAIL FROM:<" + FRIEND + ">");
            assertThat(talk.say("RCPT TO:<nobody@example.org>").toString()).startsWith("550 5.1.1");
            talk.must(250, "RCPT TO:<Alice+lists@Example.ORG>");
            talk.must(250, "RCPT TO:<postmaster@example.org>");
        }
        assertThat(server.command("verify", ALICE).exit()).isZero();
        assertThat(server.command("verify", "nobody@example.org").exit()).isEqualTo(1);
        var message = OutgoingMessage.of("alias@far.example", FRIEND, "info@example.org");
        send(server, message);
        only(message.id(), dovecot, ALICE);
        only(message.id(), dovecot, BOB);
    }

    /// The full mailbox answers for itself; the others have the message once.
    @Test
    void aFullMailboxIsReturnedAndTheOthersOfTheTransactionAreDeliveredOnce() {
        var message = OutgoingMessage.of("mixed@example.org", ALICE, List.of(ALICE, FULL, BOB),
                Bytes.ascii("0123456789\r\n".repeat(500)));
        send(server, message);
        only(message.id(), dovecot, BOB);
        only(message.id(), dovecot, ALICE);
        eventually().until(() -> imap(dovecot, ALICE).messages("INBOX").stream()
                .map(mail -> new String(mail.content(), StandardCharsets.UTF_8))
                .anyMatch(mail -> mail.contains("5.2.2") && mail.contains(FULL) && mail.contains("mailbox is full")));
        assertThat(with(message.id(), imap(dovecot, ALICE).messages("INBOX"))).hasSize(1);
        assertThat(with(message.id(), imap(dovecot, BOB).messages("INBOX"))).hasSize(1);
        assertThat(imap(dovecot, FULL).messages("INBOX")).isEmpty();
    }

    @Test
    void dovecotDecidesLogins() {
        try (var talk = secure()) {
            assertThat(talk.must(250, "EHLO client.example").lines()).contains("AUTH SCRAM-SHA-256 PLAIN LOGIN");
            talk.must(535, plain(ALICE, "wrong"));
            talk.must(535, plain("off@example.org", PeerDovecot.PASSWORD));
            talk.must(535, plain(ALICE + "\tnologin", PeerDovecot.PASSWORD));
            talk.must(334, "AUTH LOGIN");
            talk.must(501, "*");
            talk.must(334, "AUTH LOGIN");
            talk.must(334, base64("Alice@Example.ORG"));
            talk.must(235, base64(PeerDovecot.PASSWORD));
            talk.must(250, "MAIL FROM:<alice+shop@example.org>");
            talk.must(250, "RSET");
            talk.must(250, "MAIL FROM:<info@example.org>");
            talk.must(250, "RSET");
            assertThat(talk.say("MAIL FROM:<bob@example.org>").toString()).startsWith("553 5.7.1")
                    .contains("not owned by user alice@example.org");
        }
        assertThat(server.log()).contains("event=login-failed").doesNotContain(PeerDovecot.PASSWORD);
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "login", "scram-sha-256"})
    void aMailProgramLogsInAndSends(String mechanism) throws IOException {
        var message = OutgoingMessage.of(mechanism + "@example.org", ALICE, BOB);
        var file = Files.write(BENCH.folder().resolve("message.eml"), message.content());
        ProgramRun.of("sh", "-c",
                "msmtp --host=127.0.0.1 --port=" + server.submission().getPort() + " --tls=on --tls-certcheck=off"
                        + " --auth=" + mechanism + " --user=" + ALICE + " --passwordeval='echo \""
                        + PeerDovecot.PASSWORD + "\"' --from=" + ALICE + " " + BOB + " < '" + file + "'")
                .mustSucceed();
        assertThat(new String(only(message.id(), dovecot, BOB).content(), StandardCharsets.UTF_8))
                .as("the trace names the login (RFC 3848)").contains("with ESMTPSA");
    }

    @Test
    void whileDovecotIsAwayMailWaitsAndNoPasswordIsWrong() throws IOException {
        var away = BENCH.keep(Peer.start(dovecot(PAGE.block(DOVECOT_CONF), "")));
        var server = server(away, PAGE.block(MTA_TOML));
        var check = Program.run(server.home(), "check");
        // The certificate of the test has another name.
        assertThat(check.err().strip().lines()).singleElement().asString().contains("tls.certificate");
        send(server, OutgoingMessage.of("before@far.example", FRIEND, ALICE));
        only("before@far.example", away, ALICE);
        away.stop();

        check = Program.run(server.home(), "check");
        assertThat(check.exit()).isEqualTo(1);
        assertThat(check.err().strip().lines()).hasSizeBetween(3, 4).anyMatch(line -> line.contains("submission.auth"))
                .anyMatch(line -> line.contains("local.mailbox-lookup"));
        try (var talk = SmtpTalker.introducedTo(server.submission())) {
            talk.startTls();
            assertThat(talk.must(250, "EHLO client.example").text()).contains("AUTH SCRAM-SHA-256 PLAIN LOGIN");
            assertThat(talk.say(plain(ALICE, PeerDovecot.PASSWORD)).toString()).startsWith("454 4.7.0");
            assertThat(talk.say(plain(ALICE, "wrong")).toString()).startsWith("454 4.7.0");
        }
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            talk.must(250, "MAIL FROM:<" + FRIEND + ">");
            assertThat(talk.say("RCPT TO:<bob@example.org>").toString()).startsWith("451 4.3.0");
        }
        var waiting = OutgoingMessage.of("waiting@far.example", FRIEND, ALICE);
        send(server, waiting);
        eventually().until(() -> server.command("queue", "list").out().contains("alice"));

        away.startAgain();
        only(waiting.id(), away, ALICE);
        try (var talk = SmtpTalker.introducedTo(server.submission())) {
            talk.startTls();
            talk.must(250, "EHLO client.example");
            talk.must(235, plain(ALICE, PeerDovecot.PASSWORD));
        }
    }

    /// Dovecot on another machine, which defers mail for full mailboxes.
    @Test
    void overTcpAFullMailboxIsTriedAgainUntilTheUserMakesRoom() throws IOException {
        int lmtp = UnusedPort.now();
        int auth = UnusedPort.now();
        var ports = PAGE.block("/etc/dovecot/local.conf").replace("port = 24", "port = " + lmtp)
                .replace("port = 12345", "port = " + auth);
        var tcp = BENCH.keep(Peer.start(dovecot(PAGE.block(DOVECOT_CONF), ports + "quota_full_tempfail = yes\n")));
        var server = server(tcp, merged(PAGE.block(MTA_TOML), PAGE.block(MTA_TOML + CHANGED))
                .replace("192.0.2.10:24", "127.0.0.1:" + lmtp).replace("192.0.2.10:12345", "127.0.0.1:" + auth));
        var full = OutgoingMessage.of("full@far.example", FRIEND, List.of(FULL),
                Bytes.ascii("0123456789\r\n".repeat(100)));
        send(server, full);
        eventually().until(() -> server.command("queue", "list").out().contains("4.2.2"));
        var id = server.command("queue", "list", "--json").mustSucceed().out().replaceAll(
                "(?s).*?\"id\":\"([^\"]+)\".*",
                "$1");
        assertThat(server.command("explain", id).mustSucceed().out()).contains("4.2.2").containsIgnoringCase("quota");
        try (var talk = SmtpTalker.introducedTo(server.submission())) {
            talk.startTls();
            talk.must(250, "EHLO client.example");
            talk.must(235, plain(ALICE, PeerDovecot.PASSWORD));
        }
        Files.writeString(tcp.folder().resolve("users"),
                Files.readString(tcp.folder().resolve("users")).replace("storage=1K", "storage=1M"));
        only(full.id(), tcp, FULL);
    }

    /// The page's second block names single keys of sections that the first has.
    private static String merged(String whole, String changed) {
        var text = whole;
        for (var line : changed.lines().filter(line -> line.contains(" = ")).toList()) {
            text = text.replaceFirst("(?m)^" + line.substring(0, line.indexOf(' ')) + " = .*$", line);
        }
        return text;
    }

    @Test
    void dovecotReadsTheMaildirsThatThisServerWrites() throws IOException {
        var program = BENCH.keep(new UnprivilegedProgram("mail"));
        var maildirs = BENCH.keep(Peer.start(new PeerDovecot(withoutUserdb(PAGE.block(DOVECOT_CONF)),
                PAGE.block(DOVECOT_CONF + CHANGED).replace("/var/lib/slipstream", program.home().toString()),
                Map.of(ALICE, "", DOTTED, ""))));
        var server = BENCH.keep(PackagedServer.start(program.folder(), program.home(),
                quick().set("hostname", "mail.example.org").set("local.domains", "example.org")
                        .set("local.mailboxes", "*").pairs()));
        var message = OutgoingMessage.of("maildir@far.example", FRIEND, List.of(ALICE, DOTTED),
                EIGHT_BITS);
        send(server, message);
        var read = only(message.id(), maildirs, ALICE);
        assertThat(read.sizeOctets()).isEqualTo(read.content().length);
        assertThat(read.flags()).doesNotContain("\\Seen");
        assertThat(Trace.of(read.content()).original()).isEqualTo(message.content());
        only(message.id(), maildirs, DOTTED);
        imap(maildirs, ALICE).flag("INBOX", "\\Seen");
        imap(maildirs, ALICE).create("Kept");
        assertThat(only(message.id(), maildirs, ALICE).flags()).contains("\\Seen");
        imap(maildirs, ALICE).moveAll("INBOX", "Kept");

        // Deliveries while a mail program reads and moves.
        int count = 200;
        var reader = CompletableFuture.runAsync(() -> imap(maildirs, ALICE).drain("INBOX", "Kept", count));
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            for (int number = 0; number < count; number++) {
                assertThat(talk.send(OutgoingMessage.of("n" + number + "@far.example", FRIEND, ALICE)).code())
                        .isEqualTo(250);
            }
        }
        reader.join();
        assertThat(imap(maildirs, ALICE).messages("Kept")).extracting(mail -> OutgoingMessage.idOf(mail.content()))
                .hasSize(count + 1).doesNotHaveDuplicates();
        assertThat(maildirs.log()).doesNotContain("Error:", "Fatal:", "Panic:");
    }

    /// The changed lines of the page take the place of the first ones.
    private static String withoutUserdb(String page) {
        return page.replaceFirst("(?s)userdb \\{.*?\\n\\}\\n", "").replaceFirst("(?m)^mail_location = .*\\n", "");
    }
}
