package org.slipstream.lab.world;

import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The page of a world: its rows, its bounds, and that a text of the file stays a text.
class WorldPageTest {
    private static final String WORLD = """
            slipstream-world 1
            seed 13
            minutes 1
            fault cut 30 10 1
            order hold 20 5 3
            history
            # message 3 for u4@d1.example was acknowledged, and is gone
            0.000 server starts
            1.000 server accepts mail
            10.000 acknowledged 2 as 1keh1aa for [u1@d1.example, u2@d2.example]
            11.000 acknowledged 3 as 1keh2bb for [u4@d1.example]
            11.500 log INFO event=delivery queue=1keh1aa recipient=<u1@d1.example> host=h delay=1s result=sent
            11.600 host 1 takes 2 for [u1@d1.example]
            12.000 log INFO event=delivery queue=1keh1aa recipient=<u2@d2.example> host=h result=deferred
            20.000 operator: queue/hold 200
            30.000 fault cut 30 10 1
            40.000 server starts
            41.000 server accepts mail
            60.000 log INFO event=delivery queue=1keh1aa recipient=<u2@d2.example> host=h result=failed
            60.001 log INFO event=report-queued queue=1keh1aa report=1keh9zz
            70.000 TROUBLE message 3 for u4@d1.example was acknowledged, and is gone
            java.lang.IllegalStateException: <b>
            """;

    private static WorldHistory history(String text) throws IOException {
        return WorldHistory.read("world.txt", new BufferedReader(new StringReader(text)));
    }

    private static String page(String text) throws IOException {
        return WorldPage.of(history(text), _ -> true, 0, "The world of world.txt");
    }

    /// The row of a name, without its places.
    private static String row(String page, String name) {
        String rows = page.substring(page.indexOf("<svg class=\"strips\""), page.indexOf("</svg>"));
        return Pattern.compile("<g class=\"row\".*?</g>", Pattern.DOTALL).matcher(rows).results()
                .map(result -> result.group().replaceAll("</?title>", "|"))
                .filter(each -> each.contains(">" + name + "</text>")).collect(Collectors.joining());
    }

    @Test
    void aMessageHasARowWithItsStates() throws IOException {
        String page = page(WORLD);

        assertThat(row(page, "2  1keh1aa")).containsSubsequence("message 2, 1keh1aa, for u1@d1.example, u2@d2.example",
                "strip waits", "waits for its first attempt, 0 of 2 recipients done", "strip partly",
                "1 of 2 recipients done", "strip deferred", "1 of 2 recipients done", "tick sent",
                "u1@d1.example: sent", "tick taken", "tick deferred", "tick failed", "tick report");
        assertThat(row(page, "3  1keh2bb")).contains("strip waits", "tick trouble").doesNotContain("deferred");
        assertThat(row(page, "server")).containsSubsequence("strip down", "strip starts", "strip runs", "strip down",
                "strip starts", "strip runs");
        assertThat(row(page, "fault cut")).contains("strip fault");
        assertThat(row(page, "order hold")).contains("strip order");
        assertThat(row(page, "the checker")).contains("tick trouble");
    }

    @Test
    void eachEventHasItsMomentItsMessageAndWhatIsSoThen() throws IOException {
        assertThat(page(WORLD)).contains(
                "data-key=\"2\" data-state=\"the server runs; 2 messages wait, 0 are done\"><time>12.000</time>",
                "data-key=\"2\" data-state=\"the server runs; 1 message waits, 1 is done\"><time>60.000</time>",
                "data-key=\"\" data-state=\"the server is down; 2 messages wait, 0 are done\"><time>30.000</time>",
                "<li class=\"trouble\"", "IllegalStateException: &lt;b&gt;",
                "The checker: message 3 for u4@d1.example was acknowledged, and is gone");
    }

    @Test
    void thePageNeedsNoOtherFileAndATextOfTheWorldIsNoMarkup() throws IOException {
        String page = page(WORLD.replace("1keh2bb", "<img/onerror=x>").replace("operator:", "</li><script>\u001b"));

        assertThat(page).doesNotContain("http", "src=", "@import", "{{", "<img", "\u001b")
                .contains("&lt;/li&gt;&lt;script&gt;");
        assertThat(page.split("<script>", -1)).hasSize(2);
    }

    @Test
    void thePageHasABound() throws IOException {
        String many = "slipstream-world 1\nhistory\n" + IntStream.rangeClosed(1, WorldPage.MOST_EVENTS + 1)
                .mapToObj(n -> n + ".000 acknowledged " + n + " as queue" + n + " for [u@d1.example]\n"
                        + "x".repeat(3_000)
                        + "\n")
                .collect(Collectors.joining());
        String page = page(many);

        assertThat(page.split("<li class=\"waits\"", -1)).hasSize(WorldPage.MOST_EVENTS + 1);
        assertThat(page.split("<g class=\"row\" data-key", -1)).hasSize(WorldStory.MOST_MESSAGES + 1);
        assertThat(page).hasSizeLessThan(4_000_000).contains("Only the first 5000 of 5001 events",
                "Only the first 200 of 5001 messages");
    }

    @Test
    void oneMessageCanBeChosen() throws IOException {
        WorldHistory history = history(WORLD);
        String page = WorldPage.of(history, history.choice(0, 1e9, 3, ""), 3, "x");

        assertThat(row(page, "3  1keh2bb")).isNotEmpty();
        assertThat(row(page, "2  1keh1aa")).isEmpty();
        assertThat(page).contains("Of 14 events 2 were chosen").doesNotContain("<time>12.000</time>");
    }

    @Test
    void aHistoryWithoutEventsHasAPage() throws IOException {
        assertThat(page("slipstream-world 1\nseed 1\nfault kill 5 5 1\n")).contains("The checker found nothing",
                "fault kill");
    }
}
