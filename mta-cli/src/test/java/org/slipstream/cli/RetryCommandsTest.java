package org.slipstream.cli;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.cli.frame.Exit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// `mta retry`: the policies of a home folder and their times, without a server.
class RetryCommandsTest {
    @TempDir
    Path home;

    private Console console;

    @BeforeEach
    void policies() throws IOException {
        Files.writeString(home.resolve("mta.toml"), """
                [retry.postfix]
                on-greylisting = "quick"
                [retry."quick"]
                kind = "list"
                pauses = "5m 10m"
                jitter = "10%"
                """);
        console = new Console(home);
    }

    private List<String> firstColumns(String out) {
        return out.lines().map(line -> line.replaceAll(" +[0-9TZ:-]{20}$", "").replaceAll("  +", " ")).toList();
    }

    @Test
    void thePoliciesAreListed() {
        Console.Ran ran = console.run("retry", "list");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out().lines()).containsExactly(
                "POLICY   KIND          ATTEMPTS  JITTER  USED FOR  OTHER POLICIES",
                "postfix  age-doubling  113       0%      all mail  greylisting: quick",
                "zmailer  factors       507       0%      -         -",
                "qmail    quadratic     34        0%      -         -",
                "quick    list          722       10%     -         -");
        assertThat(console.run("retry", "list", "--json").out())
                .contains("{\"name\":\"qmail\",\"kind\":\"quadratic\",\"common\":false,\"attempts\":34,");
    }

    @Test
    void theTimesOfThePolicyOfAllMail() {
        Console.Ran ran = console.run("retry", "show", "--count", "6");
        assertThat(ran.exit()).isZero();
        assertThat(firstColumns(ran.out())).containsExactly("postfix (age-doubling), 113 attempts, lifetime 5d",
                "ATTEMPT PAUSE AFTER AT", "1 - 0s", "2 5m 5m", "3 5m 10m", "4 10m 20m", "5 20m 40m", "6 40m 1h20m",
                "… and 107 more (--count 113)");
    }

    @Test
    void theTimesOfAClassOfErrorsWithTheRangeOfItsJitter() {
        Console.Ran ran = console.run("retry", "show", "--class", "greylisting", "--count", "3");
        assertThat(firstColumns(ran.out())).containsExactly("quick (list), 722 attempts, lifetime 5d, jitter 10%",
                "ATTEMPT PAUSE AFTER LATEST AT", "1 - 0s 0s", "2 5m 5m 5m30s", "3 10m 15m 16m30s",
                "… and 719 more (--count 722)");
    }

    @Test
    void theTimesOfAMessageAreTheSameEachTime() {
        String first = console.run("retry", "show", "quick", "--id", "0000000001p", "--count", "3").out();
        assertThat(first).contains("ATTEMPT  PAUSE   AFTER   AT");
        assertThat(firstColumns(console.run("retry", "show", "quick", "--id", "0000000001p", "--count", "3").out()))
                .isEqualTo(firstColumns(first));
        assertThat(firstColumns(console.run("retry", "show", "quick", "--id", "0000000002p", "--count", "3").out()))
                .isNotEqualTo(firstColumns(first));
    }

    @Test
    void theWholeListEndsWithTheReturn() {
        assertThat(console.run("retry", "show", "qmail").out()).endsWith(
                "then the message is returned to its sender" + System.lineSeparator());
        assertThat(console.run("retry", "show", "--json", "--count", "2").out())
                .startsWith("{\"policy\":\"postfix\",\"kind\":\"age-doubling\",\"jitterPercent\":0,"
                        + "\"lifetimeMillis\":432000000,\"total\":113,\"attempts\":[{\"attempt\":1,\"pauseMillis\":0,"
                        + "\"afterMillis\":0,\"latestMillis\":0,");
    }

    @Test
    void whatDoesNotExistIsNamed() {
        assertThat(console.run("retry", "show", "qmial").err()).contains("no retry policy is called qmial; did you mean"
                + " qmail?");
        assertThat(console.run("retry", "show", "qmial").exit()).isEqualTo(Exit.NO);
        assertThat(console.run("retry", "show", "--class", "weather").exit()).isEqualTo(Exit.USAGE);
        assertThat(console.run("retry", "show", "--id", "!").exit()).isEqualTo(Exit.USAGE);
        assertThat(console.run("retry", "show", "--count", "0").exit()).isEqualTo(Exit.USAGE);
        assertThat(console.run("retry").err()).contains("Shows when mail that waits is tried again.", "list", "show");
    }
}
