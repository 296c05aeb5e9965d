package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.guard.login.UserFile;
import org.slipstream.guard.tls.TlsContexts;
import org.slipstream.guard.tls.TlsSettings;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.StubDovecot;
import org.slipstream.testkit.server.Maildirs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/// A server whose operator changes users, certificates, texts of reports or the socket of Dovecot,
/// and reloads. Sessions in progress go on.
class LiveFilesTest {
    private static final String SUBMISSION = "listen.submission = \"127.0.0.1:0\"";
    private static final String STRANGERS = "relay.networks = [\"192.0.2.0/24\"]";
    private static final OutgoingMessage FROM_ANN = new OutgoingMessage("ann@here.example",
            List.of("user@here.example"), EditedServer.CONTENT);

    @TempDir
    Path home;
    private EditedServer mta;

    @BeforeEach
    void prepare() {
        mta = new EditedServer(home);
    }

    @AfterEach
    void stop() {
        mta.close();
    }

    private SmtpTalker submitter() {
        SmtpTalker talker = SmtpTalker.introducedTo(mta.server().submission().orElseThrow());
        talker.startTls();
        talker.must(250, "EHLO client.example");
        return talker;
    }

    private static String login(String user, String password) {
        return "AUTH PLAIN " + Base64.getEncoder()
                .encodeToString(("\0" + user + "\0" + password).getBytes(StandardCharsets.UTF_8));
    }

    // ---- users

    @Test
    void aUserWhoIsLoggedInStaysAndTheNextLoginNeedsTheNewPassword() throws Exception {
        UserFile users = UserFile.in(home);
        users.add("ann", "before", List.of("ann@here.example"));
        mta.start(SUBMISSION, STRANGERS);
        try (SmtpTalker session = submitter()) {
            session.must(235, login("ann", "before"));
            users.changePassword("ann", "after");
            users.add("bob", "of bob", List.of("bob@here.example"));
            mta.changed(SUBMISSION, STRANGERS);
            assertThat(session.send(FROM_ANN).code()).isEqualTo(250);
        }
        try (SmtpTalker next = submitter()) {
            next.must(535, login("ann", "before"));
            next.must(235, login("ann", "after"));
        }
        try (SmtpTalker other = submitter()) {
            other.must(235, login("bob", "of bob"));
        }
    }

    @Test
    void aFileOfUsersWithAMistakeChangesNothing() throws Exception {
        UserFile.in(home).add("ann", "before", List.of("ann@here.example"));
        mta.start(SUBMISSION, STRANGERS);
        Files.writeString(home.resolve("users"), "ann\n");
        assertThat(mta.reload(SUBMISSION, STRANGERS, "limits.hops = 40").problems()).singleElement().asString()
                .startsWith("users:1: ");
        assertThat(mta.server().submission()).isPresent();
        try (SmtpTalker session = submitter()) {
            session.must(235, login("ann", "before"));
        }
    }

    // ---- certificates

    private void pair(String name) throws Exception {
        TlsSettings none = new TlsSettings(Optional.empty(), Optional.empty(), List.of(), List.of());
        TlsContexts.open(none, home.resolve(name), name);
    }

    private Path file(String name, String ending) {
        return home.resolve(name).resolve("tls/self-signed." + ending);
    }

    private static String[] certificate(String name) {
        return new String[]{"tls.certificate = \"" + name + "/tls/self-signed.crt\"",
                "tls.key = \"" + name + "/tls/self-signed.key\""};
    }

    private static String subject(X509Certificate shown) {
        return shown.getSubjectX500Principal().getName();
    }

    private String shown() {
        try (SmtpTalker client = mta.client()) {
            return subject(client.startTls());
        }
    }

    @Test
    void theNextConnectionGetsTheNewCertificateAndTheFormerOneGoesOn() throws Exception {
        pair("one.example");
        pair("two.example");
        pair("three.example");
        mta.start(certificate("one.example"));
        try (SmtpTalker before = mta.client()) {
            assertThat(subject(before.startTls())).isEqualTo("CN=one.example");
            assertThat(mta.changed(certificate("two.example"))).containsExactlyInAnyOrder("tls.certificate",
                    "tls.key");
            assertThat(shown()).isEqualTo("CN=two.example");
            // A renewal writes other files of the same names.
            for (String ending : List.of("crt", "key")) {
                Files.copy(file("three.example", ending), file("two.example", ending),
                        StandardCopyOption.REPLACE_EXISTING);
            }
            mta.changed(certificate("two.example"));
            assertThat(shown()).isEqualTo("CN=three.example");
            before.must(250, "EHLO client.example");
            assertThat(before.send(FROM_ANN).code()).isEqualTo(250);
        }
    }

