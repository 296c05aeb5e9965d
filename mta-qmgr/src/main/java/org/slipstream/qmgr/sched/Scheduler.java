package org.slipstream.qmgr.sched;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Who is next? The entrance of this package: Postfix's preemptive order of service.
///
/// **Structures** (PF-20). A [Message] has a [Job] for each [Transport] it needs; a job has a [Peer] for each destination
/// ([DestinationQueue]); a peer has a row of [Entry]s, the units that are handed over. Transports take turns. Which entry of a transport
/// goes is decided by its [ServiceOrder] ([OrderPolicy]): as a rule jobs are served first come, first served, except where small mail
/// may pass ([ListOrder], [Preemption]), and within a job peers take turns (PF-24).
///
/// **One selection** ([#choose]). From the transports, in turn, one is taken at which something can go ([ReadyDestinations]); its order of
/// service takes an entry.
///
/// **Memory.** Recipients are read in [Batches] that [RecipientPool] allows. A read is a wish ([#nextRead]) with an answer
/// ([#batchRead]). A search may have to wait for it ([Choice.Reading]); the other transports go on.
///
/// **A message's way**: [#admit], then for each batch [#nextRead], [#batchRead], [#place] or [#settled]; [#choose] takes
/// entries; [#finished] and [#withdraw] take them out of memory; [#forget] ends it.
public final class Scheduler {
    private final int messageMinimum;
    private final Function<String, ServiceRules> rules;
    private final OrderPolicy policy;
    private final CandidateSearch.Factory search;
    private final boolean marksRuns;
    private final SchedTrace trace;
    private final Batches batches;

    /// The next in turn first.
    private final List<TransportQueues> transports = new ArrayList<>();

    /// By number.
    private final List<TransportQueues> numbered = new ArrayList<>();

    /// @param recipientLimit recipients in memory up to which first batches may fill it (`qmgr_message_recipient_limit`)
    /// @param messageMinimum recipients of any message that may be in memory (`qmgr_message_recipient_minimum`)
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

    /// A wish for recipients: those after `after`, at most `limit`.
    public record Read(Message message, int after, int limit) {}

    /// A recipient and the line that leads to it.
    public record PlacedRecipient(Recipient recipient, DestinationQueue line) {}

    // ---- messages and their recipients

    /// Takes a message in; its first batch is wished for when it has open recipients.
    ///
    /// @param recipients in the whole envelope
    public Message admit(QueueId id, long nowMillis, int recipients, int openRecipients) {
        Message message = new Message(id, nowMillis, recipients, messageMinimum);
        message.moreOnFile = openRecipients > 0;
        if (message.moreOnFile) {
            batches.wishFirst(message);
        }
        return message;
    }

    /// The next batch to read, each wish once.
    public Optional<Read> nextRead() {
        return batches.next().map(message -> new Read(message, message.readUpTo, message.batch));
    }

