package org.slipstream.qmgr.place;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;

import static org.assertj.core.api.Assertions.assertThat;

/// Mailing lists, single messages and slow name servers, in simulated time.
class RouteQueueTest {
    private static final long LIST = 1;
    private static final long SINGLE = 2;

    /// A name server with a delay for each domain, and workers that wait for it.
    private static final class Simulation {
        private final RouteQueue queue;
        private final ToLongFunction<String> latencyMillis;
        private final PriorityQueue<Ending> endings = new PriorityQueue<>(
                Comparator.comparingLong(Ending::atMillis).thenComparingLong(e -> e.job().number()));
        private final Map<String, Long> begun = new LinkedHashMap<>();
        private final Map<String, Long> answered = new LinkedHashMap<>();
        private long now;

        private record Ending(long atMillis, RouteQueue.RouteQuestion job) {}

        Simulation(int workers, int floor, int scale, ToLongFunction<String> latencyMillis) {
            var shares = new WorkerBudget.Shares(floor, scale);
            this.queue = new RouteQueue(new WorkerBudget(workers, shares, shares));
            this.latencyMillis = latencyMillis;
        }

        void ask(long message, String... domains) {
            for (String domain : domains) {
                queue.add(new Owner.Message(new QueueId(message)), domain);
            }
            begin();
        }

        private void begin() {
            for (Optional<RouteQueue.RouteQuestion> job = queue.next(); job.isPresent(); job = queue.next()) {
                begun.put(job.get().domain(), now);
                endings.add(new Ending(now + latencyMillis.applyAsLong(job.get().domain()), job.get()));
            }
        }

        void runUntil(long millis) {
            while (!endings.isEmpty() && endings.element().atMillis() <= millis) {
                Ending ending = endings.remove();
                now = ending.atMillis();
                answered.put(ending.job().domain(), now);
                queue.done(ending.job());
                begin();
            }
            now = millis;
        }
    }

    @Test
    @Tag("FI-05")
    void aThousandDomainsOfOneListDoNotDelayASingleMessage() {
        Simulation dns = new Simulation(100, 5, 10, _ -> 50);
        dns.ask(LIST, many("list", 1000));
        assertThat(dns.queue.running()).as("ten elevenths of the workers, while it is alone").isEqualTo(91);
        dns.runUntil(10);
        dns.ask(SINGLE, "single.example");
        assertThat(dns.begun).containsEntry("single.example", 10L);
        dns.runUntil(60);
        assertThat(dns.answered).containsEntry("single.example", 60L).doesNotContainKey("list999.example");
    }

    @Test
    @Tag("FI-04")
    @Tag("FI-05")
    void inOrderOfArrivalItWouldHaveWaitedForAllOfThem() {
        Simulation firstComeFirstServed = new Simulation(100, 100, 0, _ -> 50);
        firstComeFirstServed.ask(LIST, many("list", 1000));
        firstComeFirstServed.runUntil(10);
        firstComeFirstServed.ask(SINGLE, "single.example");
        firstComeFirstServed.runUntil(10_000);
        assertThat(firstComeFirstServed.answered.get("single.example")).isEqualTo(550);
    }

    @Test
    @Tag("FI-06")
    void aDomainWithSilentNameServersStopsNoOther() {
        Simulation dns = new Simulation(100, 5, 10, domain -> domain.startsWith("silent") ? 20_000 : 20);
        dns.ask(LIST, many("silent", 500));
        dns.runUntil(1000);
        for (int i = 0; i < 50; i++) {
            dns.ask(SINGLE + i, "quick" + i + ".example");
            dns.runUntil(1000 + 20 * (i + 1));
            assertThat(dns.answered).containsEntry("quick" + i + ".example", 1020L + 20 * i);
        }
    }

    @Test
    @Tag("FI-05")
    void twoListsComeToShareTheWorkers() {
        Simulation dns = new Simulation(110, 5, 10, domain -> 40 + domain.hashCode() % 20);
        dns.ask(LIST, many("one", 5000));
        dns.ask(SINGLE, many("two", 5000));
        dns.runUntil(2_000);
        long one = dns.answered.keySet().stream().filter(d -> d.startsWith("one")).count();
        dns.runUntil(3_000);
        long oneLater = dns.answered.keySet().stream().filter(d -> d.startsWith("one")).count() - one;
        long bothLater = dns.answered.values().stream().filter(at -> at > 2_000).count();
        assertThat((double) oneLater / bothLater).isBetween(0.45, 0.55);
    }

    @Test
    void questionsOfOneMessageAreAskedInTheirOrderAndEachOnce() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 50; round++) {
            Simulation dns = new Simulation(1 + random.nextInt(20), 1 + random.nextInt(5), random.nextInt(11),
                    _ -> 1 + random.nextInt(100));
            int asked = 0;
            for (int i = 0; i < 30; i++) {
                int size = 1 + random.nextInt(40);
                dns.ask(i + 1, many("m" + i + "-", size));
                asked += size;
                dns.runUntil(dns.now + random.nextInt(30));
            }
            dns.runUntil(10_000_000);
            assertThat(dns.answered).as("seed %d", seed).hasSize(asked);
            assertThat(dns.queue.waiting() + dns.queue.running()).as("seed %d", seed).isZero();
            for (int i = 0; i < 30; i++) {
                String prefix = "m" + i + "-";
                assertThat(dns.begun.keySet().stream().filter(d -> d.startsWith(prefix))
                        .map(d -> Integer.valueOf(d.substring(prefix.length()).replace(".example", ""))).toList())
                        .as("seed %d", seed).isSorted();
            }
        }
    }

    private static String[] many(String name, int count) {
        String[] domains = new String[count];
        for (int i = 0; i < count; i++) {
            domains[i] = name + i + ".example";
        }
        return domains;
    }
}
