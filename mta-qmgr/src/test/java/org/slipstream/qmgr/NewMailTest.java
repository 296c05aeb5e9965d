package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// New mail beside a long queue of deferred mail: it does not wait behind the whole queue.
class NewMailTest {
    @Test
    @Tag("PF-28")
    void tenThousandDeferredMessagesDoNotKeepANewOneWaiting() {
        Story story = new Story(s -> s.active(5).lanes(1, 1));
        story.withhold(QmgrOrder.Deliver.class);
        for (int i = 0; i < 10_000; i++) {
            story.row("u" + i + "@old.example").attempts = 1;
        }
        story.start();
        QueueId fresh = story.queue("me@new.example");
        IntStream.range(0, 7).forEach(_ -> {
            story.answerNext(QmgrOrder.Deliver.class);
            story.after(1_000);
        });

        assertThat(story.removed).containsKey(fresh).hasSize(7);
    }

    /// The inbox was full, every connection is at work, and 50,000 deferred messages are due.
    @Test
    @Tag("PF-28")
    void newMailThatWasNotAnnouncedIsFoundBeforeOlderDeferredMail() {
        Story story = longQueue(new Story(s -> s.lanes(2, 10)));
        int found = story.active().size();
        List<QueueId> fresh = IntStream.range(0, 500).mapToObj(i -> story.row("u" + i + "@new.example").id).toList();
        story.happens(new QmgrEvent.ArrivalsMissed());

        assertThat(story.active()).containsAll(fresh).hasSize(found + fresh.size());
    }

    /// The active set and the arrival buffer are full as well.
    @Test
    @Tag("PF-28")
    void newMailThatFoundNoRoomTakesTurnsWithOlderDeferredMail() {
        Story story = longQueue(new Story(s -> s.active(10).lanes(1, 10).scans(5)));
        Set<QueueId> fresh = IntStream.range(0, 100).mapToObj(i -> story.queue("u" + i + "@new.example"))
                .collect(Collectors.toSet());
        for (int i = 0; i < 100; i++) {
            story.answerNext(QmgrOrder.Deliver.class);
            story.after(1_000);
        }

        assertThat(story.removed).hasSize(100);
        assertThat(story.removed.keySet().stream().filter(fresh::contains)).hasSizeBetween(40, 60);
    }

    private static Story longQueue(Story story) {
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 50_000).forEach(i -> story.row("u@old" + i % 100 + ".example").attempts = 1);
        story.start();
        return story;
    }

    @Test
    @Tag("PF-31")
    void arrivalsFasterThanAdmissionAreDelayedUntilAdmissionHasCaughtUp() {
        Story story = new Story(s -> s.active(5).lanes(2, 3)); // three may be ahead
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 5).forEach(i -> story.queue("u" + i + "@far.example"));
        assertThat(story.manager.isBehindArrivals()).as("all five are taken in").isFalse();
        IntStream.range(5, 7).forEach(i -> story.queue("u" + i + "@far.example"));
        assertThat(story.manager.isBehindArrivals()).as("two are outside").isFalse();
        story.queue("u7@far.example");
        assertThat(story.manager.isBehindArrivals()).as("three are outside").isTrue();
        story.answerNext(QmgrOrder.Deliver.class);
        assertThat(story.manager.isBehindArrivals()).as("one of them came in").isFalse();
        story.queue("u8@far.example");
        assertThat(story.manager.isBehindArrivals()).isTrue();

        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.removed).hasSize(9);
        assertThat(story.manager.isBehindArrivals()).isFalse();
        story.withhold(QmgrOrder.Scan.class);
        story.happens(new QmgrEvent.ArrivalsMissed());
        assertThat(story.manager.isBehindArrivals()).as("who knows how many there are").isTrue();
        story.after(1_000);
        story.answerAll(QmgrOrder.Scan.class);
        assertThat(story.manager.isBehindArrivals()).as("none").isFalse();
    }

    @Test
    @Tag("PF-31")
    void deferredMailInPlentyIsNoReasonToMakeNewMailWait() {
        Story story = new Story(s -> s.active(50).lanes(2, 3));
        IntStream.range(0, 2_000).forEach(i -> story.row("u" + i + "@old.example").attempts = 1);
        story.start();
        for (int i = 0; i < 200; i++) {
            story.queue("u" + i + "@new.example");
            assertThat(story.manager.isBehindArrivals()).isFalse();
            story.after(100);
        }
        assertThat(story.removed).hasSizeGreaterThan(1_000);
    }

    /// An operator made a long queue due, and all connections are busy with it.
    @Test
    void newMailWaitsForAFewScansOfALongQueueAndNotForAllOfIt() {
        int scan = 1_000;
        Story story = new Story(s -> s.lanes(2, 10));
        IntStream.range(0, 10 * scan).forEach(i -> story.row("u@old" + i % 100 + ".example").attempts = 1);
        story.withhold(QmgrOrder.Deliver.class);
        story.start();
        // Two scans, and those that were ordered before the first connections were ready.
        assertThat(story.active()).hasSizeLessThanOrEqualTo(5 * scan);
        QueueId fresh = story.queue("u@new.example");
        int before = 0;
        while (story.waiting(QmgrOrder.Deliver.class).stream().noneMatch(each -> each.id().equals(fresh))) {
            story.answerNext(QmgrOrder.Deliver.class);
            before++;
        }
        assertThat(before).isLessThanOrEqualTo(5 * scan);
        story.answerAll(QmgrOrder.Deliver.class);
        story.after(3_600_000);
        assertThat(story.removed).as("and all of it is delivered").hasSize(10 * scan + 1);
    }
}
