package org.slipstream.qmgr.sched;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/// A random run of a scheduler: mail of all sizes, destinations without seats, dead destinations,
/// late reads. Every candidate is searched in both ways, and the invariants are checked after every
/// step.
final class Life {
    final Random random;
    final ServiceRules rules;
    final List<BothSearches> searches = new ArrayList<>();
    final Scheduler scheduler;
    final List<Message> messages = new ArrayList<>();
    final List<Entry> running = new ArrayList<>();
    final List<DestinationQueue> lines = new ArrayList<>();
    final Map<Message, Integer> reading = new LinkedHashMap<>();
    final int recipientLimit;
    final int minimum;
    long now;
    int taken;

    /// The events, in order.
    final List<String> transcript = new ArrayList<>();
    int mostInCore;

    /// Messages at a time.
    private static final int ACTIVE_LIMIT = 40;

    Life(long seed) {
        this(seed, OrderPolicy.PREEMPTIVE);
    }

    Life(long seed, OrderPolicy policy) {
        this(seed, policy, true);
    }

    Life(long seed, OrderPolicy policy, boolean marksRuns) {
        random = new Random(seed);
        rules = new ServiceRules(2 + random.nextInt(4), random.nextInt(4), random.nextInt(101), random.nextInt(4),
                random.nextInt(4), 20 + random.nextInt(100), random.nextInt(30), 1 + random.nextInt(20),
                random.nextInt(10_000));
        recipientLimit = 20 + random.nextInt(100);
        minimum = 1 + random.nextInt(10);
        scheduler = new Scheduler(recipientLimit, minimum, 50, _ -> rules, policy, trace(), (jobs, blockers) -> {
            searches.add(new BothSearches(jobs, blockers));
            return searches.getLast();
        }, marksRuns);
        for (int i = 0; i < 8; i++) {
            DestinationQueue line = scheduler.queue(
                    i < 6 ? Counter.smtp("d" + i) : new org.slipstream.core.Route.Local("l" + i),
                    "d" + i);
            scheduler.allow(line, 1 + random.nextInt(4));
            lines.add(line);
        }
    }

    void step() {
        switch (random.nextInt(10)) {
            case 0 -> arrive();
            case 1, 2, 3 -> choose();
            case 4, 5 -> finish();
            case 6 -> answerRead();
            case 7 -> {
                if (random.nextInt(20) == 0) {
                    die(lines.get(random.nextInt(lines.size())));
                }
            }
            case 8 -> {
                DestinationQueue line = lines.get(random.nextInt(lines.size()));
                scheduler.allow(line, random.nextInt(5));
                scheduler.mayGo(line, false);
            }
            default -> now += random.nextInt(3_000);
        }
        orders();
        check();
    }

    void orders() {
        for (var read = scheduler.nextRead(); read.isPresent(); read = scheduler.nextRead()) {
            assertThat(read.get().limit()).isBetween(1, 50);
            assertThat(reading.put(read.get().message(), read.get().limit())).isNull();
        }
    }

    private SchedTrace trace() {
        return new SchedTrace() {
            @Override
            public void selected(Entry entry) {
                transcript
                        .add(now + " " + entry.message().id().value() + ">" + entry.queue() + " " + entry.recipients());
            }

            @Override
            public void preempted(Message current, Message stepping, String transport, int level, int slots) {
                transcript.add(stepping.id().value() + " passes " + current.id().value() + " " + level + " " + slots);
            }

            @Override
            public void read(Message message, int recipients) {
                transcript.add("read " + recipients + " of " + message.id().value());
            }
        };
    }

    /// The marked jobs, in order of the list.
    List<String> blocked() {
        List<String> blocked = new ArrayList<>();
        transports().forEach(transport -> {
            ListOrder list = (ListOrder) transport.order;
            for (Job job = list.jobs.head; job != null; job = job.next) {
                blocked.add(job + (list.blockers.isMarked(job) ? " blocked" : ""));
            }
        });
        return blocked;
    }

    private List<TransportQueues> transports() {
        return lines.stream().map(line -> line.transport).distinct().map(scheduler::at).toList();
    }

