package org.slipstream.lab.scenario;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.lab.scenario.ScenarioReader.Reading;

import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class ServerScriptsTest {
    private static final String WORLD = """
            title = "T"
            stop-after = "3h"
            [settings]
            minimal-backoff = "200s"
            [servers.default]
            script = "scripts/the.toml"
            [[messages]]
            to = { "a.example" = 2 }
            """;

    private static Reading reading(String script) {
        return ScenarioReader.read("mine.toml", WORLD, List.of(),
                name -> Optional.of(script).filter(_ -> name.equals("scripts/the.toml")));
    }

    private static String sentence(String script) {
        return ((Reading.Bad) reading(script)).sentence();
    }

    private static ScenarioRunner.ScenarioRun run(String script) {
        return ScenarioRunner.run(((Reading.Good) reading(script)).file());
    }

    @Test
    void greylistedMailIsDeliveredAfterTheWait() {
        var run = run("[[rules]]\non = \"rcpt\"\ngreylist = \"300s\"");
        var message = run.record().messages().firstEntry().getValue();
        assertThat(message.delivered()).isEqualTo(2);
        assertThat(message.lastMillis().orElseThrow()).isBetween(300_000L, 1_000_000L);
    }

    @Test
    void aDelayOfTheScriptTakesSimulatedTime() {
        var run = run("[[rules]]\non = [\"data\", \"rcpt\"]\ndelay = \"7s\"");
        assertThat(run.record().messages().firstEntry().getValue().lastMillis()).hasValue(1_000 + 3 * 7_000);
    }

    @Test
    void aSessionThatEndsInTheContentIsTriedAgain() {
        var run = run("[[rules]]\non = \"data\"\nfirst = 1\nclose-after = \"1KiB\"");
        var message = run.record().messages().firstEntry().getValue();
        assertThat(message.delivered()).isEqualTo(2);
        assertThat(message.lastMillis().orElseThrow()).isGreaterThanOrEqualTo(200_000);
    }

    @Test
    void aRefusedGreetingIsAFailedConnection() {
        var run = run("[[rules]]\non = \"connect\"\nuntil = \"100s\"\nreply = \"554 Go away\"\nthen = \"close\"");
        assertThat(run.record().destinations().firstEntry().getValue().troubled()).isPositive();
        assertThat(run.record().messages().firstEntry().getValue().delivered()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            [server]~protocol = "lmtp"                      | scripts/the.toml:2: a simulated server has no LMTP; leave server.protocol out of the script for the lab
            [server]~name = "x"~tls = "expired"             | scripts/the.toml:3: a simulated server has no TLS; leave server.tls out of the script for the lab
            [server]~size-limit = "1KiB"                    | scripts/the.toml:2: a simulated server has no size or the queue of the operating system; leave server.size-limit out of the script for the lab
            [[rules]]~name = "slow"~on = "rcpt"~drip = { }  | scripts/the.toml:2: a simulated server has no speed of octets; leave the rule "slow" out of the script for the lab
            [[rules]]~name = "r"~on = "quit"~delay = "1s"   | scripts/the.toml:2: a simulated server has no phase quit; leave the rule "r" out of the script for the lab
            [[rules]]~name = "r"~on = "mail"~then = "stall" | scripts/the.toml:2: a simulated server has no stalled session after the greeting; leave the rule "r" out of the script for the lab
            [[rules]]~name = "r"~on = "any"~every = 3~delay = "1s"  | scripts/the.toml:2: a simulated server has no phase starttls; leave the rule "r" out of the script for the lab
            [[rules]]~name = "r"~on = "mail"~client = "10.*"~delay = "1s" | scripts/the.toml:2: a simulated server has no clients with different names; leave the rule "r" out of the script for the lab
            [[rules]]~on = "mial"~delay = "1s"              | scripts/the.toml:2: rules 1: on = "mial" is unknown; did you mean "mail"?
            """)
    void whatCannotBeSimulatedIsRefusedWithItsPlace(String script, String sentence) {
        assertThat(sentence(script.replace('~', '\n'))).isEqualTo(sentence);
    }

    @Test
    void aScriptThatCannotBeReadIsNamedWithItsPlace() {
        assertThat(((Reading.Bad) ScenarioReader.read("mine.toml", WORLD)).sentence())
                .isEqualTo("mine.toml:6: servers.default: script = \"scripts/the.toml\" cannot be read; give the path"
                        + " from the folder of the scenario");
    }

    @Test
    void aServerWithoutPipeliningHasOneDeliveryOnAConnection() {
        var good = (Reading.Good) reading("[server]\nwithout = [\"PIPELINING\"]");
        assertThat(good.file().scenario().domains().getFirst().server().path().depth()).isEqualTo(1);
        var liar = (Reading.Good) reading("[server]\npipelining = \"discards\"");
        assertThat(liar.file().scenario().domains().getFirst().server().path().pipelines()).isFalse();
    }
}