    /// A batch has come. Its recipients count as in memory until they are settled or their entry is finished.
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
        DestinationQueue line = placement.line();
        TransportQueues transport = at(line.transport);
        Peer peer = peer(message, line, transport);
        if (peer.last != null && hasRoom(peer.last, line.transport.rules().recipientsPerEntry())) {
            peer.last.add(placement.recipient());
        } else {
            peer.append(new Entry(peer, placement.recipient()));
            transport.ready.look(line);
        }
        peer.job.inCore++;
    }

    private static boolean hasRoom(Entry entry, int limit) {
        return limit == 0 || entry.size() < limit;
    }

    private static Peer peer(Message message, DestinationQueue line, TransportQueues transport) {
        Job job = message.job(line.transport);
        Peer peer = job.peer(line).orElseGet(() -> join(job, line));
        transport.order.hasWork(job);
        return peer;
    }

    private static Peer join(Job job, DestinationQueue line) {
        Peer peer = new Peer(job, line);
        job.join(peer);
        return peer;
    }

    private void changed(Message message) {
        for (Job job : message.jobs) {
            at(job.transport).order.changed(job);
        }
    }

    // A message that is completely in entries has slots to give back.
    private void allPlaced(Message message) {
        if (!message.isPartlyUnread() && message.unplaced == 0) {
            message.jobs.forEach(job -> at(job.transport).pool.giveBack(job));
        }
    }

    // ---- lines

    /// The line of this key, made when there is none. Later routes with the same key replace how to get there.
    public DestinationQueue line(Route route, String key) {
        return transport(route.transport()).line(route, key);
    }

    /// How many of a line may run at once has changed.
    public void allow(DestinationQueue line, int running) {
        line.allowed = running;
        at(line.transport).ready.look(line);
    }

    /// Forgets an empty line.
    public void drop(DestinationQueue line) {
        at(line.transport).drop(line);
    }

    /// Stops or restarts a transport as a whole.
    public void setDead(String transport, boolean dead) {
        transport(transport).dead = dead;
    }

    /// All lines of a transport, in order of creation, or of turns where destinations take turns.
    public List<DestinationQueue> lines(String transport) {
        return List.copyOf(transport(transport).destinations.all());
    }

    /// Entries of a message that wait for or run to this line.
    public int entriesAt(Message message, DestinationQueue line) {
        return message.existingJob(line.transport).flatMap(job -> job.peer(line))
                .map(peer -> peer.waiting + peer.running).orElse(0);
    }

    /// All lines, for the snapshot.
    public Stream<DestinationQueue> lines() {
        return transports.stream().map(transport -> transport.destinations.all()).flatMap(Collection::stream);
    }

    /// True when recipients at this transport go one by one and are destinations of their own.
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

    /// Takes the next entry that may go.
    ///
    /// @param gate asked about seats, after the window has said yes
    public Choice choose(Gate gate, long nowMillis) {
        Choice resumed = resume(gate, nowMillis);
        if (resumed != Choice.NOTHING) {
            return resumed;
        }
        for (int i = 0; i < transports.size(); i++) {
            TransportQueues transport = transports.get(i);
            Choice choice = transport.order.isPaused() ? Choice.NOTHING : transport.next(gate, nowMillis);
            if (choice != Choice.NOTHING) {
                Collections.rotate(transports, -(i + 1));
                return choice;
            }
        }
        return Choice.NOTHING;
    }

    // A search whose recipients have been read goes on first, and is no turn of its transport.
    private Choice resume(Gate gate, long nowMillis) {
        for (int i = 0; i < transports.size(); i++) {
            TransportQueues transport = transports.get(i);
            Choice choice = transport.order.canResume() ? transport.next(gate, nowMillis) : Choice.NOTHING;
            if (choice != Choice.NOTHING) {
                return choice;
            }
        }
        return Choice.NOTHING;
    }

    /// An entry that waits although its destination has room and the gate lets it go. After [#choose] has found nothing there is
    /// none, or a wake-up was lost. A message that has its share somewhere is passed over as a whole, as the search does it. Changes
    /// nothing.
    public Optional<Entry> overlooked(Gate question) {
        List<Entry> waiting = transports.stream()
                .filter(transport -> !transport.dead && !transport.order.isPaused())
                .flatMap(transport -> transport.destinations.all().stream()).filter(DestinationQueue::hasRoom)
                .flatMap(DestinationQueue::firstOfEachMessage).toList();
        Set<QueueId> rationed = waiting.stream()
                .filter(entry -> question.ask(entry.message(), entry.line()) == Gate.Answer.NOT_OF_MESSAGE)
                .map(entry -> entry.message().id).collect(Collectors.toCollection(java.util.TreeSet::new));
        return waiting.stream().filter(entry -> !rationed.contains(entry.message().id)
                && question.ask(entry.message(), entry.line()) == Gate.Answer.FREE).findFirst();
    }

    // ---- finishing

    /// A taken entry is done with, whatever became of its recipients.
    public void finished(Entry entry) {
        Peer peer = entry.peer;
        Job job = peer.job;
        peer.finish();
        outOfCore(job, entry.size());
        giveBack(job);
        dropIfEmpty(peer);
        at(job.transport).ready.look(peer.line);
        batches.readOn(job.message);
    }

    // First the sponsors, that is the other jobs of the message: those that are off the list, or all when the file is read.
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

    /// Recipients in memory are done with without ever having been in an entry.
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

    /// Something happened at this destination that may have made room: an entry finished, a pause ended, a seat got free.
    ///
    /// @param dead nothing goes there for the time being
    public void mayGo(DestinationQueue line, boolean dead) {
        at(line.transport).mayGo(line, dead);
    }

    /// An entry of this line has given its seat back. Where recipients have windows of their own, another line may use it that
    /// leads to the same place, also while this one rests.
    public void seatMayBeFree(DestinationQueue line) {
        at(line.transport).seatsMayBeFree(line.hop);
    }

    /// Seats may have become free anywhere.
    public void seatsMayBeFree() {
        transports.forEach(TransportQueues::seatsMayBeFree);
    }

    // ---- taking away

    /// Takes all waiting entries of a line away, first to last. They are no longer in memory; reading goes on.
    public List<Entry> withdraw(DestinationQueue line) {
        List<Entry> withdrawn = new ArrayList<>(line.waiting);
        for (Entry entry = line.first; entry != null; entry = entry.nextAtLine) {
            withdrawn.add(entry);
        }
        while (line.first != null) {
            clear(line.first.peer);
        }
        withdrawn.forEach(entry -> batches.readOn(entry.message()));
        return withdrawn;
    }

    /// Takes all waiting entries of a message away and reads no more of it. What runs goes on.
    public List<Entry> withdraw(Message message) {
        message.moreOnFile = false;
        batches.unwish(message);
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

    // All waiting entries of a peer count as selected, though none was taken.
    private void clear(Peer peer) {
        while (peer.waiting > 0) {
            Entry entry = peer.takeFirst();
            outOfCore(peer.job, entry.size());
        }
        dropIfEmpty(peer);
        TransportQueues transport = at(peer.job.transport);
        transport.ready.look(peer.line);
        transport.order.changed(peer.job);
    }

    /// A message is no longer active: its jobs leave, and their slots go to others.
    public void forget(Message message) {
        for (Job job : message.jobs) {
            at(job.transport).order.forget(job);
        }
        batches.unwish(message);
    }
}