    private long active() {
        return messages.stream().filter(m -> m != null).count();
    }

    private void arrive() {
        if (active() >= ACTIVE_LIMIT) {
            return;
        }
        int size = (int) Math.pow(2, random.nextDouble() * 8);
        messages.add(scheduler.admit(new QueueId(messages.size() + 1), now, size, size));
    }

    void choose() {
        if (running.size() < 12 && scheduler.choose(Counter.OPEN, now) instanceof Choice.Taken(Entry e, _)) {
            running.add(e);
            taken++;
        }
    }

    void finish() {
        if (!running.isEmpty()) {
            Entry entry = running.remove(random.nextInt(running.size()));
            scheduler.finished(entry);
            scheduler.mayGo(entry.queue(), false);
            endIfDone(entry.message());
        }
    }

    private void endIfDone(Message message) {
        if (message.isExhausted() && messages.contains(message)) {
            scheduler.forget(message);
            messages.set(messages.indexOf(message), null);
            assertThat(message.limit).isEqualTo(minimum);
        }
    }

    private void die(DestinationQueue line) {
        List<Message> hit = scheduler.withdraw(line).stream().map(Entry::message).distinct().toList();
        hit.forEach(this::endIfDone);
    }

    void answerRead() {
        if (reading.isEmpty()) {
            return;
        }
        Message message = reading.keySet().iterator().next();
        int limit = reading.remove(message);
        int from = message.readUpTo + 1;
        int count = Math.min(limit, message.recipients - message.readUpTo);
        List<Recipient> batch = Counter.recipients(from, count);
        boolean end = random.nextBoolean() ? count < limit : from + count > message.recipients;
        scheduler.batchRead(message, batch, end, now);
        scheduler.place(message, batch.stream()
                .map(r -> new Scheduler.PlacedRecipient(r, lines.get((r.number() / 3 + (int) message.id.value()) % 8)))
                .toList());
        endIfDone(message);
    }

    private void check() {
        int slots = 0;
        int inCore = 0;
        for (Message message : messages) {
            if (message == null) {
                continue;
            }
            inCore += message.inCore + message.setAside;
            slots += message.limit - minimum;
            assertThat(message.limit - minimum).isEqualTo(message.jobs.stream().mapToInt(j -> j.limit).sum());
        }
        assertThat(scheduler.inCore()).isEqualTo(inCore);
        int pools = 0;
        for (TransportQueues transport : transports()) {
            pools += rules.recipientLimit() - transport.pool.free;
            assertThat(transport.pool.free).isGreaterThanOrEqualTo(-rules.extraRecipientLimit());
            checkList(Counter.jobs(transport.order));
        }
        // The slots that are lent are the slots that messages have.
        assertThat(slots).isEqualTo(pools);
        mostInCore = Math.max(mostInCore, inCore);
        // The published bound, and what first batches brought more than their messages may have
        // afterwards (PF-67).
        int ahead = messages.stream().filter(m -> m != null)
                .mapToInt(m -> Math.max(0, m.inCore + m.setAside - m.limit)).sum();
        assertThat(ahead).isLessThanOrEqualTo(recipientLimit);
        assertThat(inCore).isLessThanOrEqualTo(publishedSum() + ahead);
    }

    /// Of the published bound (PF-67) the part that the pools make: the minimum of each message and
    /// the slots of both transports.
    int publishedSum() {
        return ACTIVE_LIMIT * minimum + 2 * (rules.recipientLimit() + rules.extraRecipientLimit());
    }

    int publishedBound() {
        return Math.max(recipientLimit, publishedSum());
    }

    private void checkList(JobList jobs) {
        int behind = 0;
        for (Job job = jobs.head; job != null; job = job.next) {
            behind++;
            assertThat(job.next == null || job.label < job.next.label).isTrue();
            assertThat(job.level).isNotNegative();
            for (Job child : job.children) {
                assertThat(child.parent).isSameAs(job);
                assertThat(child.label).isLessThan(job.label);
            }
        }
        assertThat(behind).isEqualTo(jobs.size());
    }
}
