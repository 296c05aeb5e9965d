package org.slipstream.guard.login;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.smtpin.auth.LoginClient;
import org.slipstream.smtpin.auth.Mechanism;
import org.slipstream.testkit.StubDovecot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class DovecotLoginsTest {
    private static final LoginClient CLIENT = new LoginClient(42, "192.0.2.7",
            Optional.of("192.0.2.25"), true, Map.of());
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private StubDovecot stub(Function<String, String> script) {
        return StubDovecot.start(folder.resolve("auth-client"), StubDovecot.GREETING, script);
    }

    /// Each `AUTH` is accepted for the user `alice@example.org`.
    private static String accepts(String line) {
        return line.startsWith("AUTH") ? "OK\t" + line.split("\t")[1] + "\tuser=alice@example.org" : "";
    }

    private static Mechanism.Turn login(DovecotLogins logins) throws IOException {
        return logins.begin("PLAIN", CLIENT).orElseThrow().respond(bytes("\0Alice@Example.org\0secret"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aRequestNamesTheClientAndTheUserIsSpelledByDovecot() throws IOException {
        try (var dovecot = stub(DovecotLoginsTest::accepts); var logins = new DovecotLogins(dovecot.endpoint())) {
            assertThat(login(logins)).isEqualTo(new Mechanism.Turn.Proven("alice@example.org"));
            assertThat(login(logins)).isEqualTo(new Mechanism.Turn.Proven("alice@example.org"));
            assertThat(dovecot.connections()).as("one connection for all logins").isEqualTo(1);
            assertThat(dovecot.lines).element(0).isEqualTo("VERSION\t1\t2");
            assertThat(dovecot.lines).element(1).asString().matches("CPID\t[0-9]+");
            assertThat(dovecot.lines).element(2).isEqualTo("AUTH\t1\tPLAIN\tservice=smtp\tnologin\tno-penalty"
                    + "\trip=192.0.2.7\tsession=42\tlip=192.0.2.25\tsecured=tls\tresp="
                    + Base64.getEncoder().encodeToString(bytes("\0Alice@Example.org\0secret")));
            assertThat(dovecot.lines).element(3).asString().startsWith("AUTH\t2\t");
        }
    }

    @Test
    void theOfferOfDovecotIsAnnouncedStrongestFirst() throws IOException {
        try (var dovecot = stub(DovecotLoginsTest::accepts); var logins = new DovecotLogins(dovecot.endpoint())) {
            var names = List.of("SCRAM-SHA-256", "SCRAM-SHA-1", "OAUTHBEARER", "PLAIN", "LOGIN");
            await().atMost(PATIENCE).until(() -> logins.names(true).equals(names));
            assertThat(DovecotLogins.probe(dovecot.endpoint())).isEqualTo(names);
            assertThat(logins.begin("EXTERNAL", CLIENT)).isEmpty();
            assertThat(logins.begin("CRAM-MD5", CLIENT)).as("Dovecot would end the connection").isEmpty();
        }
    }

    @Test
    void challengesAndResponsesPass() throws IOException {
        try (var dovecot = stub(line -> switch (line.split("\t")[0]) {
            case "AUTH" -> "CONT\t1\t" + Base64.getEncoder().encodeToString(bytes("Username:"));
            case "CONT" -> line.endsWith("YWxpY2U=")
                    ? "CONT\t1\t" + Base64.getEncoder().encodeToString(bytes("Password:"))
                    : "FAIL\t1\tuser=alice\treason=a \"quoted\" word";
            default -> "";
        }); var logins = new DovecotLogins(dovecot.endpoint())) {
            var mechanism = logins.begin("LOGIN", CLIENT).orElseThrow();
            assertThat(mechanism.opening()).asString().isEqualTo("Username:");
            assertThat(((Mechanism.Turn.Challenge) mechanism.respond(bytes("alice"))).bytes()).asString()
                    .isEqualTo("Password:");
            assertThat(mechanism.respond(bytes("wrong")))
                    .isEqualTo(new Mechanism.Turn.Failed("alice", "a 'quoted' word"));
            assertThat(dovecot.lines.get(2)).as("no initial response").doesNotContain("resp=");
            mechanism.cancel();
            var abandoned = logins.begin("LOGIN", CLIENT).orElseThrow();
            dovecot.answers(line -> "CONT\t2\t");
            abandoned.opening();
            abandoned.cancel();
            await().atMost(PATIENCE).until(() -> dovecot.lines.getLast().equals("CANCEL\t2"));
        }
    }

    /// A name cannot forge a parameter or a line.
    @Test
    void wordsAreEscaped() {
        var line = AuthLine.of("USER", "1", "a\tnologin\n\r\0\u0001b");
        assertThat(line.text()).isEqualTo("USER\t1\ta\u0001tnologin\u0001n\u0001r\u00010\u00011b");
        assertThat(AuthLine.parse(line.text())).isEqualTo(line);
        assertThat(AuthLine.parse("OK\t1\tuser=a\u0001tb\u0001").value("user")).contains("a\tb\u0001");
    }

    @Test
    void temporaryFailuresAreNeverAWrongPassword() throws IOException {
        for (var reply : List.of("FAIL\t1\tuser=alice\ttemp", "FAIL\t1\tuser=alice\tcode=temp_fail", "OK\t1",
                "CONT\t1\t!!", "NOTFOUND\t1", "close")) {
            try (var dovecot = stub(
                    line -> line.startsWith("AUTH") ? reply.replace("\t1", "\t" + line.split("\t")[1]) : "");
                    var logins = new DovecotLogins(dovecot.endpoint())) {
                assertThatThrownBy(() -> login(logins)).as(reply).isInstanceOf(IOException.class);
            }
        }
        try (var logins = new DovecotLogins("unix:" + folder.resolve("nothing"))) {
            assertThat(logins.names(true)).containsExactly("PLAIN", "LOGIN");
            assertThatThrownBy(() -> login(logins)).isInstanceOf(IOException.class)
                    .hasMessageContaining("nothing: No such file or directory");
        }
        try (var newer = StubDovecot.start(folder.resolve("newer"), "VERSION\t2\t0\nDONE\n", _ -> "");
                var logins = new DovecotLogins(newer.endpoint())) {
            assertThatThrownBy(() -> login(logins)).hasMessageContaining("version 2");
        }
    }

    @Test
    void anExpiredPasswordIsRefusedForGood() throws IOException {
        try (var dovecot = stub(line -> line.startsWith("AUTH") ? "FAIL\t1\tuser=alice\tpass_expired" : "");
                var logins = new DovecotLogins(dovecot.endpoint())) {
            assertThat(login(logins)).isEqualTo(new Mechanism.Turn.Failed("alice", "password has expired"));
        }
    }

    @Test
    void aRestartOfDovecotCostsAConnectionAndNoLogin() throws IOException {
        try (var dovecot = stub(DovecotLoginsTest::accepts); var logins = new DovecotLogins(dovecot.endpoint())) {
            login(logins);
            dovecot.dropClients();
            assertThat(login(logins)).isInstanceOf(Mechanism.Turn.Proven.class);
            dovecot.answers(line -> line.startsWith("AUTH\t2\t") ? "close" : accepts(line));
            assertThat(login(logins)).as("closed in the middle").isInstanceOf(Mechanism.Turn.Proven.class);
            assertThat(dovecot.connections()).isEqualTo(3);
        }
    }

    @Test
    void aRequestOnALostConnectionIsToldWhyItWasLost() throws IOException {
        try (var dovecot = stub(DovecotLoginsTest::accepts);
                var link = AuthLink.open(new AuthSocket(dovecot.endpoint()),
                        new AuthLink.AuthDialect(List.of(), "DONE"), PATIENCE)) {
            dovecot.dropClients();
            await().atMost(PATIENCE).until(() -> !link.isOpen());
            assertThatThrownBy(() -> link.ask(AuthLine.of("AUTH", "1"), PATIENCE)).hasMessage(
                    "Dovecot at " + dovecot.endpoint() + ": closed by Dovecot");
        }
    }

    /// A slow login does not hold up the others, and an interrupted one does not end their connection.
    @Test
    void manyLoginsShareTheConnection() throws Exception {
        var release = new CountDownLatch(1);
        try (var dovecot = stub(line -> line.startsWith("AUTH\t1\t") ? "" : accepts(line));
                var logins = new DovecotLogins(dovecot.endpoint());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var slow = Thread.ofVirtual().start(() -> {
                try {
                    login(logins);
                } catch (IOException interrupted) {
                    release.countDown();
                }
            });
            await().atMost(PATIENCE).until(() -> dovecot.lines.stream().anyMatch(line -> line.startsWith("AUTH\t1\t")));
            var all = IntStream.range(0, 100).mapToObj(_ -> threads.submit(() -> login(logins))).toList();
            slow.interrupt();
            for (var each : all) {
                assertThat(each.get()).isInstanceOf(Mechanism.Turn.Proven.class);
            }
            release.await();
            assertThat(login(logins)).isInstanceOf(Mechanism.Turn.Proven.class);
            assertThat(dovecot.connections()).isEqualTo(1);
        }
    }

    @Test
    void aLineWithoutEndIsRefused() {
        try (var dovecot = stub(line -> line.startsWith("AUTH") ? "x".repeat(AuthLink.MOST_LINE_CHARS + 1) : "");
                var logins = new DovecotLogins(dovecot.endpoint())) {
            assertThatThrownBy(() -> login(logins)).hasMessageContaining("longer than 65536 characters");
        }
    }

    @Test
    void aGreetingWithoutEndIsRefused() throws IOException {
        try (var dovecot = StubDovecot.start(folder.resolve("fits"), greeting(AuthLink.MOST_GREETING_LINES), _ -> "")) {
            assertThat(DovecotLogins.probe(dovecot.endpoint())).contains("PLAIN");
        }
        try (var dovecot = StubDovecot.start(folder.resolve("more"), greeting(AuthLink.MOST_GREETING_LINES + 1),
                _ -> "")) {
            assertThatThrownBy(() -> DovecotLogins.probe(dovecot.endpoint()))
                    .hasMessageContaining("more than 200 lines");
        }
    }

    private static String greeting(int lines) {
        return "VERSION\t1\t2\n" + "MECH\tPLAIN\n".repeat(lines - 2) + "DONE\n";
    }

    /// A process that accepts and does not greet: stopped, or out of memory.
    @Test
    void aDovecotThatDoesNotGreetCostsAllOneTimeLimit() throws Exception {
        var limit = Duration.ofMillis(500);
        try (var dovecot = StubDovecot.start(folder.resolve("mute"), "VERSION\t1\t2\n", _ -> "");
                var client = new AuthClient(new AuthSocket(dovecot.endpoint()),
                        () -> new AuthLink.AuthDialect(List.of(), "DONE"), limit);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = IntStream.range(0, 50).mapToObj(_ -> threads.submit(client::link)).toList();
            for (var each : all) {
                assertThatThrownBy(each::get).hasMessageContaining("no answer after");
            }
            assertThat(dovecot.connections()).as("attempts").isLessThan(10);
        }
    }
}
