package org.slipstream.lab.scenario;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.lab.scenario.ScenarioReader.Reading;
import org.slipstream.picture.Template;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PageTest {
    private static String page(String name) {
        return Page.of(List.of(ScenarioRunner.run(BundledScenariosTest.file(name))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ten-two-two", "tree", "dead-destination", "limited-server", "rate-delay",
            "two-transports",
            "retry-times"})
    void aPageNeedsNoOtherFileAndHasNoScript(String name) {
        assertThat(page(name)).doesNotContain("http", "src=", "<script", "@import", "url(\"", "{{").contains("<svg",
                "aria-labelledby", "prefers-color-scheme: dark", "<caption>").isEqualTo(page(name));
    }

    @Test
    void theTablesRepeatThePictures() {
        assertThat(page("ten-two-two")).contains("<td class=\"text\">2×2 to smtp/b.example</td>",
                "2 preempts 1, level 1", "14 deliveries on at most 1 connections at a time within 14s",
                "1×4 2×2 1×4 3×2 1×2", "The run is as the file expects.");
        assertThat(page("dead-destination")).contains("dead, 0s to 300s", "After each report: 4 3 2 dead",
                "mailing to smtp/a.example: no session, or a session that broke");
    }

    @Test
    void connectionsAndHostsAreDrawn() {
        String page = page("mx-backup");

        assertThat(page).contains("<rect class=\"opening\"", "<rect class=\"busy\"", "<rect class=\"idle\"",
                "connection 1 to backup.a.example: busy", "connection 1 to mx.a.example: idle", "<rect class=\"retry\"",
                "<text class=\"halo\" x=\"70\" y=\"14.0\">mx.a.example</text>", "retry, 60.02s to 120.2s");
    }

    @Test
    void namesFromAFileAreEscaped() {
        Reading reading = ScenarioReader.read("x.toml", """
                title = "<b>&\\"'"
                story = "</p><script>alert(1)</script>"
                [[routes]]
                domain = "*"
                next-hop = "<i>.example"
                [[messages]]
                name = "<img/onerror=x>"
                to = { "a.example" = 2 }
                """);
        String page = Page.of(List.of(ScenarioRunner.run(((Reading.Good) reading).file())));

        assertThat(page).contains("&lt;b&gt;&amp;&quot;&#39;", "&lt;img/onerror=x&gt;", "&lt;i&gt;.example")
                .doesNotContain("<script", "<img", "<i>");
    }

    @Test
    void aTemplateRepeatsChoosesAndComplains() {
        Map<String, Object> values = Map.of("names", List.of("a", "b"), "none", List.of(), "x", "<");

        assertThat(
                Template.of("{{x}}{{#names}}{{it}}{{x}},{{/names}}{{^none}}!{{/none}}{{#none}}?{{/none}}").fill(values))
                .isEqualTo("&lt;a&lt;,b&lt;,!");
        assertThatThrownBy(() -> Template.of("{{y}}").fill(values)).hasMessage("unknown name y");
        assertThatThrownBy(() -> Template.of("{{#y}}")).hasMessage("{{#y}} is not closed");
        assertThatThrownBy(() -> Template.of("{{/y}}")).hasMessage("{{/y}} closes no section");
    }

    @Test
    void twoRunsAreDrawnOnOneTimeAxisWithATableThatComparesThem() {
        String text = BundledScenarios.find("ten-two-two").orElseThrow();
        List<ScenarioRunner.ScenarioRun> runs = List.of(ScenarioRunner.run(BundledScenariosTest.file("ten-two-two")),
                ScenarioRunner.run(
                        ((Reading.Good) ScenarioReader.read("x.toml", text, List.of("order=fifo"))).file()));

        assertThat(Page.of(runs)).contains("<h3>as written</h3>", "<h3>order=fifo</h3>", "timeline-title-2",
                "<th scope=\"col\">last, order=fifo</th>", "time since the start of the scenario");
        assertThat(Page.svg(runs)).startsWith("<svg xmlns").contains("2 before 1", "order=fifo",
                "waiting recipients");
    }

    @Test
    void theLimitOfTheServerIsDrawnIntoTheWindowsOfItsDestination() {
        assertThat(page("limited-server")).contains("class=\"limit\"", "limit of the server: ");
        assertThat(page("dead-destination")).doesNotContain("class=\"limit\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"thousand-hundred-ten", "stream-of-messages", "recursion"})
    void eachPreemptionMarkHasALabel(String name) {
        String page = page(name);

        int marks = page.split("<path class=\"mark\" d=\"M[0-9.]+ [0-9]+ l-4 -7", -1).length - 1;
        assertThat(marks).isPositive();
        assertThat(page.split("<path class=\"mark\" d=\"M[0-9.]+ [0-9]+ l-4 -7 h8 z\"/><text [^>]+>[^<]+</text>", -1))
                .hasSize(marks + 1);
    }

    @Test
    void noPageShowsABackTick() {
        assertThat(BundledScenarios.names().stream()
                .filter(name -> BundledScenarios.find(name).orElseThrow().contains("`")).limit(5))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(page(name)).doesNotContain("`"));
    }
}
