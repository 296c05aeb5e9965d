package org.slipstream.qmgr;

import com.sun.management.ThreadMXBean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.QmgrOrder;

import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The cost of a page of an operator's list depends on the page, not on the number of active
/// messages.
///
/// The test counts the bytes that the answer allocates: code that collects an object per active
/// message or per destination allocates twenty times as many with twenty times the messages.
class PageCostTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int PAGE = 50;

    @ParameterizedTest
    @ValueSource(strings = {"one destination", "a destination each", "routes that are not known"})
    void aPageOfManyCostsAsMuchAsAPageOfFew(String what) {
        long few = octetsOfAPage(what, 1_000);
        long many = octetsOfAPage(what, 20_000);
        assertThat(many).as("octets of a page of 20,000; of 1,000: " + few).isLessThan(2 * few);
    }

    private static long octetsOfAPage(String what, int messages) {
        Story story = new Story(s -> s.active(messages + 1));
        story.withhold(what.startsWith("routes") ? QmgrOrder.FindRoute.class : QmgrOrder.Open.class);
        for (int i = 0; i < messages; i++) {
            story.queue("a" + i + (what.startsWith("one") ? "@far.example" : "@far" + i + ".example"));
        }
        assertThat(story.manager.queries().snapshot(Set.of(), story.now).active()).isEqualTo(messages);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 100; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            page(story, messages / 2);
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    private static void page(Story story, long after) {
        Set<QueueId> ids = LongStream.range(after, after + PAGE).mapToObj(n -> new QueueId(n + 1))
                .collect(Collectors.toSet());
        assertThat(story.manager.queries().snapshot(ids, story.now).messages()).hasSize(PAGE);
        assertThat(story.manager.queries().active(Optional.of(new QueueId(after)), PAGE)).hasSize(PAGE);
        assertThat(story.manager.queries().activeAmong(ids)).hasSize(PAGE);
    }
}
