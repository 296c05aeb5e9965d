package org.slipstream.qmgr.sched;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Who is next? The door of this package, and Postfix's preemptive order of service.
///
/// **Structures** (PF-20). A [Message] has a [Job] for each [Transport] it needs; a job has a [Peer] for each destination
/// ([Line]); a peer has a row of [Entry]s, the units that are handed over. Transports take turns. Within a transport jobs are
/// served first come, first served, except where [Preemption] lets small mail pass; within a job peers take turns (PF-24).
///
/// **One selection** ([#choose]). From the transports, in turn, one is taken at which something can go. Its current job, from
/// which an entry was taken last, may let another pass. Then the list is walked from there: a job with a peer whose
/// destination has room gives an entry and is the current one from now on; a job without is marked a blocker and
/// passed over ([Blockers]); a job that has nothing left in memory is retired until more of it is read.
///
/// **Memory.** Recipients are read in batches that [RecipientPool] allows. The original reads in the middle of a selection
/// and waits for the disk. Here a read is a wish ([#nextRead]) with an answer ([#batchRead]): the search of that transport
/// pauses where it stands ([Choice.Reading]), the others go on, and when the answer is there it continues exactly at
/// that place. When answers come at once the decisions are the original's, one for one.
///
/// **A message's way**: [#admit], then for each batch [#nextRead], [#batchRead], [#place] or [#settled]; [#choose] takes
/// entries; [#finished] and [#withdraw] take them out of memory; [#forget] ends it.
public final class Scheduler {
    /// So many places of one message are asked about in vain for the message's sake before the search goes on to the next
    /// message: some of them may let it ride along, but a list to ten thousand places is not to be walked at every event.
    private static final int MOST_REFUSALS = 8;

    /// No batch is larger, whatever the limits say.
    private final int largestBatch;
    private final int recipientLimit;
    private final int messageMinimum;
    private final Function<String, ServiceRules> rules;
    private final Supplier<CandidateSearch> search;
    private final SchedTrace trace;
    private final List<Transport> transports = new ArrayList<>();
    private final Map<Transport, Preemption> preemptions = new LinkedHashMap<>();
    private final ArrayDeque<Message> wantRecipients = new ArrayDeque<>();

    /// Recipients in memory or set aside for batches that are being read.
    private int inCore;

    /// @param recipientLimit recipients in memory up to which first batches may fill it (`qmgr_message_recipient_limit`)
    /// @param messageMinimum recipients of any message that may be in memory (`qmgr_message_recipient_minimum`)
    /// @param largestBatch recipients read at a time
    /// @param rules of each transport, by its name
    public Scheduler(int recipientLimit, int messageMinimum, int largestBatch, Function<String, ServiceRules> rules,
            SchedTrace trace) {
        this(recipientLimit, messageMinimum, largestBatch, rules, trace, SizeSearch::new);
    }

    Scheduler(int recipientLimit, int messageMinimum, int largestBatch, Function<String, ServiceRules> rules,
            SchedTrace trace, Supplier<CandidateSearch> search) {
        this.recipientLimit = recipientLimit;
        this.messageMinimum = messageMinimum;
        this.largestBatch = largestBatch;
        this.rules = rules;
        this.trace = trace;
        this.search = search;
    }

    /// A wish for recipients: those after `after`, at most `limit`.
    public record Read(Message message, int after, int limit) {}

    /// A recipient and the line that leads to it.
    public record Placement(Recipient recipient, Line line) {}

    /// What a search came to.
    public sealed interface Choice {
        /// This entry goes.
        record Taken(Entry entry) implements Choice {}

        /// The search of one transport waits for recipients; others may be tried.
        record Reading() implements Choice {}

        /// Nothing can go at any transport.
        record Nothing() implements Choice {}
    }

    private static final Choice NOTHING = new Choice.Nothing();
    private static final Choice READING = new Choice.Reading();

    // ---- messages and their recipients

    /// Takes a message in; its first batch is wished for when it has open recipients.
    ///
    /// @param recipients in the whole envelope
    public Message admit(QueueId id, long nowMillis, int recipients, int openRecipients) {
        Message message = new Message(id, nowMillis, recipients, messageMinimum);
        message.moreOnFile = openRecipients > 0;
        if (message.moreOnFile) {
            wish(message, Math.max(recipientLimit - inCore, message.limit));
        }
        return message;
    }

    /// The next batch to read, each wish once.
    public Optional<Read> nextRead() {
        return Optional.ofNullable(wantRecipients.poll())
                .map(message -> new Read(message, message.readUpTo, message.batch));
    }

