package org.slipstream.sink.script;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class ScriptRunTest {
    private static final String CLIENT = "192.0.2.7";

    private static ScriptRun run(String text) {
        return new ScriptRun(ScriptReader.read("a.toml", text), 0);
    }

    private static String rcpt(ScriptSession session, String recipient, long now) {
        return session.at(ScriptPhase.RCPT, recipient, now).reply().orElse("250");
    }

    private static List<String> replies(String condition, int times) {
        ScriptRun run = run("[[rules]]\non = \"rcpt\"\nreply = \"450 no\"\n" + condition);
        ScriptSession session = run.connect(CLIENT, 0);
        session.at(ScriptPhase.MAIL, "a@x.example", 0);
        List<String> replies = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            replies.add(rcpt(session, "b@y.example", i * 1_000L).substring(0, 3));
        }
        return replies;
    }

    @Test
    void aRuleCountsItsCases() {
        assertThat(replies("nth = 2", 4)).containsExactly("250", "450", "250", "250");
        assertThat(replies("every = 2", 4)).containsExactly("250", "450", "250", "450");
        assertThat(replies("first = 2", 4)).containsExactly("450", "450", "250", "250");
        assertThat(replies("after = 2", 4)).containsExactly("250", "250", "450", "450");
        assertThat(replies("from = \"1s\"\nuntil = \"3s\"", 4)).containsExactly("250", "450", "450", "250");
    }

    @Test
    void chanceFollowsTheSeed() {
        List<String> once = replies("chance = 0.5", 40);
        assertThat(replies("chance = 0.5", 40)).isEqualTo(once).contains("250", "450");
    }

    @Test
    void messagesAreCountedAlsoOnTheirConnection() {
        ScriptRun run = run("[[rules]]\non = \"mail\"\nof = \"messages-of-connection\"\nnth = 2\nreply = \"450 no\"");
        for (int connection = 0; connection < 2; connection++) {
            ScriptSession session = run.connect(CLIENT, 0);
            assertThat(session.at(ScriptPhase.MAIL, "", 0)).isEqualTo(Reaction.USUAL);
            assertThat(session.at(ScriptPhase.MAIL, "", 0).reply()).hasValue("450 no");
        }
    }

    @Test
    void aTripletIsRefusedUntilItIsOldEnough() {
        ScriptRun run = run("[[rules]]\non = \"rcpt\"\ngreylist = \"300s\"");
        ScriptSession session = run.connect(CLIENT, 0);
        session.at(ScriptPhase.MAIL, "a@x.example", 0);
        assertThat(rcpt(session, "b@y.example", 0)).startsWith("450 4.2.0 Greylisted");
        assertThat(rcpt(session, "b@y.example", 299_999)).startsWith("450");
        assertThat(rcpt(session, "other@y.example", 300_000)).startsWith("450");
        assertThat(rcpt(session, "b@y.example", 300_000)).isEqualTo("250");
        ScriptSession neighbour = run.connect("192.0.2.99", 300_000);
        neighbour.at(ScriptPhase.MAIL, "a@x.example", 300_000);
        assertThat(rcpt(neighbour, "b@y.example", 300_000)).as("the same network").isEqualTo("250");
    }

    @Test
    void aConnectionOverTheLimitIsRefusedAndTheEndOfAnotherMakesRoom() {
        ScriptRun run = run("[limits]\nconnections = 2\nclient-connections = 1");
        ScriptSession first = run.connect("192.0.2.1", 0);
        assertThat(first.at(ScriptPhase.CONNECT, "", 0)).isEqualTo(Reaction.USUAL);
        ScriptSession refused = run.connect("192.0.2.1", 0);
        assertThat(refused.at(ScriptPhase.CONNECT, "", 0).reply()).hasValue("421 4.7.0 Too many connections");
        refused.end();
        assertThat(run.connect("192.0.2.2", 0).at(ScriptPhase.CONNECT, "", 0)).isEqualTo(Reaction.USUAL);
        assertThat(run.connect("192.0.2.3", 0).at(ScriptPhase.CONNECT, "", 0).after())
                .isEqualTo(Reaction.After.CLOSE);
        first.end();
        first.end();
        assertThat(run.connect("192.0.2.3", 0).at(ScriptPhase.CONNECT, "", 0)).isEqualTo(Reaction.USUAL);
        assertThat(run.connect("192.0.2.4", 0).at(ScriptPhase.CONNECT, "", 0).goesOn())
                .as("a second end makes no room").isFalse();
    }

    @Test
    void aRateIsThatOfAnyMinute() {
        ScriptRun run = run("[limits]\nconnections-per-minute = 1\nover = \"silent\"");
        assertThat(run.connect(CLIENT, 0).at(ScriptPhase.CONNECT, "", 0)).isEqualTo(Reaction.USUAL);
        assertThat(run.connect(CLIENT, 59_999).at(ScriptPhase.CONNECT, "", 59_999).after())
                .isEqualTo(Reaction.After.STALL);
        assertThat(run.connect(CLIENT, 60_000).at(ScriptPhase.CONNECT, "", 60_000)).isEqualTo(Reaction.USUAL);
    }

    @Test
    void messagesAndRecipientsHaveLimits() {
        ScriptRun run = run("[limits]\nmessages-per-connection = 1\nrecipients-per-message = 1");
        ScriptSession session = run.connect(CLIENT, 0);
        session.at(ScriptPhase.MAIL, "a@x.example", 0);
        assertThat(rcpt(session, "b@y.example", 0)).isEqualTo("250");
        assertThat(rcpt(session, "c@y.example", 0)).startsWith("452 4.5.3");
        assertThat(session.at(ScriptPhase.MAIL, "a@x.example", 0).reply()).hasValueSatisfying(
                text -> assertThat(text).startsWith("421"));
    }

    @Test
    void errorsBecomeSlowAndEndTheSession() {
        ScriptRun run = run("[errors]\nsoft-limit = 1\ndelay = \"1s\"\nhard-limit = 3");
        ScriptSession session = run.connect(CLIENT, 0);
        Reaction refusal = Reaction.reply("500 what");
        assertThat(session.error(refusal)).isEqualTo(refusal);
        assertThat(session.error(refusal).delay()).hasSeconds(1);
        assertThat(session.error(refusal).reply()).hasValue("421 4.7.0 Too many errors");
    }

    @Test
    void theFirstRuleThatAppliesDecidesAndIsCounted() {
        ScriptRun run = run("""
                [[rules]]
                name = "special"
                on = "rcpt"
                recipient = "full@*"
                reply = "452 full"
                [[rules]]
                name = "all"
                on = "rcpt"
                reply = "450 later"
                """);
        ScriptSession session = run.connect(CLIENT, 0);
        session.at(ScriptPhase.MAIL, "", 0);
        assertThat(rcpt(session, "FULL@y.example", 0)).isEqualTo("452 full");
        assertThat(rcpt(session, "b@y.example", 0)).isEqualTo("450 later");
        assertThat(run.figures().rules()).containsEntry("special", 1L).containsEntry("all", 1L);
        assertThat(run.figures().phases()).containsEntry("rcpt", 2L).containsEntry("mail", 1L);
    }
}
