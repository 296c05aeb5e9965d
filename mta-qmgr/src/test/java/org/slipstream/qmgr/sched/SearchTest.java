package org.slipstream.qmgr.sched;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Random runs of a scheduler: mail of all sizes, destinations without seats, dead destinations,
/// late reads. Every candidate is searched in both ways, and the invariants are checked after every
/// step.
class SearchTest {
    /// The build runs this part of the seeds, but all where a test counts the lines of all
    /// transcripts.
    private static final int PART = Boolean.getBoolean("slipstream.long") ? 1 : 4;

    @Test
    @Tag("PF-55")
    @Tag("PF-49")
    void bothSearchesFindTheSameAndTheBooksBalanceInManyLives() {
        int asked = 0;
        int found = 0;
        int taken = 0;
        for (long seed = 1; seed <= 120 / PART; seed++) {
            Life life = new Life(seed);
            try {
                for (int i = 0; i < 1_500; i++) {
                    life.step();
                }
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
            asked += life.searches.stream().mapToInt(s -> s.asked).sum();
            found += life.searches.stream().mapToInt(s -> s.found).sum();
            taken += life.taken;
        }
        // Guards against a comparison without cases.
        assertThat(asked).isGreaterThan(1_000);
        assertThat(found).isGreaterThan(200);
        assertThat(taken).isGreaterThan(5_000);
    }

    /// Drops its cached answer before each question.
    private static final class Forgetful implements CandidateSearch {
        private final SizeSearch search;

        Forgetful(JobList jobs, Blockers blockers) {
            search = new SizeSearch(jobs, blockers);
        }

        @Override
        public Optional<Job> best(Job current, int fit, long nowSecond) {
            search.unblocked();
            return search.best(current, fit, nowSecond);
        }

        @Override
        public void leaves(Job job) {
            search.leaves(job);
        }

        @Override
        public void changed(Job job) {
            search.changed(job);
        }

        @Override
        public void serves(Job job) {
            search.serves(job);
        }

        @Override
        public void unblocked() {
            search.unblocked();
        }
    }

    private static List<Integer> served(long seed, CandidateSearch.Factory search) {
        Random random = new Random(seed);
        Counter counter = new Counter(Counter.slots(2 + random.nextInt(4), random.nextInt(4), random.nextInt(101),
                random.nextInt(4)), search);
        for (int i = 0; i < 60; i++) {
            counter.message((int) Math.pow(2, random.nextDouble() * 7));
            for (int served = random.nextInt(20); served > 0; served--) {
                counter.serve();
            }
        }
        return counter.serveAll().served;
    }

    /// A cached answer equals the one that a search would find.
    @Test
    @Tag("PF-55")
    void theSameOrderWithAndWithoutAMemoryAndByAPlainWalk() {
        for (long seed = 1; seed <= 100 / PART; seed++) {
            List<Integer> served = served(seed, SizeSearch::new);
            assertThat(served).as("seed %d", seed).isEqualTo(served(seed, Forgetful::new))
                    .isEqualTo(served(seed, (_, blockers) -> new PlainSearch(blockers)));
        }
    }

    /// Adjacent jobs marked as a run are marked as they would be one by one.
    @Test
    @Tag("PF-52")
    void theSameTranscriptWithAndWithoutBlockedRuns() {
        int lines = 0;
        for (long seed = 5_001; seed <= 5_070; seed++) {
            Life one = new Life(seed, OrderPolicy.PREEMPTIVE, true);
            Life two = new Life(seed, OrderPolicy.PREEMPTIVE, false);
            for (int i = 0; i < 800; i++) {
                one.step();
                two.step();
                assertThat(one.blocked()).as("seed %d step %d", seed, i).isEqualTo(two.blocked());
            }
            assertThat(one.transcript).as("seed %d", seed).isEqualTo(two.transcript);
            lines += one.transcript.size();
        }
        assertThat(lines).isGreaterThan(10_000);
    }

    /// Mail for few destinations, half of it single messages, with destinations that become full
    /// and free at random.
    private static List<Integer> servedQueues(long seed, boolean marksRuns, int doors) {
        Random random = new Random(seed);
        Counter counter = new Counter(Counter.slots(2 + random.nextInt(4), random.nextInt(4), random.nextInt(101),
                random.nextInt(4)), marksRuns);
        List<DestinationQueue> queues = IntStream.range(0, doors).mapToObj(i -> counter.line("door" + i)).toList();
        for (int step = 0; step < 600; step++) {
            DestinationQueue queue = queues.get(random.nextInt(doors));
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> counter.messageFor(random.nextBoolean() ? 1 : 1 + random.nextInt(10 * doors),
                        random.nextInt(4) > 0 ? List.of(queue) : queues);
                case 3 -> {
                    counter.scheduler.allow(queue, random.nextInt(2));
                    counter.scheduler.mayGo(queue, false);
                }
                case 4 -> {
                    if (random.nextInt(10) == 0) {
                        counter.scheduler.withdraw(queue);
                    }
                }
                default -> counter.serve();
            }
        }
        queues.forEach(queue -> {
            counter.scheduler.allow(queue, 1);
            counter.scheduler.mayGo(queue, false);
        });
        return counter.serveAll().served;
    }