    /// A batch has come. Its recipients count as in memory until they are settled or their entry is finished.
    ///
    /// @param end no open recipient has a higher number
    public void batchRead(Message message, List<Recipient> recipients, boolean end, long nowMillis) {
        message.reading = false;
        inCore += recipients.size() - message.setAside;
        message.setAside = 0;
        message.inCore += recipients.size();
        message.unplaced += recipients.size();
        message.lastReadMillis = nowMillis;
        if (!recipients.isEmpty()) {
            message.readUpTo = recipients.getLast().number();
        }
        message.moreOnFile = message.moreOnFile && !end;
        message.unread = message.moreOnFile ? Math.max(0, message.recipients - message.readUpTo) : 0;
        trace.read(message, recipients.size());
        message.jobs.forEach(job -> job.transport.candidates.changed(job));
        allPlaced(message);
    }

    /// Puts recipients that are in memory into entries, in the order given.
    public void place(Message message, List<Placement> placements) {
        for (Placement placement : placements) {
            place(message, placement);
        }
        message.unplaced -= placements.size();
        message.jobs.forEach(job -> job.transport.candidates.changed(job));
        allPlaced(message);
    }

    private void place(Message message, Placement placement) {
        Line line = placement.line();
        Peer peer = peer(message, line);
        Job job = peer.job;
        if (peer.last == null || !hasRoom(peer.last, line.transport.rules.recipientsPerEntry())) {
            Entry entry = new Entry(peer);
            peer.append(entry);
            line.append(entry);
            message.waiting++;
            job.read++;
            seeWhetherOpen(line);
        }
        peer.last.recipients.add(placement.recipient());
        job.inCore++;
    }

    private static boolean hasRoom(Entry entry, int limit) {
        return limit == 0 || entry.recipients.size() < limit;
    }

    private Peer peer(Message message, Line line) {
        Peer known = line.peers.get(message);
        if (known == null) {
            known = new Peer(message.job(line.transport), line);
            known.job.join(known);
            line.peers.put(message, known);
        }
        touch(known.job);
        return known;
    }

    // New work: the job is on the list, and not passed over.
    private static void touch(Job job) {
        Transport transport = job.transport;
        if (!job.isOnList()) {
            enter(job);
        }
        if (transport.blockers.unmark(job)) {
            transport.current = transport.jobs.head;
        }
    }

    private static void enter(Job job) {
        Transport transport = job.transport;
        boolean passedCurrent = transport.jobs.enter(job, transport.current);
        if (transport.current == null || passedCurrent) {
            transport.current = job;
        }
        transport.pool.entered(job, transport.jobs.enterByAge(job, transport.pool.firstUnread));
    }

    // A message that is completely in entries has slots to give back.
    private static void allPlaced(Message message) {
        if (!message.isPartlyUnread() && message.unplaced == 0) {
            message.jobs.forEach(job -> job.transport.pool.giveBack(job));
        }
    }

    private void wish(Message message, int slots) {
        message.reading = true;
        message.batch = Math.min(slots, largestBatch);
        message.setAside = Math.min(message.batch, message.unread);
        inCore += message.setAside;
        wantRecipients.add(message);
    }

    private void unwish(Message message) {
        if (wantRecipients.remove(message)) {
            message.reading = false;
            inCore -= message.setAside;
            message.setAside = 0;
        }
    }

    // ---- lines

    /// The line of this key, made when there is none. Later routes with the same key replace how to get there.
    public Line line(Route route, String key) {
        Transport transport = transport(route.transport());
        Line line = transport.lines.computeIfAbsent(key, k -> newLine(transport, k, route));
        line.route = route;
        return line;
    }

    private static Line newLine(Transport transport, String key, Route route) {
        Site site = transport.sites.computeIfAbsent(route.nextHop(), Site::new);
        site.lines++;
        return new Line(transport, site, key, route);
    }

    /// How many of a line may run at once has changed.
    public void allow(Line line, int running) {
        line.allowed = running;
        seeWhetherOpen(line);
    }

    /// Forgets an empty line.
    public void drop(Line line) {
        if (!line.isEmpty()) {
            throw new IllegalStateException("line " + line + " has entries");
        }
        Transport transport = line.transport;
        transport.lines.remove(line.key);
        if (--line.site.lines == 0) {
            transport.sites.remove(line.site.nextHop);
            transport.full.remove(line.site);
            transport.open.remove(line.site);
        }
    }

