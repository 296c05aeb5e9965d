package org.slipstream.it;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Letter;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.RunningServer;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Sink;
import org.slipstream.it.fixture.SmtpTalk;
import org.slipstream.it.fixture.Workbench;

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

/// A spool that somebody or something has damaged, while a sound and a damaged message wait in it: the damaged one is
/// set aside and reported, the rest runs (limits.md, promise 4).
class SpoolDamageIT {
    private static final String MARK = "This is the text of the message to be damaged.";
    @RegisterExtension
    final Workbench bench = new Workbench();
    private Sink far;
    private RunningServer server;
    private String damagedId;

    @BeforeEach
    void twoMessagesWait() {
        far = bench.smtpSink();
        far.stop();
        server = bench.server(Settings.quick().route("far.example", far));
        send("damaged", MARK);
        send("sound", "This one stays as it is.");
        eventually().untilAsserted(() -> assertThat(server.queue().messages()).hasSize(2));
        damagedId = server.queue().messages().getFirst().path("id").asString();
        assertThat(server.stop()).isZero();
    }

    @Test
    void aMessageWithoutItsRecipientsIsSetAside() throws SQLException {
        inRegister("delete from recipient where message_id = (select min(id) from message)");
        theSoundOneFlowsAndTheOtherIsSetAside();
    }

    @Test
    void aRowThatMakesNoSenseIsSetAside() throws SQLException {
        inRegister("update recipient set domain = 'no domain at all', domain_key = 'no domain at all', state = 42"
                + " where message_id = (select min(id) from message)");
        theSoundOneFlowsAndTheOtherIsSetAside();
    }

    @Test
    void aLetterWhoseBytesWereChangedIsNeverSent() throws IOException {
        var file = fileWith(MARK);
        var content = Files.readAllBytes(file);
        int at = new String(content, StandardCharsets.ISO_8859_1).indexOf(MARK);
        content[at] ^= 1;
        Files.write(file, content);
        theSoundOneFlowsAndTheOtherIsSetAside();
    }

    @Test
    void aSpoolOfANewerVersionIsRefusedAndNotTouched() throws IOException {
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

    private void theSoundOneFlowsAndTheOtherIsSetAside() {
        far.startAgain();
        server.startAgain();
        eventually().untilAsserted(
                () -> assertThat(far.deliveries()).extracting(Sink.Delivery::id)
                        .containsExactly("sound@client.example"));
        eventually().untilAsserted(
                () -> assertThat(server.queue().status().path("corrupt").asInt()).as("set aside").isEqualTo(1));
        assertThat(server.log().lines().filter(line -> line.contains(damagedId) && line.matches(".*(WARN|ERROR).*")))
                .as("it is reported with its id").isNotEmpty();
        send("new", "The server takes mail as ever.");
        eventually().untilAsserted(() -> assertThat(far.deliveries()).extracting(Sink.Delivery::id)
                .containsExactly("sound@client.example", "new@client.example"));
    }

    private void inRegister(String change) throws SQLException {
        var url = "jdbc:h2:file:" + server.home().resolve("spool/register")
                + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH;IFEXISTS=TRUE";
        try (var connection = DriverManager.getConnection(url, "sa", "");
                var statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(change)).isPositive();
            // The server has told this database to stay open when its last user leaves.
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

    /// Of every file of the spool; the lock is nobody's data.
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

    private void send(String name, String text) {
        try (var talk = SmtpTalk.greeted(server.smtp())) {
            assertThat(
                    talk.send(Letter.of(name + "@client.example", "alice@here.example", List.of("friend@far.example"),
                            Bytes.ascii(text + "\r\n"))).code())
                    .isEqualTo(250);
        }
    }
}
