package org.slipstream.qmgr.sched;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// A scheduler with one server: messages arrive, one entry is taken each second and finished at
/// once.
final class Counter {
    static final Gate.GateAnswer<Boolean> FREE = new Gate.GateAnswer.Free<>(true);
    static final Gate<Boolean> OPEN = (message, line) -> FREE;

    final ServiceRules rules;
    final Scheduler scheduler;
    final Map<Message, Integer> names = new LinkedHashMap<>();
    final List<Integer> served = new ArrayList<>();
    long now;

    Counter(ServiceRules rules) {
        this(rules, BothSearches::new);
    }

    Counter(ServiceRules rules, CandidateSearch.Factory search) {
        this(rules, OrderPolicy.PREEMPTIVE, search, true);
    }

    Counter(ServiceRules rules, boolean marksRuns) {
        this(rules, OrderPolicy.PREEMPTIVE, BothSearches::new, marksRuns);
    }

    Counter(ServiceRules rules, OrderPolicy policy) {
        this(rules, policy, BothSearches::new, true);
    }

    private Counter(ServiceRules rules, OrderPolicy policy, CandidateSearch.Factory search, boolean marksRuns) {
        this.rules = rules;
        scheduler = new Scheduler(100_000, 10, 100_000, _ -> rules, policy, new SchedTrace() {}, search, marksRuns);
    }

    /// Postfix's defaults with one recipient per entry.
    static ServiceRules slots(int cost, int loan, int discount, int minimum) {
        return new ServiceRules(cost, loan, discount, minimum, 1, 20_000, 1_000, 100, 5_000);
    }

    static Route smtp(String hop) {
        return new Route.Smtp(hop, List.of(new Route.Host(hop, 25, 0)));
    }

    static List<Recipient> recipients(int from, int count) {
        return IntStream.range(from, from + count).mapToObj(i -> new Recipient(i, Address.of("r" + i + "@x.example")))
                .toList();
    }

    /// A message with this number of entries, each for another destination.
    Message message(int entries) {
        return message(entries, names.size() + 1 + ".example");
    }

    Message message(int entries, String domain) {
        Message message = admit(entries);
        List<Recipient> recipients = recipients(1, entries);
        scheduler.batchRead(message, recipients, true, now);
        scheduler.place(message, recipients.stream()
                .map(r -> new Scheduler.PlacedRecipient(r, line(domain, r.address().localPart() + "@" + domain)))
                .toList());
        return message;
    }

    /// A message with this number of entries for these destinations in turn.
    Message messageFor(int entries, List<DestinationQueue> places) {
        Message message = admit(entries);
        List<Recipient> recipients = recipients(1, entries);
        scheduler.batchRead(message, recipients, true, now);
        scheduler.place(message, recipients.stream()
                .map(r -> new Scheduler.PlacedRecipient(r, places.get(r.number() % places.size()))).toList());
        return message;
    }

    /// A message without any recipient read.
    Message admit(int recipients) {
        Message message = scheduler.admit(new QueueId(names.size() + 1), now, recipients, recipients);
        names.put(message, names.size() + 1);
        scheduler.nextRead();
        return message;
    }

    DestinationQueue line(String hop, String key) {
        DestinationQueue line = scheduler.queue(smtp(hop), key);
        if (line.allowed() == 0) {
            scheduler.allow(line, 20);
        }
        return line;
    }

    DestinationQueue line(String hop) {
        return line(hop, hop);
    }

    /// Takes one entry and finishes it. False when nothing can go.
    boolean serve() {
        if (!(scheduler.choose(OPEN, now) instanceof Choice.Taken(Entry entry, _))) {
            return false;
        }
        served.add(names.get(entry.message()));
        scheduler.finished(entry);
        scheduler.mayGo(entry.queue(), false);
        now += 1_000;
        return true;
    }

    Counter serveAll() {
        while (serve()) {
            // until nothing waits
        }
        return this;
    }

    static Job job(Message message) {
        return message.jobs.getFirst();
    }

    /// The list of jobs that this one belongs to.
    ListOrder list(Message message) {
        return list(scheduler, job(message).transport);
    }

    static ListOrder list(Scheduler scheduler, Transport transport) {
        return (ListOrder) scheduler.at(transport).order;
    }

    static boolean isBlocked(Scheduler scheduler, Message message) {
        Job job = job(message);
        return list(scheduler, job.transport).blockers.isMarked(job);
    }

    static JobList jobs(ServiceOrder order) {
        return order.jobs();
    }

    /// `1×4 2×2 1×4`
    String runs() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < served.size();) {
            int end = i;
            while (end < served.size() && served.get(end).equals(served.get(i))) {
                end++;
            }
            text.append(i == 0 ? "" : " ").append(served.get(i)).append('×').append(end - i);
            i = end;
        }
        return text.toString();
    }
}
