package org.slipstream.server.monitor;

import org.junit.jupiter.api.Test;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.server.monitor.QueueWatch.OldestMessage;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class QueueWatchTest {
    private static final Instant START = Instant.parse("2026-11-27T03:00:00Z");
    private final QueueWatch watch = new QueueWatch();

    private void pass(int minutes, long running, long ended) {
        watch.look(running, ended, START.plus(Duration.ofMinutes(minutes)));
    }

    @Test
    void deliveriesOfWhichNoneEndsAreATroubleUntilOneDoes() {
        pass(0, 5, 100);
        pass(19, 5, 100);
        assertThat(watch.troubles()).isEmpty();
        pass(20, 5, 100);
        assertThat(watch.troubles()).extracting(TroubleView::what, TroubleView::since)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("movement", "2026-11-27T03:00:00Z"));
        pass(21, 5, 101);
        assertThat(watch.troubles()).isEmpty();
    }

    @Test
    void aServerAtRestIsNoTrouble() {
        pass(0, 0, 100);
        pass(60, 0, 100);
        pass(61, 1, 100);
        pass(79, 1, 100);
        assertThat(watch.troubles()).isEmpty();
    }

    @Test
    void mailThatIsTooOldIsATroubleWithItsId() {
        watch.oldest(Optional.of(new OldestMessage("1m8ed9g3w01", "2026-11-26T03:00:00Z")), Duration.ofHours(4));
        assertThat(watch.troubles()).singleElement().satisfies(each -> {
            assertThat(each.what()).isEqualTo("oldest");
            assertThat(each.meaning()).contains("mta explain 1m8ed9g3w01");
        });
        watch.oldest(Optional.empty(), Duration.ofHours(4));
        assertThat(watch.troubles()).isEmpty();
    }
}
