package org.slipstream.qmgr.sched;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.qmgr.sched.Counter.job;
import static org.slipstream.qmgr.sched.Counter.slots;

/// Small mail passes bulk mail, and pays.
class PreemptionTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            V5a no loan, no discount  | 2, 0,  0, 3 | 10 2 2      | 1×4 2×2 1×4 3×2 1×2
            V5b half discount         | 2, 0, 50, 3 | 10 2 2      | 1×2 2×2 1×4 3×2 1×4
            V6  one too small         | 5, 3, 50, 3 | 14 1 1      | 1×14 2×1 3×1
            V6  just large enough     | 5, 3, 50, 3 | 15 1 1      | 1×1 2×1 1×5 3×1 1×9
            V7  a row of singles      | 5, 3, 50, 3 | 20 1 1 1 1  | 1×1 2×1 1×5 3×1 1×5 4×1 1×5 5×1 1×4
            V8  best score first      | 5, 3, 50, 3 | 30 5 1      | 1×1 3×1 1×5 2×5 1×24
            V9  three sizes           | 5, 3, 50, 3 | 1000 100 10 | 1×10 3×10 1×275 2×100 1×715
            the document's defaults   | 5, 3, 50, 3 | 10 2 2      | 1×10 2×2 3×2
            k = 1 turns it off        | 1, 9, 99, 0 | 10 2 2      | 1×10 2×2 3×2
            k = 0 as well             | 0, 9, 99, 0 | 10 2 2      | 1×10 2×2 3×2
            two from four singles     | 2, 0,  0, 0 | 4 1 1 1 1   | 1×2 2×1 1×2 3×1 4×1 5×1
            """)
    @Tag("PF-40")
    @Tag("PF-44")
    @Tag("PF-47")
    @Tag("PF-48")
    @Tag("PF-50")
    void workedExamples(String name, String rules, String sizes, String expected) {
        int[] r = IntStream.of(numbers(rules.split(",\\s*"))).toArray();
        Counter counter = new Counter(slots(r[0], r[1], r[2], r[3]));
        for (int size : numbers(sizes.split(" "))) {
            counter.message(size);
        }
        assertThat(counter.serveAll().runs()).as(name).isEqualTo(expected);
    }

    private static int[] numbers(String[] texts) {
        return java.util.Arrays.stream(texts).mapToInt(text -> Integer.parseInt(text.trim())).toArray();
    }

    @Test
    @Tag("PF-46")
    void anOldPairGoesBeforeAYoungSingleWhenItIsAtLeastTwiceAsOld() {
        // The loan makes both affordable after the first entry; the single is 7 seconds old then.
        for (long gap : new long[]{6, 7}) {
            Counter counter = new Counter(slots(2, 10, 0, 0));
            counter.message(20);
            counter.message(2);
            counter.now += gap * 1_000;
            counter.message(1);
            counter.now += 5_000;
            counter.serve();
            counter.serve();
            assertThat(counter.served).as("%d seconds between them", gap).containsExactly(1, gap == 6 ? 3 : 2);
        }
    }

    @Test
    @Tag("PF-45")
    void aCandidateThatCanNeverFitIsNotWaitedFor() {
        // Ten entries earn five slots at most: six never fit, so the younger pair is the best there
        // is.
        Counter counter = new Counter(slots(2, 0, 0, 0));
        counter.message(10);
        counter.message(6);
        counter.message(2);
        assertThat(counter.serveAll().runs()).isEqualTo("1×4 3×2 1×6 2×6");
    }

    @Test
    void theBestCandidateIsWaitedForThoughACheaperOneCouldGo() {
        Counter counter = new Counter(slots(2, 0, 0, 0));
        counter.message(20);
        counter.message(4);
        counter.now = 1_000_000;
        counter.message(1);
        IntStream.range(0, 9).forEach(_ -> counter.serve());
        assertThat(counter.runs()).isEqualTo("1×8 2×1");
    }

    @Test
    @Tag("PF-43")
    void beforeEverySelectionTheCurrentJobIsAskedToLetAnotherPass() {
        int[] asked = new int[1];
        Counter counter = new Counter(slots(5, 0, 0, 3),
                (_, blockers) -> new PlainSearchThatCounts(new PlainSearch(blockers), asked));
        counter.message(30);
        counter.message(30);
        counter.serve();
        assertThat(asked[0]).as("it has earned nothing yet").isZero();
        for (int selection = 1; selection < 30; selection++) {
            counter.serve();
            assertThat(asked[0]).isEqualTo(selection);
        }
        counter.serve();
        assertThat(counter.runs()).isEqualTo("1×30 2×1");
        assertThat(asked[0]).as("another is current, and has earned nothing yet").isEqualTo(29);
    }

    private record PlainSearchThatCounts(PlainSearch plain, int[] asked) implements CandidateSearch {
        @Override
        public java.util.Optional<Job> best(Job current, int fit, long nowSecond) {
            asked[0]++;
            return plain.best(current, fit, nowSecond);
        }

        @Override
        public void leaves(Job job) {
            plain.leaves(job);
        }

        @Override
        public void changed(Job job) {
            plain.changed(job);
        }

        @Override
        public void serves(Job job) {
            plain.serves(job);
        }

        @Override
        public void unblocked() {
            plain.unblocked();
        }
    }

    @Test
    @Tag("PF-49")
    void unusedSlotsOfAPreemptingJobComeBack() {
        Counter counter = new Counter(slots(2, 0, 0, 0));
        Message bulk = counter.message(20);
        Message small = counter.message(4, "shaky.example");
        IntStream.range(0, 9).forEach(_ -> counter.serve());
        assertThat(counter.runs()).isEqualTo("1×8 2×1");
        assertThat(job(bulk).slots.balance).isEqualTo(0);

        // Three of its four entries are deferred unseen; one was used, so six units come back.
        counter.scheduler.withdraw(small);
        counter.serve();
        assertThat(job(bulk).slots.balance).isEqualTo(6 + 1);
    }

    @Test
    @Tag("PF-53")
    @Tag("PF-54")
    void aJobPassesAJobThatPassedAJobAndIsAdoptedWhenTheMiddleOneGoes() {
        Counter counter = new Counter(slots(2, 0, 0, 0));
        Message seven = counter.message(40);
        Message four = counter.message(8);
        IntStream.range(0, 20).forEach(_ -> counter.serve());
        assertThat(counter.runs()).isEqualTo("1×16 2×4");
        Message eight = counter.message(2, "eight.example");
        counter.serve();
        assertThat(counter.served).last().isEqualTo(3);
        assertThat(job(eight).parent).isSameAs(job(four));
        assertThat(job(four).parent).isSameAs(job(seven));
        assertThat(job(eight).level).isEqualTo(2);
        assertThat(job(seven).previous).isSameAs(job(four));
        assertThat(job(four).previous).isSameAs(job(eight));

        // The destination of the rest of 8 is busy: 4 runs to its end, and 7 adopts 8.
        DestinationQueue busy = counter.line("eight.example", "r2@eight.example");
        counter.scheduler.allow(busy, 0);
        IntStream.range(0, 4).forEach(_ -> counter.serve());
        assertThat(counter.runs()).isEqualTo("1×16 2×4 3×1 2×4");
        assertThat(job(eight).parent).isSameAs(job(seven));
        assertThat(job(eight).level).isEqualTo(2);
        assertThat(job(four).isOnList()).isFalse();
        int balance = job(seven).slots.balance;

        // When 8 is done nothing comes back to 7, which never paid for it.
        counter.scheduler.withdraw(eight);
        counter.scheduler.forget(eight);
        assertThat(job(seven).slots.balance).isEqualTo(balance);
        assertThat(job(seven).children).isEmpty();
    }

    @Test
    @Tag("PF-23")
    void theOrderOfActivationDoesNotChange() {
        Counter counter = new Counter(slots(2, 0, 0, 0));
        Message bulk = counter.message(10);
        Message second = counter.message(2);
        Message third = counter.message(2);
        IntStream.range(0, 5).forEach(_ -> counter.serve());
        JobList jobs = counter.list(bulk).jobs;
        assertThat(jobs.head).isSameAs(job(second));
        assertThat(jobs.oldest).isSameAs(job(bulk));
        assertThat(job(bulk).younger).isSameAs(job(second));
        assertThat(job(second).younger).isSameAs(job(third));
    }

    @Test
    @Tag("PF-66")
    void aMessageOfWhichMostIsOnDiskIsTakenForAsLargeAsItMayBe() {
        Counter counter = new Counter(slots(2, 0, 0, 0));
        counter.message(20);
        Message hidden = counter.admit(100);
        counter.scheduler.batchRead(hidden, Counter.recipients(1, 1), false, counter.now);
        counter.scheduler.place(hidden, java.util.List
                .of(new Scheduler.PlacedRecipient(Counter.recipients(1, 1).getFirst(),
                        counter.line("hidden.example"))));
        IntStream.range(0, 18).forEach(_ -> counter.serve());
        assertThat(counter.runs()).isEqualTo("1×18");
    }
}