    @Test
    void aCertificateWithoutItsKeyChangesNothing() throws Exception {
        pair("one.example");
        pair("two.example");
        mta.start(certificate("one.example"));
        Files.copy(file("two.example", "key"), file("one.example", "key"), StandardCopyOption.REPLACE_EXISTING);
        assertThat(mta.reload(certificate("one.example")).problems()).singleElement().asString()
                .startsWith("mta.toml:").contains("tls.").contains("self-signed.key");
        assertThat(shown()).isEqualTo("CN=one.example");
    }

    // ---- texts of reports

    private void template(String subject) throws IOException {
        Files.writeString(Files.createDirectories(home.resolve("templates")).resolve("failed.txt"),
                subject + "\n\n${recipients}\n");
    }

    private String reports() {
        return new Maildirs(home.resolve("mail")).newMail("a@here.example").stream()
                .map(each -> new String(each, StandardCharsets.UTF_8)).collect(Collectors.joining());
    }

    @Test
    void aReportHasTheTextThatWasReadLast() throws Exception {
        try (SmtpSink refuses = SmtpSink.start(SinkScript.smtp().on(SinkPhase.RCPT, SinkAction.reply("550 no")))) {
            String[] settings = {"routes.\"far.example\" = \"smtp:127.0.0.1:" + refuses.port() + "\"",
                    "local.mailboxes = [\"a\"]", "queue.report-interval = \"0s\""};
            template("Subject: first text");
            mta.start(settings);
            template("Subject: half a text ${");
            mta.send("x@far.example");
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> reports().contains("first text"));
            assertThat(mta.reload(settings).problems()).first().asString().startsWith("templates/failed.txt:1: ");
            template("Subject: second text");
            mta.changed(settings);
            mta.send("y@far.example");
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> reports().contains("second text"));
        }
    }

    // ---- Dovecot

    private static String says(String line, String user) {
        return line.startsWith("AUTH") ? "OK\t" + line.split("\t")[1] + "\tuser=" + user : "";
    }

    private static String setting(StubDovecot socket) {
        return socket.endpoint().replaceFirst("unix:", "dovecot:");
    }

    @Test
    void loginsAreDecidedByDovecotAfterAReloadAndByTheFileAgain() throws Exception {
        UserFile.in(home).add("ann", "before", List.of("ann@here.example"));
        mta.start(SUBMISSION, STRANGERS);
        try (StubDovecot one = StubDovecot.start(home.resolve("one"), StubDovecot.GREETING,
                line -> says(line, "ann@here.example"));
                StubDovecot two = StubDovecot.start(home.resolve("two"), StubDovecot.GREETING,
                        line -> says(line, "bob@here.example"));
                SmtpTalker ofTheFile = submitter()) {
            ofTheFile.must(235, login("ann", "before"));
            assertThat(mta.changed(SUBMISSION, STRANGERS, "submission.auth = \"" + setting(one) + "\""))
                    .containsExactly("submission.auth");
            try (SmtpTalker ofOne = submitter()) {
                mta.changed(SUBMISSION, STRANGERS, "submission.auth = \"" + setting(two) + "\"");
                ofOne.must(235, login("ann", "Dovecot knows"));
                assertThat(ofOne.send(FROM_ANN).code()).isEqualTo(250);
            }
            try (SmtpTalker ofTwo = submitter()) {
                ofTwo.must(235, login("bob", "Dovecot knows"));
                assertThat(ofTwo.send(FROM_ANN).code()).as("of ann, by bob").isEqualTo(553);
            }
            mta.changed(SUBMISSION, STRANGERS);
            try (SmtpTalker again = submitter()) {
                again.must(535, login("bob", "Dovecot knows"));
                again.must(235, login("ann", "before"));
            }
            assertThat(ofTheFile.send(FROM_ANN).code()).isEqualTo(250);
        }
    }

    @Test
    void mailboxesAreThoseOfDovecotAfterAReload() throws Exception {
        mta.start("local.mailboxes = [\"*\"]");
        try (StubDovecot knows = StubDovecot.start(home.resolve("userdb"), StubDovecot.MASTER,
                line -> line.startsWith("USER")
                        ? (line.contains("ann@") ? "USER\t" : "NOTFOUND\t") + line.split("\t")[1]
                        : "")) {
            assertThat(mta.send("bob@here.example")).startsWith("250");
            String lookup = "local.mailbox-lookup = \"" + setting(knows) + "\"";
            assertThat(mta.changed("local.mailboxes = [\"*\"]", lookup)).containsExactly("local.mailbox-lookup");
            assertThat(mta.send("ann@here.example")).startsWith("250");
            assertThat(mta.send("bob@here.example")).startsWith("550");
            assertThat(knows.connections()).isPositive();
        }
    }
}
