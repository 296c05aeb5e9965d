package org.slipstream.server.source;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.server.source.SourceStates.SourceKey;
import org.slipstream.server.source.SourceStates.SourceSuspension;
import org.slipstream.smtpout.source.WarmUp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The state of sources over restarts, midnights and clocks that jump.
class SourceStatesTest {
    private static final SourceKey GOOGLE = new SourceKey("a", "google");
    private static final SourceKey ALL = new SourceKey("a", SourceStates.ALL);
    private static final WarmUp SCHEDULE = new WarmUp(LocalDate.of(2026, 12, 1), List.of(2, 5));

    @TempDir
    Path home;

    private final AtomicLong clock = new AtomicLong(millis("2026-12-01T10:00:00Z"));
    private Optional<SourceStates> open = Optional.empty();

    private static long millis(String time) {
        return Instant.parse(time).toEpochMilli();
    }

    private SourceStates states() {
        open.ifPresent(SourceStates::close);
        open = Optional.of(new SourceStates(home.resolve("sources"), clock::get));
        return open.get();
    }

    @AfterEach
    void close() {
        open.ifPresent(SourceStates::close);
    }

    @Test
    void theDayOfAWarmUpIsUsedUpForOneProviderAndARestartKnowsIt() {
        SourceStates states = states();
        assertThat(states.start(GOOGLE, SCHEDULE)).isTrue();
        assertThat(states.left(GOOGLE, SCHEDULE)).hasValue(1);
        assertThat(states.start(GOOGLE, SCHEDULE)).isTrue();
        assertThat(states.start(GOOGLE, SCHEDULE)).isFalse();
        assertThat(states.start(new SourceKey("a", "microsoft"), SCHEDULE)).isTrue();
        assertThat(states.start(new SourceKey("b", "google"), SCHEDULE)).isTrue();

        SourceStates again = states();
        assertThat(again.start(GOOGLE, SCHEDULE)).isFalse();
        assertThat(again.left(new SourceKey("a", "microsoft"), SCHEDULE)).hasValue(1);
        clock.set(millis("2026-12-02T00:00:00Z"));
        assertThat(again.left(GOOGLE, SCHEDULE)).as("the next day").hasValue(5);
        clock.set(millis("2026-12-03T00:00:00Z"));
        assertThat(again.left(GOOGLE, SCHEDULE)).as("behind the schedule").isEmpty();
        assertThat(again.start(GOOGLE, SCHEDULE)).isTrue();
        assertThat(again.used()).isEmpty();
    }

    @Test
    void aClockThatGoesBackOverMidnightBringsNoQuotaAgain() {
        clock.set(millis("2026-12-02T00:00:01Z"));
        SourceStates states = states();
        for (int i = 0; i < 5; i++) {
            assertThat(states.start(GOOGLE, SCHEDULE)).isTrue();
        }
        clock.set(millis("2026-12-01T23:59:59Z"));
        assertThat(states.start(GOOGLE, SCHEDULE)).isFalse();
        assertThat(states().start(GOOGLE, SCHEDULE)).as("after a restart").isFalse();
    }

    @Test
    void aClockThatWasYearsAheadIsForgotten() {
        clock.set(millis("2036-01-01T00:00:00Z"));
        SourceStates states = states();
        assertThat(states.left(GOOGLE, SCHEDULE)).isEmpty();
        clock.set(millis("2026-12-01T10:00:00Z"));
        assertThat(states.left(GOOGLE, SCHEDULE)).hasValue(2);
    }

    @Test
    void aSuspensionEndsAtItsTimeAndOneWithoutAnEndStaysOverARestart() {
        SourceStates states = states();
        states.suspend(GOOGLE, new SourceSuspension(clock.get() + 1_000, "the server", "listed\r\nat\tbl.example"));
        assertThat(states.suspension("a", "google")).map(SourceSuspension::reason).hasValueSatisfying(
                reason -> assertThat(reason).contains("listed", "bl.example").doesNotContain("\n", "\t"));
        assertThat(states.suspension("a", "microsoft")).isEmpty();
        states.suspend(ALL, new SourceSuspension(Long.MAX_VALUE, "ann", "delisting"));
        assertThat(states.suspension("a", "google")).map(SourceSuspension::author).contains("ann");
        clock.addAndGet(1_000);

        SourceStates again = states();
        assertThat(again.suspensions()).containsOnlyKeys(ALL);
        assertThat(again.resume("a", Optional.of("google"))).isFalse();
        assertThat(again.resume("a", Optional.empty())).isTrue();
        assertThat(states().suspension("a", "google")).isEmpty();
    }

    @Test
    void aChangeIsOnDiskSoonWithoutAStop() {
        states().suspend(ALL, new SourceSuspension(Long.MAX_VALUE, "ann", "why"));
        await().atMost(Duration.ofSeconds(90)).until(() -> Files.exists(home.resolve("sources"))
                && Files.readString(home.resolve("sources")).contains("ann\twhy"));
    }

    @Test
    void damagedLinesAreIgnoredAndTheOthersHold() throws IOException {
        Files.writeString(home.resolve("sources"), String.join("\n", "suspended\ta\t*\tnumber\tann\twhy",
                "suspended\tA/b\t*\t9223372036854775807\tann\twhy", "suspended\tb", "\0\0\0", "used\ta\tgoogle\tday\t3",
                "used\ta\tgoogle\t2026-12-01\t1", "suspended\tb\tother\t9223372036854775807\tann\twhy",
                "suspended\tc\t*\t9223372036854775807\tann\t" + "x".repeat(10_000)));
        SourceStates states = states();
        assertThat(states.suspensions().keySet()).containsExactlyInAnyOrder(new SourceKey("b", "other"),
                new SourceKey("c", "*"));
        assertThat(states.suspension("c", "any").orElseThrow().reason()).hasSize(SourceStates.MOST_REASON);
        assertThat(states.left(GOOGLE, SCHEDULE)).hasValue(1);
    }

    @Test
    void theNumberOfSuspensionsHasALimit() {
        SourceStates states = states();
        for (int i = 0; i < SourceStates.MOST; i++) {
            assertThat(states.suspend(new SourceKey("s" + i, "*"), new SourceSuspension(Long.MAX_VALUE, "a", "r")))
                    .isTrue();
        }
        assertThat(states.suspend(new SourceKey("more", "*"), new SourceSuspension(Long.MAX_VALUE, "a", "r")))
                .isFalse();
        assertThat(states.suspend(new SourceKey("s1", "*"), new SourceSuspension(Long.MAX_VALUE, "b", "r"))).isTrue();
        assertThat(states().suspensions()).hasSize(SourceStates.MOST);
    }
}
