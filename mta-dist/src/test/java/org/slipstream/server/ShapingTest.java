package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// Rules from replies in a whole server: from the refusal of a host to an order that a restart keeps.
class ShapingTest {
    private static final String FORM = """
            [[rules]]
            name = "slow-down"
            destination = "%s"
            code = "450"
            text = "slow down"
            count = 2
            within = "1m"
            suspend = "1h"
            """;

    @TempDir
    Path home;

    private final SmtpSink far = SmtpSink.start(SinkScript.smtp().on(SinkPhase.RCPT,
            SinkAction.reply("450 4.7.1 please slow down")));
    private final String hop = "[127.0.0.1]:" + far.port();
    private final String rule = FORM.formatted(hop);
    private SmallServer server;

    @BeforeEach
    void write() throws Exception {
        Files.writeString(home.resolve("my.toml"), rule);
    }

    private void start(String... more) throws Exception {
        List<String> settings = new ArrayList<>(List.of("queue.report-interval=0s",
                "routes.far.example=smtp:127.0.0.1:" + far.port()));
        settings.addAll(List.of(more));
        server = SmallServer.start(home, settings.toArray(String[]::new));
    }

    @AfterEach
    void stop() {
        server.close();
        far.close();
    }

    private void awaitAnswer(String resource, String text) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> server.ask("GET", resource).contains(text));
    }

    private static String encoded(String text) {
        return Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private String apply(String rules) throws Exception {
        return server.ask("POST", "shaping/apply?file=hand.toml&author=ann&rules=" + encoded(rules) + "&until="
                + Instant.now().plusSeconds(7_200));
    }

    @Test
    void twoRefusalsSuspendTheDestinationAndTheReplyIsTheReasonThatExplainTells() throws Exception {
        start("shaping.rules=my.toml");
        server.deferred("ann@far.example");
        assertThat(server.ask("GET", "suspensions")).as("one refusal").contains("\"suspensions\":[]");
        server.deferred("bob@far.example");
        awaitAnswer("suspensions", "\"author\":\"rule slow-down\"");

        String waits = server.deferred("carl@far.example");
        assertThat(server.ask("GET", "queue/" + waits)).contains(
                "destination " + hop + " is suspended by rule slow-down",
                "2 replies within 1m, the last: 450 4.7.1 please slow down");
        assertThat(server.ask("GET", "shaping")).contains("\"rule\":\"slow-down\"", "\"triggered\":1",
                "\"lastSubject\":\"destination " + hop + "\"", "\"lastReply\":\"450 4.7.1 please slow down\"");
        assertThat(server.ask("GET", "metrics")).contains("mta_shaping_triggers_total{rule=\"slow-down\"} 1");

        server.close();
        start("shaping.rules=my.toml");
        assertThat(server.ask("GET", "suspensions")).as("after a restart").contains("\"author\":\"rule slow-down\"");
    }

    @Test
    void appliedRulesOutliveARestartAndTheirOrdersEndWithThem() throws Exception {
        start();
        assertThat(server.ask("GET", "shaping")).contains("\"rules\":[]");
        assertThat(apply(rule.replace("count = 2", "count = 1"))).contains("\"rules\":1");
        server.deferred("ann@far.example");
        awaitAnswer("suspensions", "\"author\":\"rule slow-down\"");

        server.close();
        start();
        assertThat(server.ask("GET", "shaping")).contains("\"file\":\"hand.toml\"", "\"author\":\"ann\"",
                "\"rule\":\"slow-down\"");
        server.ask("POST", "shaping/end?author=ann");
        assertThat(server.ask("GET", "suspensions")).as("the orders end, too").contains("\"suspensions\":[]");
        assertThat(server.ask("GET", "shaping")).contains("\"rules\":[]", "\"applied\":null");
        assertThat(server.operator().ask("POST", "shaping/end").status()).as("nothing to take back").isEqualTo(404);

        server.close();
        start();
        assertThat(server.ask("GET", "shaping")).as("forgotten").contains("\"applied\":null");
    }

    @Test
    void theCommandsApplyShowTryAndEndRules() throws Exception {
        start("journal.file=decisions.jsonl");
        Files.writeString(home.resolve("my.toml"), rule.replace("count = 2", "count = 1"));
        Shell shell = new Shell(home);
        String mine = home.resolve("my.toml").toString();
        assertThat(shell.run("shaping", "list").out()).contains("no rules are in force");
        assertThat(shell.run("shaping", "apply", mine, "--for", "2h").out()).isEqualTo("1 rule in force\n");
        server.deferred("ann@far.example");
        awaitAnswer("suspensions", "\"author\":\"rule slow-down\"");
        assertThat(shell.run("shaping", "list").out()).contains("slow-down*", "destination " + hop,
                "450 4.7.1 please slow down", "* of " + mine + ", applied by ");
        assertThat(shell.run("shaping", "end").out()).isEqualTo("1 rule taken back\n");
        assertThat(shell.run("shaping", "end").err()).contains("no rules were applied");

        server.close();
        Shell.Ran tried = shell.run("shaping", "try", mine, "--journal", home.resolve("decisions.jsonl").toString(),
                "--page", home.resolve("page.html").toString());
        assertThat(tried.out()).as(tried.err()).contains("Assumptions:", "refusals of hosts", "slow-down",
                "both curves are in");
        assertThat(Files.readString(home.resolve("page.html"))).contains("450 4.7.1 please slow down");
        assertThat(shell.run("shaping", "show", "shipped").out()).contains("google-unusual-rate", "421 4.7.28");
        Files.writeString(home.resolve("bad.toml"), "[[rules]]\nname = \"a\"\n");
        assertThat(shell.run("shaping", "show", home.resolve("bad.toml").toString()).err())
                .contains("bad.toml:2: the rule has no code");
        start();
    }

    @Test
    void wrongRulesAndMissingEndsAreRefusedWithTheirPlace() throws Exception {
        start();
        assertThat(server.operator().ask("POST", "shaping/apply?file=a.toml&rules=" + encoded("[[rules]]\nname = \"a\"")
                + "&until=" + Instant.now().plusSeconds(60)).body()).contains("a.toml:2: the rule has no code");
        assertThat(server.operator().ask("POST", "shaping/apply?file=shipped").body())
                .contains("say when the rules end");
        assertThat(server.operator().ask("POST", "shaping/apply?file=none.toml&until="
                + Instant.now().plusSeconds(60)).body()).contains("there are no rules in none.toml");
    }

    @Test
    void aRuleNeverLoosensAnOrderOfAnOperatorOrASetting() throws Exception {
        start();
        server.ask("POST",
                "limits/limit?key=window:" + URLEncoder.encode(hop, StandardCharsets.UTF_8) + "&number=1&author=ann");
        apply(rule.replace("count = 2", "count = 1").replace("suspend = \"1h\"", "lanes = 3\nrate = \"100/1h\""));
        server.deferred("ann@far.example");
        awaitAnswer("limits", "\"limit\":\"rate:" + hop + "\"");
        assertThat(server.ask("GET", "limits")).contains("\"number\":\"1\"", "\"author\":\"ann\"")
                .doesNotContain("\"number\":\"3\"");
    }

    @Test
    void aRuleOfAProviderSuspendsAllItsDestinations() throws Exception {
        start("provider.big.addresses=127.0.0.1", "routes.near.example=smtp:127.0.0.1:" + far.port());
        apply(rule.replace("destination = \"" + hop + "\"", "provider = \"big\""));
        server.deferred("ann@far.example");
        server.deferred("bob@near.example");
        awaitAnswer("suspensions", "\"scope\":\"provider\"");
        assertThat(server.ask("GET", "suspensions")).contains("\"name\":\"big\"", "\"author\":\"rule slow-down\"");
    }

    @Test
    void aDamagedFileOfAppliedRulesStopsNoStart() throws Exception {
        Files.writeString(home.resolve("shaping-applied"), "# until never\n");
        start("shaping.shipped=true");
        assertThat(server.ask("GET", "shaping")).contains("\"applied\":null", "google-unusual-rate");
    }
}
