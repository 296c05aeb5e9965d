package org.slipstream.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.cli.log.Journald;
import org.slipstream.cli.log.LogConfiguration;
import org.slipstream.core.Address;
import org.slipstream.core.LogShard;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/// A line of the log as text, as JSON, and as journald gets it.
class LogFormsTest {
    private static final Pattern ROW = Pattern.compile("\\| `event=([a-z-]+)` \\| [a-z, ]+ \\| ([^|]*)\\|.*");
    private static final List<String> OF_THE_LINE = List.of("time", "level", "thread", "logger", "exception",
            "message");

    private final LoggerContext context = new LoggerContext();

    @AfterEach
    void stop() {
        LogShard.several(false);
        context.stop();
    }

    private LoggingEvent event(Level level, String message, @Nullable Throwable trouble, Object... values) {
        Logger logger = context.getLogger("org.slipstream.x.Carrier");
        LoggingEvent event = new LoggingEvent("", logger, level, message, trouble, values);
        event.setThreadName("session-9");
        return event;
    }

    private String line(boolean json, boolean prefixed, LoggingEvent event) {
        return new String(LogConfiguration.encoder(context, json, prefixed).encode(event), StandardCharsets.UTF_8);
    }

    private Map<String, String> json(LoggingEvent event) {
        String line = line(true, false, event);
        assertThat(line).endsWith("}\n").containsOnlyOnce("\n");
        Map<String, String> fields = new LinkedHashMap<>();
        try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), line)) {
            assertThat(parser.nextToken()).isEqualTo(JsonToken.START_OBJECT);
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                assertThat(parser.nextToken()).isEqualTo(JsonToken.VALUE_STRING);
                assertThat(fields.put(name, parser.getString())).as("twice: " + name).isNull();
            }
            assertThat(parser.currentToken()).isEqualTo(JsonToken.END_OBJECT);
            assertThat(parser.nextToken()).as("text after the object").isNull();
        }
        return fields;
    }

    // ---- JSON

    @Test
    void theFieldsAreTheKeysOfTheTextInItsOrder() {
        LoggingEvent event = event(Level.WARN,
                "event=delivery queue={} recipient={} reply=\"{}\" sender={} millis={} note=\"\" from=<>", null,
                "1mcc5rm0001", LogText.path(Address.of("b@far.example")), LogText.text("250 2.0.0 ok, reply=no x=y"),
                LogText.path(new Address("a> reply=250 <b", "x.example")), 17);
        assertThat(json(event)).containsExactly(entry("time", event.getInstant().toString()), entry("level", "WARN"),
                entry("event", "delivery"), entry("queue", "1mcc5rm0001"), entry("recipient", "<b@far.example>"),
                entry("reply", "250 2.0.0 ok, reply=no x=y"),
                entry("sender", "<a\\u003e\\u0020reply=250\\u0020\\u003cb@x.example>"), entry("millis", "17"),
                entry("note", ""), entry("from", "<>"), entry("thread", "session-9"),
                entry("logger", "org.slipstream.x.Carrier"));
        assertThat(line(false, false, event)).contains(" WARN  event=delivery queue=1mcc5rm0001 ")
                .endsWith(" from=<> thread=session-9 logger=Carrier\n");
    }

    @Test
    void whateverAPeerOrALibraryWritesTheLineIsJson() {
        List<String> texts = List.of("", "\"", "\\", "\\\"", "a\"b=c\" d=e", "\r\n\t\u0000\u001b[2J", "\u2028\u202e",
                "ü € 😀", "\ud83d", "\udc00x", "{\"a\":1}", "x".repeat(3_000), "=", "a=", "=b", "</script>");
        for (String text : texts) {
            Map<String, String> ours = json(event(Level.INFO, "event=refused reason=\"{}\" next=\"later\"", null,
                    LogText.text(text)));
            assertThat(ours).as(text).containsEntry("reason", LogText.text(text)).containsEntry("next", "later")
                    .hasSize(7);
            // Text without escapes breaks no line either.
            json(event(Level.INFO, "event=refused reason=\"{}\" next=\"later\"", null, text));
            assertThat(json(event(Level.WARN, "{}", null, text))).containsKeys("message", "thread").hasSize(5);
        }
        assertThat(json(event(Level.WARN, "HikariPool-1 - Connection is not available, request=30000ms", null)))
                .containsEntry("message", "HikariPool-1 - Connection is not available, request=30000ms")
                .doesNotContainKey("request");
    }

    @Test
    void anExceptionIsOneField() {
        IOException trouble = new IOException("no \"space\"\r\nleft", new IllegalStateException("\u0007"));
        Map<String, String> fields = json(event(Level.ERROR, "event=x", trouble));
        assertThat(fields).containsEntry("event", "x");
        assertThat(fields.get("exception")).startsWith("java.io.IOException: no \"space\"\r\nleft")
                .contains("\tat org.slipstream.cli.LogFormsTest")
                .contains("Caused by: java.lang.IllegalStateException: \u0007");
        String text = line(false, false, event(Level.ERROR, "event=x", trouble));
        assertThat(text.lines().count()).isGreaterThan(5);
    }

    @Test
    void aLineOfOneOfSeveralShardsHasItsNumberInEachForm() {
        LogShard.several(true);
        QueueId id = QueueId.after(0, 1_000_000_000_000L, 3);
        LoggingEvent ours = event(Level.INFO, "event=delivery queue=" + id, null);
        assertThat(json(ours)).containsEntry("shard", "3");
        LoggingEvent library = new LoggingEvent("", context.getLogger("com.example.Pool"), Level.WARN, "slow", null,
                null);
        library.setThreadName("qmgr-2");
        assertThat(json(library)).containsEntry("message", "slow").containsEntry("shard", "2");
        assertThat(line(false, false, library)).contains(" slow shard=2 thread=qmgr-2 ");
    }

    /// Such a key would be lost, or stand twice in the text.
    @Test
    void noEventHasAKeyOfTheLineItself() throws IOException {
        Path page = Path.of("..", "docs", "logging.md").toRealPath();
        List<String> rows = Files.readAllLines(page).stream().filter(row -> ROW.matcher(row).matches()).toList();
        assertThat(rows).hasSizeGreaterThan(80).allSatisfy(row -> {
            var parts = ROW.matcher(row);
            assertThat(parts.matches()).isTrue();
            OF_THE_LINE.forEach(key -> assertThat(parts.group(2)).doesNotContain("`" + key + "`"));
        });
    }

    // ---- journald

    @Test
    void eachLineBeginsWithThePriorityOfItsLevel() {
        Map<Level, String> priorities = Map.of(Level.ERROR, "<3>", Level.WARN, "<4>", Level.INFO, "<6>", Level.DEBUG,
                "<7>", Level.TRACE, "<7>");
        priorities.forEach((level, priority) -> {
            assertThat(line(false, true, event(level, "event=x", null))).startsWith(priority + "2")
                    .containsOnlyOnce("\n").endsWith("logger=Carrier\n");
            assertThat(line(true, true, event(level, "event=x", null))).startsWith(priority + "{\"time\":")
                    .endsWith("}\n");
        });
        assertThat(line(false, false, event(Level.WARN, "event=x", null))).doesNotContain("<4>");
    }

    /// journald makes an entry of each line, and `journalctl -p err` must show the whole trace.
    @Test
    void theLinesOfAStackTraceHaveThePriorityToo() {
        String text = line(false, true, event(Level.ERROR, "event=x", new IOException("first\nsecond")));
        assertThat(text.lines()).hasSizeGreaterThan(3).allMatch(line -> line.startsWith("<3>"));
        assertThat(text).contains("\n<3>java.io.IOException: first\n<3>second\n<3>\tat ").endsWith("\n");
        assertThat(line(true, true, event(Level.ERROR, "event=x", new IOException("first\nsecond"))).lines())
                .hasSize(1);
    }

    @Test
    void journaldReadsTheStreamThatItNamedAndNoOther(@TempDir Path folder) throws IOException {
        Path stream = Files.createFile(folder.resolve("stream"));
        Path other = Files.createFile(folder.resolve("other"));
        String named = Files.getAttribute(stream, "unix:dev") + ":" + Files.getAttribute(stream, "unix:ino");
        assertThat(Journald.names(named, stream)).isTrue();
        assertThat(Journald.names(named, Files.createSymbolicLink(folder.resolve("fd"), stream)))
                .as("as /proc/self/fd/2 is a link").isTrue();
        assertThat(Journald.names(named, other)).isFalse();
        for (String wrong : List.of("", ":", "8:", named + "0", "8:12345678901234567890123", "no stream")) {
            assertThat(Journald.names(wrong, stream)).as(wrong).isFalse();
        }
        assertThat(Journald.names(named, folder.resolve("closed"))).isFalse();
    }
}
