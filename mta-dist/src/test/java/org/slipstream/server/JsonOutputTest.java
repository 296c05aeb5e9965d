package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.cli.frame.Exit;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.guard.login.UserFile;
import org.slipstream.settings.SettingsSource;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/// Every command with `--json`, against a whole server: each prints one JSON value with the fields
/// that `docs/operating.md` promises.
class JsonOutputTest {
    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
    private static final Path PAGE = Path.of("../docs/operating.md");
    private static final String BEGIN = "<!-- fields: written by JsonOutputTest -->\n";
    private static final String END = "<!-- end of fields -->\n";
    /// It writes a file, and text on standard output.
    private static final String TO_A_FILE = "lab run";
    private static final Set<String> WITHOUT_SERVER = Set.of("spool verify", "spool corrupt list", "lab replay");

    @TempDir
    Path home;
    private final Map<String, List<String>> arguments = new TreeMap<>();

    /// When it fails after a field was added: `mvn -pl mta-dist test -Dtest=JsonOutputTest
    /// -Dslipstream.golden=write`. A field that is missing is not an addition.
    @Test
    void everyCommandPrintsOneValueWithTheFieldsOfThePage() throws Exception {
        Map<String, String> fields = new TreeMap<>();
        List<String> commands = JsonOptionTest.withJson().filter(each -> !each.equals(TO_A_FILE))
                // A server that is alone refuses it. The answer is that of each order for a shard.
                .filter(each -> !each.equals("shard move")).toList();
        Files.writeString(home.resolve("mta.toml"), "hostname = \"mta.example\"\nlisten.smtp = \"127.0.0.1:0\"\n"
                + "listen.submission = \"off\"\nlisten.console = \"127.0.0.1:0\"\njournal.file = \"decisions.jsonl\"\n"
                // For the check of the database, which says that it does not answer.
                + "spool.database = \"jdbc:postgresql://127.0.0.1:1/none?user=none\"\n");
        try (SmtpSink later = SmtpSink.start(
                SinkScript.smtp().on(SinkPhase.RCPT, SinkAction.reply("450 4.2.1 later")))) {
            try (Server server = Server.start(
                    ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), List.of(
                            "events.keep=1d",
                            "routes.far.example=smtp:127.0.0.1:" + later.port()))).config())) {
                arguments(deferred(server));
                commands.stream().filter(each -> !WITHOUT_SERVER.contains(each))
                        .forEach(each -> fields.put(each, fields(each)));
            }
            commands.stream().filter(WITHOUT_SERVER::contains).forEach(each -> fields.put(each, fields(each)));
        }
        fields.put("shard move", fields.get("shard hold"));
        StringBuilder table = new StringBuilder("\n| Command | Fields |\n|---|---|\n");
        fields.forEach((command, names) -> table.append("| `" + command + "` | " + names + " |\n"));
        compare(table.append("\n").toString());
    }

    private void arguments(String id) throws Exception {
        for (String command : List.of("queue show", "queue cat", "explain", "trace")) {
            arguments.put(command, List.of(id));
        }
        arguments.put("address", List.of("postmaster@mta.example"));
        arguments.put("verify", List.of("user@far.example"));
        arguments.put("destdb show", List.of("127.0.0.1"));
        for (String order : List.of("drain", "enable", "hold", "disable")) {
            arguments.put("shard " + order, List.of("2"));
        }
        arguments.put("shard load", List.of("1", "5/20", "5/20"));
        arguments.put("top", List.of("--once"));
        arguments.put("lab shards", List.of("1", "--server", "10 connections, 20 ms"));
        arguments.put("lab what-if", List.of("--from-live"));
        arguments.put("lab replay", List.of(home.resolve("decisions.jsonl").toString()));
        arguments.put("lab replay-world", List.of(Files.writeString(home.resolve("world.txt"),
                "slipstream-world 1\nseed 1\nhistory\n0.000 server starts\n").toString()));
        arguments.put("shaping show", List.of("shipped"));
        arguments.put("shaping try",
                List.of("shipped", "--journal", home.resolve("decisions.jsonl").toString()));
        arguments.put("dkim new", List.of("example.org", "--selector", "new", "--algorithm", "ed25519"));
        arguments.put("dkim rotate", List.of("example.org", "--resolver", "127.0.0.1:1"));
        arguments.put("dkim retire", List.of("example.org", "new"));
        // It asks for a password of a user who is not there yet.
        UserFile.in(home.resolve("new")).add("alice", "open sesame", List.of("alice@example.test"));
        arguments.put("setup", List.of("example.test", "--home", home.resolve("new").toString(), "--address",
                "192.0.2.25", "--user", "alice", "--yes"));
        arguments.put("dmarc report",
                List.of(Files.writeString(home.resolve("report.xml"),
                        "<feedback><report_metadata><org_name>x</org_name></report_metadata><policy_published>"
                                + "<domain>here.example</domain></policy_published><record/></feedback>")
                        .toString()));
        arguments.put("tlsrpt report",
                List.of(Files.writeString(home.resolve("report.json"),
                        "{\"organization-name\":\"x\",\"policies\":[{\"policy\":{\"policy-type\":\"tlsa\"}}]}")
                        .toString()));
        arguments.put("import-postfix",
                List.of(Files.writeString(home.resolve("main.cf"), "myhostname = mx.example\n").toString()));
    }

    private String deferred(Server server) throws IOException {
        try (SmtpTalker talker = SmtpTalker.introducedTo(server.smtp().orElseThrow())) {
            String reply = talker.send(new OutgoingMessage("a@here.example", List.of("user@far.example"),
                    "Subject: x\r\n\r\nx\r\n".getBytes(StandardCharsets.US_ASCII))).toString();
            String id = reply.substring(reply.lastIndexOf(' ') + 1).strip();
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(
                    () -> new Shell(home).run("queue", "show", id).out().contains("450 4.2.1 later"));
            return id;
        }
    }

    private String fields(String command) {
        List<String> line = new ArrayList<>(List.of(command.split(" ")));
        line.addAll(arguments.getOrDefault(command, List.of()));
        line.add("--json");
        Shell.Ran ran = new Shell(home).run(line.toArray(String[]::new));
        assertThat(ran.exit()).as(line + ": " + ran.err()).isIn(Exit.DONE, Exit.NO);
        JsonNode value = STRICT.readTree(ran.out());
        assertThat(value.isObject()).as(line + ": " + ran.out()).isTrue();
        return value.propertyNames().stream().sorted().collect(Collectors.joining(", "));
    }

    private static void compare(String table) throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        assertThat(begin).isGreaterThan(BEGIN.length());
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(PAGE, page.substring(0, begin) + table + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).isEqualTo(table);
        }
    }
}
