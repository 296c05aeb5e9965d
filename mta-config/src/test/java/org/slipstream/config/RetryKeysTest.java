package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.qmgr.wake.ErrorClass;
import org.slipstream.qmgr.wake.RetryClause;
import org.slipstream.qmgr.wake.RetryPolicies;
import org.slipstream.qmgr.wake.RetryPolicy;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/// Retry policies in `mta.toml`: `[retry."name"]`, `queue.retry`, and the mistakes in them.
class RetryKeysTest {
    @TempDir
    Path home;

    private ReadResult read(String text, String... overrides) throws IOException {
        Files.writeString(home.resolve(SettingsSource.FILE), text);
        return ConfigReader.read(SettingsSource.in(home), "box.example.net", List.of(overrides));
    }

    private RetryPolicies policies(String text, String... overrides) throws IOException {
        return ((ReadResult.Accepted) read(text, overrides)).config().queueManager().retryPolicies();
    }

    private String mistakes(String text, String... overrides) throws IOException {
        return ((ReadResult.Rejected) read(text, overrides)).problems().stream().map(Problem::toString)
                .collect(Collectors.joining("\n"));
    }

    @Test
    void withoutASettingPostfixHolds() throws IOException {
        RetryPolicies policies = policies("");
        assertThat(policies.common().name()).isEqualTo("postfix");
        assertThat(policies.common().policy())
                .isEqualTo(new RetryPolicy.AgeDoubling(Duration.ofSeconds(300), Duration.ofSeconds(4_000)));
        assertThat(policies.all().keySet()).containsExactly("postfix", "zmailer", "qmail");
    }

    @Test
    void postfixFollowsTheBackoffsOfTheQueue() throws IOException {
        assertThat(policies("[queue]\nminimal-backoff = \"1m\"\nmaximal-backoff = \"1h\"\n").common().policy())
                .isEqualTo(new RetryPolicy.AgeDoubling(Duration.ofMinutes(1), Duration.ofHours(1)));
    }

    @Test
    void aPolicyOfTheOperator() throws IOException {
        RetryPolicies policies = policies("""
                [queue]
                retry = "slow"
                [retry."slow"]
                kind = "factors"
                interval = "2m"
                factors = "1 3 9"
                jitter = "10%"
                longest = "6h"
                on-greylisting = "quick.one"
                [retry."quick.one"]
                kind = "list"
                pauses = "5m 10m"
                """);
        RetryClause slow = policies.common();
        assertThat(slow.policy()).isEqualTo(new RetryPolicy.Factors(Duration.ofMinutes(2), List.of(1, 3, 9)));
        assertThat(slow.jitterPercent()).isEqualTo(10);
        assertThat(slow.longestMillis()).isEqualTo(Duration.ofHours(6).toMillis());
        assertThat(policies.of(Optional.empty(), ErrorClass.GREYLISTING).policy())
                .isEqualTo(new RetryPolicy.PauseList(List.of(Duration.ofMinutes(5), Duration.ofMinutes(10))));
        assertThat(policies.of(Optional.empty(), ErrorClass.LOAD)).isEqualTo(slow);
    }

    @Test
    void aBuiltInPolicyKeepsWhatTheOperatorDoesNotChange() throws IOException {
        RetryPolicies policies = policies("[retry.zmailer]\ninterval = \"5m\"\n", "queue.retry=zmailer",
                "retry.postfix.on-load=qmail");
        assertThat(policies.common().policy()).isEqualTo(
                new RetryPolicy.Factors(Duration.ofMinutes(5), List.of(1, 1, 2, 3, 5, 8, 13, 21, 34)));
        assertThat(policies.of(Optional.of("postfix"), ErrorClass.LOAD).name()).isEqualTo("qmail");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            [queue]; retry = "zmialer" | mta.toml:2: queue.retry = "zmialer": there is no such retry policy; did you mean "zmailer"?
            [queue]; retry = "mine" | mta.toml:2: queue.retry = "mine": there is no such retry policy
            [destination."far.example"]; retry = "slow" | mta.toml:2: destination."far.example".retry = "slow": there is no such retry policy
            [retry.a]; on-dns = "mine" | mta.toml:2: retry.a.on-dns = "mine": there is no such retry policy
            [retry.a]; kind = "fibonacci" | mta.toml:2: retry.a.kind = "fibonacci" is not one of
            [retry.a]; interval = "0s" | mta.toml:2: retry.a.interval = "0s" is not a duration
            [retry.a]; kind = "factors"; factors = "1 x" | mta.toml:3: retry.a.factors = "1 x" is not whole numbers from 0 to 100000
            [retry.a]; factors = "1 2" | mta.toml:2: retry.a.factors has no meaning with kind = "age-doubling"
            [retry.a]; kind = "list"; pauses = "5m soon" | mta.toml:3: retry.a.pauses = "5m soon" is not durations
            [retry.a]; kind = "list"; interval = "5m" | mta.toml:3: retry.a.interval has no meaning with kind = "list"
            [retry.a]; jitter = "200%" | mta.toml:2: retry.a.jitter = "200%" is not a percentage from "0%" to "100%"
            [retry.a]; interval = "2h"; longest = "1h" | mta.toml:3: retry.a: interval is more than longest
            [retry.a]; jiter = "2%" | mta.toml:2: unknown key "retry.a.jiter"; did you mean "jitter"?
            [retry]; kind = "list" | mta.toml:2: unknown key "retry.kind"; each policy has a section of its own
            """)
    void aMistakeIsNamedWithItsLineAndTheWayOut(String file, String sentence) throws IOException {
        String mistakes = mistakes(file.replace("; ", "\n") + "\n");
        assertThat(mistakes.replace(" (", "; ")).contains(sentence.strip());
        assertThat(mistakes.lines()).hasSize(1);
    }
}
