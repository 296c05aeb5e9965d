package org.slipstream.sink.script;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.settings.TomlMistake;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ScriptReaderTest {
    @Test
    void anEmptyScriptIsAServerThatAcceptsAllMail() {
        ServerScript script = ScriptReader.read("a.toml", "");
        assertThat(script.rules()).isEmpty();
        assertThat(script.form().extensions()).contains("PIPELINING", "CHUNKING", "DSN");
        assertThat(script.limits().connections()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void aRuleHasPhasesConditionsAndAReaction() {
        ServerScript script = ScriptReader.read("a.toml", """
                [[rules]]
                on = ["rcpt", "content"]
                recipient = "*@full.example"
                every = 3
                reply = "452-4.2.2 The mailbox\\n452 4.2.2 is full"
                delay = "2s"
                """);
        ScriptRule rule = script.rules().getFirst();
        assertThat(rule.name()).isEqualTo("rule at line 2");
        assertThat(rule.phases()).containsExactlyInAnyOrder(ScriptPhase.RCPT, ScriptPhase.CONTENT);
        assertThat(rule.count().every()).hasValue(3);
        assertThat(rule.reaction().delay()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void everyLineOfAReplyGetsTheCodeOfTheFirst() {
        ServerScript script = ScriptReader.read("a.toml", """
                [[rules]]
                on = "mail"
                reply = ["550 5.7.1 Refused:", "see http://example.com/"]
                """);
        assertThat(script.rules().getFirst().reaction().reply())
                .hasValue("550-5.7.1 Refused:\r\n550 see http://example.com/");
    }

    @Test
    void aSecretPipeliningIsNotAnnounced() {
        assertThat(ScriptReader.read("a.toml", "[server]\npipelining = \"secret\"\nwithout = [\"DSN\"]").form()
                .extensions()).contains("CHUNKING").doesNotContain("PIPELINING", "DSN");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            [server]~tls = "expird"                     | a.toml:2: server: tls = "expird" is unknown; did you mean "expired"?
            [server]~pipelinning = "honest"             | a.toml:2: unknown key "pipelinning" in server; did you mean "pipelining"?
            [server]~without = ["CHUNKNG"]              | a.toml:2: server: without = "CHUNKNG" is unknown; there is 8BITMIME, AUTH, CHUNKING, DSN, ENHANCEDSTATUSCODES, PIPELINING, SMTPUTF8
            [server]~extensions = ["SIZE 10"]           | a.toml:2: server: extensions has SIZE 10; set size-limit or tls, which announce it
            [server]~size-limit = "much"                | a.toml:2: server: size-limit = "much" is not a size; write a number with a unit, for example size-limit = "10KiB"
            [limits]~connections = 0                    | a.toml:2: limits: connections = 0 is not a whole number from 1 to 1000000000; write for example connections = 3
            [errors]~delay = 5                          | a.toml:2: errors: delay = 5 is not a time of at most a year; write a number with a unit, for example delay = "10s"
            [[rules]]~reply = "450 x"                   | a.toml:2: the rule has no phase; add on = "rcpt", or on = "any"
            [[rules]]~on = "rctp"~reply = "450 x"       | a.toml:2: rules 1: on = "rctp" is unknown; did you mean "rcpt"?
            [[rules]]~on = "rcpt"                       | a.toml:2: the rule does nothing; add reply, delay, drip, read, close-after or then
            [[rules]]~on = "rcpt"~reply = "busy"        | a.toml:3: rules 1: reply = "busy" does not begin with a code; write for example "450 4.2.1 Mailbox busy"
            [[rules]]~on = "mail"~recipient = "*"       | a.toml:3: rules 1: recipient is not known in this phase; write on = "rcpt" or on = "content"
            [[rules]]~on = "mail"~greylist = "5m"       | a.toml:3: rules 1: greylist needs client, sender and recipient; write on = "rcpt"
            [[rules]]~on = "mail"~chance = 2            | a.toml:3: rules 1: chance = 2 is not a share from 0 to 1; write for example chance = 0.25
            [[rules]]~on = "mail"~from = "9s"~until="3s"| a.toml:4: rules 1: until is not after from; make until later than from
            [[rules]]~on = "mail"~then = "stal"         | a.toml:3: rules 1: then = "stal" is unknown; did you mean "stall"?
            [rules]~on = "mail"                         | a.toml:1: rules is a list; write [[rules]] with double brackets
            [[rules]]~on = mail                         | a.toml:2: not TOML: Unexpected 'm'; write texts and times in quotes, for example delay = "10s"
            """)
    void aMistakeIsOneSentenceWithItsPlace(String text, String sentence) {
        assertThatThrownBy(() -> ScriptReader.read("a.toml", text.replace('~', '\n')))
                .isInstanceOf(TomlMistake.class).hasMessage(sentence);
    }
}
