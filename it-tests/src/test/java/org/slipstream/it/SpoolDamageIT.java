package org.slipstream.it;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// A damaged spool: the damaged message is set aside and reported, the rest runs (limits.md,
/// promise 4).
class SpoolDamageIT {
    @RegisterExtension
    final Workbench bench = new Workbench();
    private SmtpSink far;
    private PackagedServer server;

    @BeforeEach
    void start() {
        far = bench.smtpSink();
        far.stop();
        server = bench.server(Settings.quick().route("far.example", far));
    }

    @Test
    void damagedMessagesAreSetAsideAndTheRestRuns() throws SQLException, IOException {
        var withoutRecipients = waiting("without-recipients");
        var oddState = waiting("odd-state");
        var flippedBit = waiting("flipped-bit");
        waiting("sound");
        assertThat(server.stop()).isZero();
        inIndex("delete from recipient where message_id = " + number(withoutRecipients));
        inIndex("update recipient set state = 42 where message_id = " + number(oddState));
        flipOneBit("Text of flipped-bit.");

        far.startAgain();
        server.startAgain();

        eventually().untilAsserted(() -> assertThat(delivered()).containsExactly("sound"));
        eventually().untilAsserted(
                () -> assertThat(Queue.of(server).status().path("corrupt").asInt()).as("set aside").isEqualTo(3));
        for (var id : List.of(withoutRecipients, oddState, flippedBit)) {
            eventually().untilAsserted(() -> assertThat(
                    server.log().lines().filter(line -> line.contains("queue=" + id)))
                    .as("it is reported with its id").anyMatch(line -> line.matches(".* (WARN|ERROR) .*")));
        }
        send("new");
        eventually().untilAsserted(() -> assertThat(delivered()).containsExactly("sound", "new"));
        assertThat(server.mail().count("alice@here.example")).as("no bounce for our own trouble").isZero();
    }

    @Test
    void aSpoolOfANewerVersionIsRefusedAndNotTouched() throws IOException {
        waiting("kept");
        assertThat(server.stop()).isZero();
        var version = server.home().resolve("spool/version");
        Files.writeString(version, Files.readString(version).replaceAll("[0-9]+", "999"));
        var before = digests();

        var arguments = new ArrayList<>(List.of("run"));
        arguments.addAll(Settings.quick().route("far.example", far).arguments());
        var ran = Program.run(server.home(), arguments.toArray(String[]::new));

        assertThat(ran.exit()).as(ran.err()).isEqualTo(5);
        assertThat(ran.err()).contains("newer", "999").doesNotContain("\tat ");
        assertThat(digests()).isEqualTo(before);
    }

    /// Sends a message and gives its queue id when its first attempt has failed.
    private String waiting(String name) {
        send(name);
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages()).isNotEmpty()
                .allSatisfy(message -> assertThat(Queue.lastReply(message)).isNotBlank()));
        return Queue.of(server).messages().getLast().path("id").asString();
    }

    private void send(String name) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of(name, "alice@here.example", List.of("friend@far.example"),
                    Bytes.ascii("Text of " + name + ".\r\n"))).code()).isEqualTo(250);
        }
    }

    private List<String> delivered() {
        return far.messages().stream().map(ReceivedMessage::id).toList();
    }

    /// A queue id as the index has it: Crockford's 32 digits are the decimal digits and lower-case
    /// characters without i, l, o, u.
    private static long number(String id) {
        return id.chars().mapToLong("0123456789abcdefghjkmnpqrstvwxyz"::indexOf).reduce(0,
                (all, digit) -> all * 32 + digit);
    }

    private void flipOneBit(String text) throws IOException {
        var file = fileWith(text);
        var content = Files.readAllBytes(file);
        content[new String(content, StandardCharsets.ISO_8859_1).indexOf(text)] ^= 1;
        Files.write(file, content);
    }

    private void inIndex(String change) throws SQLException {
        var url = "jdbc:h2:file:" + server.home().resolve("spool/index")
                + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH;IFEXISTS=TRUE";
        try (var connection = DriverManager.getConnection(url, "sa", "");
                var statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(change)).isPositive();
            // The server has configured this database to stay open when its last user leaves.
            statement.execute("shutdown");
        }
    }

    private Path fileWith(String text) throws IOException {
        try (var files = Files.walk(server.home().resolve("spool"))) {
            return files.filter(Files::isRegularFile).filter(file -> contains(file, text)).findFirst().orElseThrow();
        }
    }

    private static boolean contains(Path file, String text) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The contents of every file of the spool, except the lock, which holds no data.
    private Map<String, String> digests() throws IOException {
        var digests = new TreeMap<String, String>();
        try (var files = Files.walk(server.home().resolve("spool"))) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                if (!file.endsWith("lock")) {
                    digests.put(file.getFileName().toString(), Bytes.digest(Files.readAllBytes(file)));
                }
            }
        }
        return digests;
    }
}