    /// Stops or restarts a transport as a whole.
    public void setDead(String transport, boolean dead) {
        transport(transport).dead = dead;
    }

    /// All lines of a transport, in order of creation.
    public List<Line> lines(String transport) {
        return List.copyOf(transport(transport).lines.values());
    }

    /// All lines, for the snapshot.
    public Stream<Line> lines() {
        return transports.stream().map(transport -> transport.lines.values()).flatMap(Collection::stream);
    }

    /// True when recipients at this transport go one by one and are destinations of their own.
    public boolean isPerRecipient(String transport) {
        return transport(transport).rules.recipientsPerEntry() == 1;
    }

    /// Recipients in memory.
    public int inCore() {
        return inCore;
    }

    private Transport transport(String name) {
        for (Transport transport : transports) {
            if (transport.name.equals(name)) {
                return transport;
            }
        }
        Transport transport = new Transport(name, rules.apply(name), search.get());
        transports.addFirst(transport);
        preemptions.put(transport, new Preemption(transport, trace));
        return transport;
    }

    private static void seeWhetherOpen(Line line) {
        if (line.waiting > 0 && line.hasRoom()) {
            line.site.open.add(line);
        } else {
            line.site.open.remove(line);
        }
        seeWhetherOpen(line.transport, line.site);
    }

    private static void seeWhetherOpen(Transport transport, Site site) {
        if (site.isOpen()) {
            transport.open.add(site);
        } else {
            transport.open.remove(site);
        }
    }

    // ---- choosing

    /// Takes the next entry that may go.
    ///
    /// @param gate asked about seats, after the window has said yes
    public Choice choose(Gate gate, long nowMillis) {
        for (Transport transport : transports) {
            if (transport.pause != null && !transport.pause.job().message.reading) {
                Choice choice = resume(transport, gate, nowMillis);
                if (choice != NOTHING) {
                    return choice;
                }
            }
        }
        for (int i = 0; i < transports.size(); i++) {
            Transport transport = transports.get(i);
            if (transport.pause == null && isReady(transport, gate)) {
                Choice choice = select(transport, gate, nowMillis);
                if (choice != NOTHING) {
                    Collections.rotate(transports, -(i + 1));
                    return choice;
                }
            }
        }
        return NOTHING;
    }

    // Is there an entry whose destination has room and for which there is a seat? Asked before the search begins, because a
    // search has consequences even when it comes to nothing.
    private static boolean isReady(Transport transport, Gate gate) {
        while (!transport.dead && !transport.open.isEmpty()) {
            Line line = transport.open.getFirst().open.getFirst();
            switch (gate.ask(line.first.message(), line)) {
                case FREE, NOT_OF_MESSAGE -> {
                    return true; // not this message, perhaps, but then the search will say which
                }
                case NOT_HERE -> noSeat(line);
                case NOWHERE -> {
                    return false;
                }
            }
        }
        return false;
    }

    private static void noSeat(Line line) {
        line.site.full = true;
        line.transport.full.add(line.site);
        seeWhetherOpen(line.transport, line.site);
    }

    private Choice select(Transport transport, Gate gate, long nowMillis) {
        if (transport.current == null) {
            return NOTHING;
        }
        Job job = preemptions.get(transport).attempt(transport.current, nowMillis);
        return walk(transport, job, Phase.FRESH, gate, nowMillis);
    }

    private Choice resume(Transport transport, Gate gate, long nowMillis) {
        Transport.Pause pause = transport.pause;
        transport.pause = null;
        if (!isReady(transport, gate)) {
            return NOTHING;
        }
        // Meanwhile somebody in front may have got another chance; then that is where to begin.
        if (transport.current != pause.job()) {
            return select(transport, gate, nowMillis);
        }
        return walk(transport, pause.job(), pause.afterLooking() ? Phase.LAST_LOOK : Phase.TOPPED_UP, gate, nowMillis);
    }

    /// How far the search at one job has come: nothing done yet, recipients topped up where due, read because nothing could
    /// go.
    private enum Phase {
        FRESH, TOPPED_UP, LAST_LOOK
    }

