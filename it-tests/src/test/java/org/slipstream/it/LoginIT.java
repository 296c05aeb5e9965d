package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.MailAssert;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Users log in with common programs, and all other logins are refused.
@RequiresPrograms({"python3", "swaks", "curl", "msmtp", "mutt", "openssl"})
class LoginIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final String ALICE = "alice@here.example";
    private static final String PASSWORD = "open sesame";
    private static final Settings EVERYBODY_LOGS_IN = Settings.quick().set("listen.submissions", "127.0.0.1:0")
            .set("submission.networks-without-login", "false");
    private static PackagedServer server;

    /// The programs, with their options for the mechanism and for TLS.
    enum MailProgram {
        PYTHON_PLAIN, PYTHON_LOGIN, PYTHON_SCRAM_SHA_256, PYTHON_IMPLICIT, SWAKS_PLAIN, SWAKS_LOGIN, SWAKS_IMPLICIT, CURL_STARTTLS, CURL_IMPLICIT, MSMTP_PLAIN, MSMTP_SCRAM_SHA_256, MSMTP_IMPLICIT;

        private boolean implicit() {
            return name().endsWith("_IMPLICIT");
        }

        private String mechanism(String otherwise) {
            var rest = name().substring(name().indexOf('_') + 1);
            return rest.equals("IMPLICIT") || rest.equals("STARTTLS") ? otherwise : rest.replace('_', '-');
        }

        List<String> command(PackagedServer server, Path file, String password) {
            int port = (implicit() ? server.port("submissions") : server.submission()).getPort();
            return switch (name().substring(0, name().indexOf('_'))) {
                case "PYTHON" -> python(port, file, password);
                case "SWAKS" -> swaks(port, file, password);
                case "CURL" -> curl(port, file, password);
                default -> msmtp(port, file, password);
            };
        }

        /// smtplib implements PLAIN and LOGIN, and accepts other mechanisms as a function from
        /// challenge to response.
        private List<String> python(int port, Path file, String password) {
            var script = """
                    import base64, hashlib, hmac, os, smtplib, ssl, sys
                    port, implicit, mechanism, password, file, sender, recipient = sys.argv[1:]
                    context = ssl.create_default_context()
                    context.check_hostname = False
                    context.verify_mode = ssl.CERT_NONE
                    if implicit == "true":
                        smtp = smtplib.SMTP_SSL("127.0.0.1", int(port), context=context)
                    else:
                        smtp = smtplib.SMTP("127.0.0.1", int(port))
                        smtp.starttls(context=context)
                    smtp.ehlo()

                    class Scram:
                        def __init__(self):
                            self.first = "n=alice,r=" + base64.b64encode(os.urandom(18)).decode()
                        def __call__(self, challenge=None):
                            if not challenge:
                                return "n,," + self.first
                            if challenge.startswith("v="):
                                assert challenge[2:] == self.expected, "this is not our server"
                                return ""
                            said = dict(part.split("=", 1) for part in challenge.split(","))
                            final = "c=biws,r=" + said["r"]
                            message = ",".join([self.first, challenge, final]).encode()
                            salted = hashlib.pbkdf2_hmac("sha256", password.encode(),
                                                         base64.b64decode(said["s"]), int(said["i"]))
                            mac = lambda key, text: hmac.new(key, text, "sha256").digest()
                            client = mac(salted, b"Client Key")
                            signature = mac(hashlib.sha256(client).digest(), message)
                            proof = bytes(a ^ b for a, b in zip(client, signature))
                            self.expected = base64.b64encode(mac(mac(salted, b"Server Key"), message)).decode()
                            return final + ",p=" + base64.b64encode(proof).decode()

                    smtp.user, smtp.password = "alice", password
                    if mechanism == "SCRAM-SHA-256":
                        scram = Scram()
                        code, answer = smtp.docmd("AUTH", mechanism + " " + base64.b64encode(scram().encode()).decode())
                        while code == 334:
                            response = scram(base64.b64decode(answer).decode())
                            code, answer = smtp.docmd(base64.b64encode(response.encode()).decode())
                        assert code == 235, answer
                    elif mechanism == "LOGIN":
                        smtp.auth(mechanism, smtp.auth_login)
                    else:
                        smtp.auth(mechanism, smtp.auth_plain)
                    assert not smtp.sendmail(sender, [recipient], open(file, "rb").read())
                    smtp.quit()
                    """;
            return List.of("python3", "-c", script, String.valueOf(port), String.valueOf(implicit()),
                    mechanism("PLAIN"), password, file.toString(), ALICE, "bob@here.example");
        }

        private List<String> swaks(int port, Path file, String password) {
            return List.of("swaks", "--server", "127.0.0.1:" + port, implicit() ? "--tls-on-connect" : "--tls",
                    "--auth",
                    mechanism("PLAIN"), "--auth-user", "alice", "--auth-password", password, "--from", ALICE, "--to",
                    "bob@here.example", "--data", "@" + file, "--suppress-data");
        }

        private List<String> curl(int port, Path file, String password) {
            var command = new ArrayList<>(List.of("curl", "--silent", "--show-error", "--insecure", "--user",
                    "alice:" + password, "--mail-from", ALICE, "--mail-rcpt", "bob@here.example", "--upload-file",
                    file.toString(), (implicit() ? "smtps" : "smtp") + "://127.0.0.1:" + port));
            if (!implicit()) {
                command.add("--ssl-reqd");
            }
            return command;
        }

        private List<String> msmtp(int port, Path file, String password) {
            var line = "msmtp --host=127.0.0.1 --port=" + port + " --tls=on --tls-starttls="
                    + (implicit() ? "off" : "on") + " --tls-certcheck=off --auth="
                    + mechanism("PLAIN").toLowerCase(Locale.ROOT) + " --user=alice --passwordeval='echo \"" + password
                    + "\"' --from=" + ALICE + " bob@here.example < '" + file + "'";
            return List.of("sh", "-c", line);
        }

        /// Removes the changes that each program makes at the end of a file.
        byte[] fileContent(OutgoingMessage outgoing) {
            var content = outgoing.content();
            return name().startsWith("SWAKS") ? Arrays.copyOf(content, content.length - 2) : content;
        }
    }

    @BeforeAll
    static void start() {
        var home = BENCH.home();
        server = BENCH.server(home, EVERYBODY_LOGS_IN);
        user(server, PASSWORD, "add", "alice", "--address", ALICE);
    }

    private static void user(PackagedServer server, String password, String... arguments) {
        var all = new ArrayList<>(List.of("user"));
        all.addAll(List.of(arguments));
        Program.runWithInput((password + "\n").getBytes(StandardCharsets.UTF_8), server.home(),
                all.toArray(String[]::new)).mustSucceed();
    }

    private static String plain(String user, String password) {
        return "AUTH PLAIN " + Base64.getEncoder()
                .encodeToString(("\0" + user + "\0" + password).getBytes(StandardCharsets.UTF_8));
    }

    private static SmtpTalker secure(PackagedServer server) {
        var talk = SmtpTalker.introducedTo(server.submission());
        talk.startTls();
        talk.must(250, "EHLO client.example");
        return talk;
    }

    @ParameterizedTest
    @EnumSource
    void aUserLogsInAndSends(MailProgram program) throws IOException {
        var name = program.name().toLowerCase(Locale.ROOT);
        var outgoing = OutgoingMessage.of(name + "@here.example", ALICE, List.of("bob@here.example"),
                Bytes.ascii("It is me.\r\n"));
        var file = Files.write(BENCH.folder().resolve("message.eml"), program.fileContent(outgoing));

        ProgramRun.of(new byte[0], program.command(server, file, PASSWORD)).mustSucceed();

        eventually().untilAsserted(() -> assertThat(server.mail().newMail("bob@here.example"))
                .map(mail -> new String(mail, StandardCharsets.UTF_8)).filteredOn(mail -> mail.contains(outgoing.id()))
                .singleElement().asString().as("the trace names the login (RFC 3848)")
                .contains("with ESMTPSA"));
    }

    /// mutt takes the announced mechanism that it likes best, and tries no other one.
    @Test
    void muttLogsInAndSends() throws IOException {
        secure(server).close();
        var settings = Files.writeString(BENCH.folder().resolve("muttrc"), """
                set smtp_url="smtp://alice@127.0.0.1:%d/" smtp_pass="%s" from="%s" copy=no
                set ssl_starttls=yes ssl_force_tls=yes ssl_verify_host=no certificate_file="%s"
                """.formatted(server.submission().getPort(), PASSWORD, ALICE,
                server.home().resolve("tls/self-signed.crt")));
        ProgramRun.of(Bytes.ascii("Sent by mutt.\n"), List.of("mutt", "-F", settings.toString(), "-s", "mutt", "--",
                "bob@here.example")).mustSucceed();
        eventually().untilAsserted(() -> assertThat(server.mail().newMail("bob@here.example"))
                .map(mail -> new String(mail, StandardCharsets.UTF_8))
                .filteredOn(mail -> mail.contains("Sent by mutt."))
                .singleElement().asString().contains("with ESMTPSA"));
    }

    @Test
    void aClientWithoutALoginCannotSend() {
        try (var talk = SmtpTalker.introducedTo(server.submission())) {
            assertThat(talk.say("MAIL FROM:<" + ALICE + ">").toString()).startsWith("530 5.7.0");
            assertThat(talk.must(250, "EHLO client.example").lines()).as("no password in the clear")
                    .noneMatch(line -> line.startsWith("AUTH"));
            assertThat(talk.say(plain("alice", PASSWORD)).code()).isEqualTo(530);
        }
        try (var talk = secure(server)) {
            assertThat(talk.say("MAIL FROM:<" + ALICE + ">").toString()).startsWith("530 5.7.0");
        }
    }

    @Test
    void aUserWritesInHisOwnNameOnly() {
        try (var talk = secure(server)) {
            talk.must(235, plain("alice", PASSWORD));
            assertThat(talk.say("MAIL FROM:<bob@here.example>").toString()).startsWith("553 5.7.1");
            talk.must(250, "MAIL FROM:<alice+shop@here.example>");
        }
    }

    @Test
    void usersComeAndGoWhileTheServerRuns() {
        user(server, "first", "add", "carl", "--address", "carl@here.example");
        try (var talk = secure(server)) {
            talk.must(235, plain("carl", "first"));
        }
        user(server, "second", "passwd", "carl");
        try (var talk = secure(server)) {
            talk.must(535, plain("carl", "first"));
            talk.must(235, plain("carl", "second"));
        }
        assertThat(server.command("user", "list").mustSucceed().out()).contains("carl@here.example");
        server.command("user", "remove", "carl").mustSucceed();
        try (var talk = secure(server)) {
            talk.must(535, plain("carl", "second"));
        }
    }

    @Test
    void aGuesserWaitsLongerEachTimeAndIsThenBannedOnEachPort() throws IOException {
        var server = BENCH.server(EVERYBODY_LOGS_IN.set("submission.failed-login-delay", "10ms")
                .set("submission.failed-logins", "3"));
        user(server, PASSWORD, "add", "alice", "--address", ALICE);
        var file = Files.writeString(BENCH.folder().resolve("message.eml"), "Subject: no\r\n\r\nno\r\n");
        var guess = ProgramRun.of(new byte[0], MailProgram.SWAKS_PLAIN.command(server, file, "wrong"));
        assertThat(guess.exit()).isNotZero();
        assertThat(guess.out() + guess.err()).contains("535 5.7.8");
        try (var talk = secure(server)) {
            talk.must(535, plain("alice", "wrong"));
            talk.must(535, plain("nobody", "wrong"));
            assertThat(talk.say(plain("alice", PASSWORD)).toString()).as("right, but too late").startsWith("421 4.7.0");
        }
        var elsewhere = ProgramRun.of(new byte[0], MailProgram.CURL_IMPLICIT.command(server, file, PASSWORD));
        assertThat(elsewhere.exit()).isNotZero();
        assertThat(server.log()).contains("millis=10 ", "millis=20 ", "millis=40 ", "banned after failed logins")
                .doesNotContain(PASSWORD);
    }

    @Test
    void listedNetworksNeedNoLoginButStrangersDo() {
        var far = BENCH.smtpSink();
        var server = BENCH.server(Settings.quick().route("far.example", far).set("relay.networks", "192.0.2.0/24"));
        user(server, PASSWORD, "add", "alice", "--address", ALICE);
        var outgoing = OutgoingMessage.of("out@here.example", ALICE, "friend@far.example");
        try (var talk = SmtpTalker.introducedTo(server.submission())) {
            assertThat(talk.send(outgoing).toString()).startsWith("530 5.7.0").contains("STARTTLS");
        }
        try (var talk = secure(server)) {
            assertThat(talk.send(outgoing).toString()).startsWith("530 5.7.0");
            talk.must(235, plain("alice", PASSWORD));
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
        MailAssert.arrives(outgoing, far);
    }

    @Test
    void mistakesInTheFileAreToldWithTheirLine() throws IOException {
        var home = BENCH.home();
        var users = Files.writeString(home.resolve("users"), "# ours\nalice secret\n");
        Files.setPosixFilePermissions(users, PosixFilePermissions.fromString("rw-------"));
        var check = Program.run(home, "check");
        assertThat(check.exit()).isEqualTo(78);
        assertThat(check.err().strip()).startsWith("users:2: ").doesNotContain("secret");
        Files.setPosixFilePermissions(users, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(Program.run(home, "check").err().strip()).contains("chmod 600").doesNotContain("\n");
        assertThat(Program.run(home, "run", "--set", "listen.smtp=127.0.0.1:0").exit()).isEqualTo(5);
    }

    @Test
    void clientsGetTheCertificateOfTheNameTheyAskForAndRenewedOnesAtOnce() throws IOException {
        var home = BENCH.home();
        for (var name : List.of("first", "second", "renewed")) {
            ProgramRun.of("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                    "/CN=" + name + ".example", "-addext", "subjectAltName=DNS:" + name + ".example", "-keyout",
                    home.resolve(name + ".key").toString(), "-out", home.resolve(name + ".crt").toString())
                    .mustSucceed();
        }
        var server = BENCH.server(home, EVERYBODY_LOGS_IN.set("tls.certificate", "first.crt")
                .set("tls.key", "first.key").set("tls.further", "second.crt second.key"));
        assertThat(subject(server, "second.example")).contains("CN = second.example");
        assertThat(subject(server, "other.example")).contains("CN = first.example");
        for (var suffix : List.of("crt", "key")) {
            Files.move(home.resolve("renewed." + suffix), home.resolve("first." + suffix),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        eventually().until(() -> subject(server, "first.example").contains("CN = renewed.example"));
        assertThat(openssl(server, "-tls1_1", "-cipher", "ALL:@SECLEVEL=0").exit()).as("too old").isNotZero();
        assertThat(openssl(server, "-tls1_2").out()).contains("New, TLSv1.2,");
    }

    private static String subject(PackagedServer server, String name) {
        return openssl(server, "-servername", name).out().lines().filter(line -> line.startsWith("subject="))
                .findFirst().orElse("");
    }

    private static ProgramRun openssl(PackagedServer server, String... more) {
        var command = new ArrayList<>(List.of("openssl", "s_client", "-connect",
                "127.0.0.1:" + server.port("submissions").getPort()));
        command.addAll(List.of(more));
        return ProgramRun.of(Bytes.ascii("QUIT\r\n"), command);
    }
}
