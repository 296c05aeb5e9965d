package org.slipstream.qmgr.sched;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.core.queue.QueuePhase.Extent;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The scheduler: selects the next entry to deliver, in Postfix's preemptive order of service. It
/// is the entry point of this package.
///
/// **Structures** (PF-20). A [Message] has a [Job] for each [Transport]; a job has a [Peer] for
/// each destination ([DestinationQueue]); a peer has a list of [Entry]s, the units of delivery.
/// Transports take turns. Within a transport its [ServiceOrder] ([OrderPolicy]) selects the entry:
/// usually jobs are served first come, first served, except where small mail may pass ([ListOrder],
/// [Preemption]), and within a job peers take turns (PF-24).
///
/// **One selection** ([#choose]). The first transport in turn with a ready destination
/// ([ReadyDestinations]) is taken; its order of service selects an entry.
///
/// **Memory.** Recipients are read in [Batches] that [RecipientPool] permits. A read is a request
/// ([#nextRead]) with an answer ([#batchRead]). A search may have to wait for it
/// ([Choice.Reading]); the other transports continue.
///
/// **Life of a message**: [#admit], then for each batch [#nextRead], [#batchRead], [#place] or
/// [#settled]; [#choose] takes entries; [#finished] and [#withdraw] remove them from memory;
/// [#forget] ends it.
public final class Scheduler {
    private int messageMinimum;
    private Function<String, ServiceRules> rules;
    private final OrderPolicy policy;
    private final CandidateSearch.Factory search;
    private final boolean marksRuns;
    private final SchedTrace trace;
    private final Batches batches;

    /// The next in turn first.
    private final List<TransportQueues> transports = new ArrayList<>();

    /// By number.
    private final List<TransportQueues> numbered = new ArrayList<>();

    /// @param recipientLimit recipients in memory up to which first batches may fill it
    /// (`qmgr_message_recipient_limit`)
    /// @param messageMinimum recipients in memory that any message may have
    /// (`qmgr_message_recipient_minimum`)
    /// @param largestBatch recipients read at a time
    /// @param rules of each transport, by its name
    public Scheduler(int recipientLimit, int messageMinimum, int largestBatch, Function<String, ServiceRules> rules,
            OrderPolicy policy, SchedTrace trace) {
        this(recipientLimit, messageMinimum, largestBatch, rules, policy, trace, SizeSearch::new, true);
    }

    Scheduler(int recipientLimit, int messageMinimum, int largestBatch, Function<String, ServiceRules> rules,
            OrderPolicy policy, SchedTrace trace, CandidateSearch.Factory search, boolean marksRuns) {
        this.messageMinimum = messageMinimum;
        this.rules = rules;
        this.policy = policy;
        this.trace = trace;
        this.search = search;
        this.marksRuns = marksRuns;
        this.batches = new Batches(recipientLimit, largestBatch);
    }

    /// Other limits and rules. Recipients in memory stay there, and the slots that jobs have earned
    /// stay theirs.
    public void change(int recipientLimit, int minimum, Function<String, ServiceRules> others) {
        messageMinimum = minimum;
        rules = others;
        batches.change(recipientLimit);
        transports.forEach(each -> each.change(others.apply(each.transport.name())));
        seatsMayBeFree();
    }

    /// A request for recipients: those after `after`, at most `limit`.
    public record ReadRequest(Message message, int after, int limit) {}

    /// A recipient and its destination queue.
    public record PlacedRecipient(Recipient recipient, DestinationQueue queue) {}

    // ---- messages and their recipients

    /// Admits a message; if it has open recipients, its first batch is requested.
    ///
    /// @param recipients in the whole envelope
    public Message admit(QueueId id, long nowMillis, int recipients, int openRecipients) {
        Message message = new Message(id, nowMillis, recipients, messageMinimum);
        message.moreOnFile = openRecipients > 0;
        if (message.moreOnFile) {
            batches.requestFirst(message);
        }
        return message;
    }

    /// The next batch to read, each request once.
    public Optional<ReadRequest> nextRead() {
        return batches.next().map(message -> new ReadRequest(message, message.readUpTo, message.batch));
    }

    /// A batch was read. Its recipients count as in memory until they are settled or their entry is
    /// finished.
    ///
    /// @param end no open recipient has a higher number
    public void batchRead(Message message, List<Recipient> recipients, boolean end, long nowMillis) {
        batches.arrived(message, recipients, end, nowMillis);
        trace.read(message, recipients.size());
        changed(message);
        allPlaced(message);
    }

    /// Puts recipients that are in memory into entries, in the order given.
    public void place(Message message, List<PlacedRecipient> placements) {
        for (PlacedRecipient placement : placements) {
            place(message, placement);
        }
        message.unplaced -= placements.size();
        changed(message);
        allPlaced(message);
    }