    private Choice walk(Transport transport, Job start, Phase phase, Gate gate, long nowMillis) {
        Phase here = phase;
        for (Job job = start; job != null;) {
            Job next = job.next;
            if (!job.isBlocked()) {
                if (here == Phase.FRESH && isRefillDue(job, nowMillis)) {
                    return pause(job, false);
                }
                Look look = nextPeer(job, gate);
                if (look.peer().isPresent()) {
                    return new Choice.Taken(take(look.peer().get()));
                }
                if (look.nowhere()) {
                    transport.current = job;
                    return NOTHING;
                }
                if (here != Phase.LAST_LOOK && canRead(job.message)) {
                    return pause(job, true);
                }
                if (job.selected < job.read) {
                    transport.blockers.mark(job);
                } else {
                    retire(job);
                }
            }
            here = Phase.FRESH;
            job = next;
        }
        transport.current = null;
        return NOTHING;
    }

    private Choice pause(Job job, boolean afterLooking) {
        Message message = job.message;
        if (!message.reading) {
            wish(message, message.limit - message.inCore);
        }
        // Everything in front of it is blocked, so this is where a search begins.
        job.transport.current = job;
        job.transport.pause = new Transport.Pause(job, afterLooking);
        return READING;
    }

    private static boolean canRead(Message message) {
        return message.moreOnFile && message.waiting + message.running > 0 && message.limit > message.inCore;
    }

    private static boolean isRefillDue(Job job, long nowMillis) {
        Message message = job.message;
        ServiceRules rules = job.transport.rules;
        return canRead(message) && (message.limit - message.inCore >= rules.refillLimit()
                || nowMillis - message.lastReadMillis >= rules.refillDelayMillis());
    }

    /// A peer that may go, if there is one; `nowhere` when there is no seat for anybody and no use in looking further.
    private record Look(Optional<Peer> peer, boolean nowhere) {}

    private static final Look NOBODY = new Look(Optional.empty(), false);
    private static final Look NOWHERE = new Look(Optional.empty(), true);

    // The first peer in turn that may go; its successor is the next in turn.
    private static Look nextPeer(Job job, Gate gate) {
        Peer peer = job.turn;
        if (peer == null) {
            return NOBODY;
        }
        int refusals = 0;
        do {
            if (peer.waiting > 0 && peer.line.isOpen()) {
                switch (gate.ask(job.message, peer.line)) {
                    case FREE -> {
                        job.turn = peer.next;
                        return new Look(Optional.of(peer), false);
                    }
                    case NOT_HERE -> noSeat(peer.line);
                    case NOT_OF_MESSAGE -> {
                        job.transport.rationed = true;
                        if (++refusals == MOST_REFUSALS) {
                            job.turn = peer.next;
                            return NOBODY;
                        }
                    }
                    case NOWHERE -> {
                        return NOWHERE;
                    }
                }
            }
            peer = peer.next;
        } while (peer != job.turn);
        return NOBODY;
    }

    private Entry take(Peer peer) {
        Job job = peer.job;
        Line line = peer.line;
        Entry entry = peer.takeFirst();
        line.remove(entry);
        peer.running++;
        line.running++;
        job.message.waiting--;
        job.message.running++;
        seeWhetherOpen(line);
        job.selected++;
        job.slots.earn();
        job.transport.current = job;
        job.transport.candidates.serves(job);
        trace.selected(entry);
        if (job.selected == job.read && !job.message.isPartlyUnread()) {
            retire(job);
        }
        return entry;
    }

    // ---- leaving the list

    /// Takes a job off the lists. It comes back when it gets more work; what it has saved it keeps.
    private void retire(Job job) {
        Transport transport = job.transport;
        transport.candidates.leaves(job);
        if (job.level > 0) {
            preemptions.get(transport).leaveTree(job);
        }
        transport.pool.giveBack(job);
        unlink(job);
    }

    private void unlink(Job job) {
        Transport transport = job.transport;
        if (transport.current == job) {
            transport.current = job.next;
        }
        transport.candidates.leaves(job);
        preemptions.get(transport).leave(job);
        transport.jobs.leave(job);
    }

    // ---- finishing

    /// A taken entry is done with, whatever became of its recipients.
    public void finished(Entry entry) {
        Peer peer = entry.peer;
        Job job = peer.job;
        peer.running--;
        peer.line.running--;
        job.message.running--;
        outOfCore(job, entry.recipients.size());
        for (Job sponsor : job.message.jobs) {
            if (sponsor != job && (!sponsor.isOnList() || !job.message.isPartlyUnread())) {
                sponsor.transport.pool.giveBack(sponsor);
            }
        }
        if (!job.message.isPartlyUnread()) {
            job.transport.pool.giveBack(job);
        }
        dropIfEmpty(peer);
        seeWhetherOpen(peer.line);
        readOn(job.message);
    }