    @Test
    @Tag("PF-51")
    @Tag("PF-52")
    void theOrderIsTheSameWithAndWithoutBlockedRuns() {
        int served = 0;
        for (long seed = 1; seed <= 200 / PART; seed++) {
            List<Integer> withBlockedRuns = servedQueues(seed, true, 3);
            assertThat(withBlockedRuns).as("seed %d", seed).isEqualTo(servedQueues(seed, false, 3));
            served += withBlockedRuns.size();
        }
        assertThat(served).isGreaterThan(10_000);
    }

    /// The destinations of a job that has many are not marked, and it is served as if they were.
    @Test
    @Tag("PF-52")
    void theOrderIsTheSameForJobsOfManyDestinations() {
        int served = 0;
        for (long seed = 1; seed <= 20; seed++) {
            List<Integer> kept = servedQueues(seed, true, 90);
            assertThat(kept).as("seed %d", seed).isEqualTo(servedQueues(seed, false, 90));
            served += kept.size();
        }
        assertThat(served).isGreaterThan(10_000);
    }

    /// The result depends on the seed only.
    @Test
    void theSameSeedGivesTheSameTranscriptTwice() {
        int lines = 0;
        for (long seed = 1; seed <= 30; seed++) {
            OrderPolicy policy = OrderPolicy.values()[(int) (seed % 3)];
            Life one = new Life(seed, policy);
            Life two = new Life(seed, policy);
            for (int i = 0; i < 800; i++) {
                one.step();
                two.step();
            }
            assertThat(one.transcript).as("seed %d", seed).isEqualTo(two.transcript);
            lines += one.transcript.size();
        }
        assertThat(lines).isGreaterThan(3_000);
    }

    /// After any run: when all destinations are free and every order is answered, every message
    /// leaves.
    @Test
    void nothingIsLeftBehind() {
        for (long seed = 1; seed <= 150 / PART; seed++) {
            Life life = new Life(seed, OrderPolicy.values()[(int) (seed % 3)]);
            for (int i = 0; i < 600; i++) {
                life.step();
            }
            for (int i = 0; i < 20_000 && life.messages.stream().anyMatch(m -> m != null); i++) {
                life.lines.forEach(line -> {
                    life.scheduler.allow(line, 3);
                    life.scheduler.mayGo(line, false);
                });
                life.choose();
                life.orders();
                life.finish();
                life.answerRead();
                life.orders();
            }
            assertThat(life.messages).as("seed %d", seed).allMatch(m -> m == null);
            assertThat(life.scheduler.inCore()).as("seed %d", seed).isZero();
        }
    }
}