    private void place(Message message, PlacedRecipient placement) {
        DestinationQueue queue = placement.queue();
        TransportQueues transport = at(queue.transport);
        Peer peer = peer(message, queue, transport);
        if (peer.last != null && hasRoom(peer.last, queue.transport.rules().recipientsPerEntry())) {
            peer.last.add(placement.recipient());
        } else {
            peer.append(new Entry(peer, placement.recipient()));
            transport.ready.look(queue);
        }
        peer.job.inCore++;
    }

    private static boolean hasRoom(Entry entry, int limit) {
        return limit == 0 || entry.size() < limit;
    }

    private static Peer peer(Message message, DestinationQueue queue, TransportQueues transport) {
        Job job = message.job(queue.transport);
        Peer peer = job.peer(queue).orElseGet(() -> join(job, queue));
        transport.order.hasWork(job);
        return peer;
    }

    private static Peer join(Job job, DestinationQueue queue) {
        Peer peer = new Peer(job, queue);
        job.join(peer);
        return peer;
    }

    private void changed(Message message) {
        for (Job job : message.jobs) {
            at(job.transport).order.changed(job);
        }
    }

    // A message whose recipients are all in entries may return slots.
    private void allPlaced(Message message) {
        if (!message.isPartlyUnread() && message.unplaced == 0) {
            message.jobs.forEach(job -> at(job.transport).pool.giveBack(job));
        }
    }

    // ---- destination queues

    /// The queue of this key, created on first use. A later route with the same key replaces the
    /// earlier one.
    public DestinationQueue queue(Route route, String key) {
        return transport(route.transport()).queue(route, key);
    }

    /// Sets the window of a destination.
    public void allow(DestinationQueue queue, int running) {
        queue.allowed = running;
        at(queue.transport).ready.look(queue);
    }

    /// Removes an empty queue.
    public void drop(DestinationQueue queue) {
        at(queue.transport).drop(queue);
    }

    /// Stops or restarts a transport as a whole.
    public void setDead(String transport, boolean dead) {
        transport(transport).dead = dead;
    }

    /// All queues of a transport, in order of creation, or of turns in round-robin order.
    public List<DestinationQueue> queues(String transport) {
        return List.copyOf(transport(transport).destinations.all());
    }

    /// Entries of a message that wait for this destination or run to it.
    public int entriesAt(Message message, DestinationQueue queue) {
        return message.existingJob(queue.transport).flatMap(job -> job.peer(queue))
                .map(peer -> peer.waiting + peer.running).orElse(0);
    }

    /// All queues, for the snapshot.
    public Stream<DestinationQueue> queues() {
        return transports.stream().map(transport -> transport.destinations.all()).flatMap(Collection::stream);
    }

    /// The first jobs of each transport, at most this number of each.
    public JobsSnapshot jobs(int most) {
        return new JobsSnapshot(numbered.stream().map(each -> each.snapshot(most)).toList());
    }

    /// True when each recipient of this transport is a destination of its own.
    public boolean isPerRecipient(String transport) {
        return transport(transport).transport.rules().recipientsPerEntry() == 1;
    }

    /// Recipients in memory.
    public int inCore() {
        return batches.inCore();
    }

    // There are few transports, three or four in practice.
    private TransportQueues transport(String name) {
        for (TransportQueues each : transports) {
            if (each.transport.name().equals(name)) {
                return each;
            }
        }
        Transport transport = new Transport(numbered.size(), name, rules.apply(name));
        TransportQueues queues = new TransportQueues(transport, policy, search, marksRuns, batches, trace);
        numbered.add(queues);
        transports.addFirst(queues);
        return queues;
    }

    TransportQueues at(Transport transport) {
        return numbered.get(transport.number());
    }

    // ---- choosing

    /// Takes the next entry that can go.
    ///
    /// @param gate asked about seats, after the window
    public <S> Choice<S> choose(Gate<S> gate, long nowMillis) {
        Choice<S> resumed = resume(gate, nowMillis);
        if (!resumed.isNothing()) {
            return resumed;
        }
        for (int i = 0; i < transports.size(); i++) {
            TransportQueues transport = transports.get(i);
            Choice<S> choice = transport.order.isPaused() ? Choice.nothing() : transport.next(gate, nowMillis);
            if (!choice.isNothing()) {
                Collections.rotate(transports, -(i + 1));
                return choice;
            }
        }
        return Choice.nothing();
    }

    // A paused search whose recipients were read continues first, and does not count as a turn of
    // its transport.
    private <S> Choice<S> resume(Gate<S> gate, long nowMillis) {
        for (int i = 0; i < transports.size(); i++) {
            TransportQueues transport = transports.get(i);
            Choice<S> choice = transport.order.canResume() ? transport.next(gate, nowMillis) : Choice.nothing();
            if (!choice.isNothing()) {
                return choice;
            }
        }
        return Choice.nothing();
    }