    /// Recipients in memory are done with without ever having been in an entry.
    public void settled(Message message, int recipients) {
        message.inCore -= recipients;
        message.unplaced -= recipients;
        inCore -= recipients;
        if (message.unplaced < 0) {
            throw new IllegalStateException(
                    "queue=" + message.id + " has " + message.unplaced + " recipients to place");
        }
        allPlaced(message);
        readOn(message);
    }

    // Nothing of the message is in memory: the next batch is due, whatever the lists say.
    private void readOn(Message message) {
        if (message.inCore == 0 && message.moreOnFile && !message.reading) {
            wish(message, message.limit);
        }
    }

    private void outOfCore(Job job, int recipients) {
        job.inCore -= recipients;
        job.message.inCore -= recipients;
        inCore -= recipients;
        if (job.inCore < 0) {
            throw new IllegalStateException(job + " has " + job.inCore + " recipients in memory");
        }
    }

    private static void dropIfEmpty(Peer peer) {
        if (peer.isEmpty()) {
            peer.job.leave(peer);
            peer.line.peers.remove(peer.job.message);
        }
    }

    /// Something happened at this destination that may have made room: an entry finished, a pause ended, a seat got free.
    ///
    /// @param dead nothing goes there for the time being
    public void mayGo(Line line, boolean dead) {
        seatsMayBeFree(line.transport, line.site);
        if (line.transport.blockers.free(line, dead)) {
            startOver(line.transport);
        }
    }

    /// Seats may have become free anywhere.
    public void seatsMayBeFree() {
        for (Transport transport : transports) {
            List.copyOf(transport.full).forEach(site -> seatsMayBeFree(transport, site));
            if (transport.rationed) {
                transport.rationed = false;
                transport.blockers.freeAll();
                startOver(transport);
            }
        }
    }

    private static void seatsMayBeFree(Transport transport, Site site) {
        if (site.full) {
            site.full = false;
            transport.full.remove(site);
            seeWhetherOpen(transport, site);
            for (Line line : site.open) {
                if (transport.blockers.free(line, false)) {
                    startOver(transport);
                    return;
                }
            }
        }
    }

    private static void startOver(Transport transport) {
        transport.current = transport.jobs.head;
        transport.candidates.unblocked();
    }

    /// Takes all waiting entries of a line away, first to last. They are no longer in memory; reading goes on.
    public List<Entry> withdraw(Line line) {
        List<Entry> withdrawn = new ArrayList<>(line.waiting);
        for (Entry entry = line.first; entry != null; entry = entry.nextAtLine) {
            withdrawn.add(entry);
        }
        for (Peer peer : List.copyOf(line.peers.values())) {
            clear(peer);
        }
        withdrawn.forEach(entry -> readOn(entry.message()));
        return withdrawn;
    }

    /// Takes all waiting entries of a message away and reads no more of it. What runs goes on.
    public List<Entry> withdraw(Message message) {
        message.moreOnFile = false;
        unwish(message);
        List<Entry> withdrawn = new ArrayList<>(message.waiting);
        for (Job job : message.jobs) {
            for (Peer peer : peers(job)) {
                for (Entry entry = peer.first; entry != null; entry = entry.nextAtPeer) {
                    withdrawn.add(entry);
                }
                clear(peer);
            }
        }
        return withdrawn;
    }

    private static List<Peer> peers(Job job) {
        List<Peer> peers = new ArrayList<>();
        Peer peer = job.turn;
        while (peer != null && (peers.isEmpty() || peer != job.turn)) {
            peers.add(peer);
            peer = peer.next;
        }
        return peers;
    }

    // All waiting entries of a peer count as selected, though nobody took them.
    private void clear(Peer peer) {
        while (peer.waiting > 0) {
            Entry entry = peer.takeFirst();
            peer.line.remove(entry);
            peer.job.message.waiting--;
            peer.job.selected++;
            outOfCore(peer.job, entry.recipients.size());
        }
        dropIfEmpty(peer);
        seeWhetherOpen(peer.line);
        peer.job.transport.candidates.changed(peer.job);
    }

    /// A message is no longer active: its jobs leave, and their slots go to others.
    public void forget(Message message) {
        for (Job job : message.jobs) {
            job.transport.pool.giveBack(job);
            if (job.isOnList()) {
                unlink(job);
            }
            if (job.transport.pause != null && job.transport.pause.job() == job) {
                job.transport.pause = null;
            }
        }
        unwish(message);
    }
}