    /// Finds entries that wait although their windows and the gate are free. After [#choose]
    /// returned nothing there is none, unless a wake-up was lost. A message that has used up its
    /// share is skipped as a whole, as in the search. Changes nothing.
    public Stream<Entry> overlooked(Gate<?> question) {
        List<Entry> waiting = transports.stream()
                .filter(transport -> !transport.dead && !transport.order.isPaused()
                        && !transport.order.holdsBack())
                .flatMap(transport -> transport.destinations.all().stream()).filter(DestinationQueue::hasRoom)
                .flatMap(DestinationQueue::firstOfEachMessage).toList();
        Set<QueueId> rationed = waiting.stream()
                .filter(entry -> question.ask(entry.message(),
                        entry.queue()) instanceof Gate.GateAnswer.Refused<?> refused
                        && refused.extent() == Extent.MESSAGE)
                .map(entry -> entry.message().id).collect(Collectors.toCollection(java.util.TreeSet::new));
        return waiting.stream().filter(entry -> !rationed.contains(entry.message().id)
                && question.ask(entry.message(), entry.queue()) instanceof Gate.GateAnswer.Free);
    }

    // ---- finishing

    /// A running entry finished, with any outcome.
    public void finished(Entry entry) {
        Peer peer = entry.peer;
        Job job = peer.job;
        peer.finish();
        outOfCore(job, entry.size());
        giveBack(job);
        dropIfEmpty(peer);
        at(job.transport).ready.look(peer.queue);
        batches.readOn(job.message);
    }

    // First the sponsors, the other jobs of the message: those off the list, or all when every
    // recipient is read.
    private void giveBack(Job job) {
        boolean allRead = !job.message.isPartlyUnread();
        for (Job sponsor : job.message.jobs) {
            if (sponsor != job && (allRead || !sponsor.isOnList())) {
                at(sponsor.transport).pool.giveBack(sponsor);
            }
        }
        if (allRead) {
            at(job.transport).pool.giveBack(job);
        }
    }

    /// Recipients that never were in an entry leave memory.
    public void settled(Message message, int recipients) {
        batches.gone(message, recipients);
        message.unplaced -= recipients;
        if (message.unplaced < 0) {
            throw new IllegalStateException(
                    "queue=" + message.id + " has " + message.unplaced + " recipients to place");
        }
        allPlaced(message);
        batches.readOn(message);
    }

    /// Recipients of an entry that is about to leave memory are to be placed again.
    public void again(Entry entry) {
        batches.again(entry.message(), entry.size());
    }

    private void outOfCore(Job job, int recipients) {
        job.inCore -= recipients;
        batches.gone(job.message, recipients);
        if (job.inCore < 0) {
            throw new IllegalStateException(job + " has " + job.inCore + " recipients in memory");
        }
    }

    private static void dropIfEmpty(Peer peer) {
        if (peer.isEmpty()) {
            peer.job.leave(peer);
        }
    }

    /// An event that may let an entry go: an entry finished, a pause ended, a seat became free.
    ///
    /// @param dead true when the destination is dead
    public void mayGo(DestinationQueue queue, boolean dead) {
        at(queue.transport).mayGo(queue, dead);
    }

    /// An entry of this queue released its seat. With per-recipient windows, another queue of the
    /// same next hop may use it, even while this one is suspended.
    public void seatMayBeFree(DestinationQueue queue) {
        at(queue.transport).seatsMayBeFree(queue.hop);
    }

    /// Seats may have become free anywhere.
    public void seatsMayBeFree() {
        transports.forEach(TransportQueues::seatsMayBeFree);
    }

    // ---- taking away

    /// Removes all waiting entries of a queue and returns them, first to last. Reading continues.
    public List<Entry> withdraw(DestinationQueue queue) {
        List<Entry> withdrawn = new ArrayList<>(queue.waiting);
        for (Entry entry = queue.first; entry != null; entry = entry.nextInQueue) {
            withdrawn.add(entry);
        }
        while (queue.first != null) {
            clear(queue.first.peer);
        }
        withdrawn.forEach(entry -> batches.readOn(entry.message()));
        return withdrawn;
    }

    /// Removes all waiting entries of a message and stops reading it. Running entries continue.
    public List<Entry> withdraw(Message message) {
        message.moreOnFile = false;
        batches.cancel(message);
        List<Entry> withdrawn = new ArrayList<>(message.waiting);
        for (Job job : message.jobs) {
            for (Peer peer : job.peers()) {
                for (Entry entry = peer.first; entry != null; entry = entry.nextAtPeer) {
                    withdrawn.add(entry);
                }
                clear(peer);
            }
        }
        return withdrawn;
    }

    // All waiting entries of the peer count as selected, although none was taken.
    private void clear(Peer peer) {
        while (peer.waiting > 0) {
            Entry entry = peer.takeFirst();
            outOfCore(peer.job, entry.size());
        }
        dropIfEmpty(peer);
        TransportQueues transport = at(peer.job.transport);
        transport.ready.look(peer.queue);
        transport.order.changed(peer.job);
    }

    /// Removes a message that is no longer active: its jobs leave, and their slots return.
    public void forget(Message message) {
        for (Job job : message.jobs) {
            at(job.transport).order.forget(job);
        }
        batches.cancel(message);
    }
}
