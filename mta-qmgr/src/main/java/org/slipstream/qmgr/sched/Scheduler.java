package org.slipstream.qmgr.sched;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Who is next? The door of this package.
///
/// A message enters with [#admit]; its recipients come in batches, asked for by [#nextRead] and brought by [#batchRead];
/// once their route is known they become entries ([#add]); [#select] takes entries in the order of service; [#finished],
/// [#settled] and [#withdraw] take recipients out of memory again. Transports take turns (Postfix, `qmgr_transport_select`:
/// a new one enters at the front, the one served goes with all before it to the end); within a transport [JobList] rules.
///
/// Recipients are read a fixed batch at a time, the next batch when everything of the message that is in memory is
/// settled, so a message never holds more than one batch.
///
/// @see JobList
public final class Scheduler {
    private final int recipientsPerEntry;
    private final int recipientBatch;
    private final List<Transport> transports = new ArrayList<>();
    private final ArrayDeque<Message> wantRecipients = new ArrayDeque<>();
    private long messages;
    private long lines;
    private long turns;

    /// @param recipientsPerEntry at most so many recipients in one entry
    /// @param recipientBatch recipients of a message in memory
    public Scheduler(int recipientsPerEntry, int recipientBatch) {
        this.recipientsPerEntry = recipientsPerEntry;
        this.recipientBatch = recipientBatch;
    }

    /// A wish for recipients: those after `after`, at most `limit`.
    public record Read(Message message, int after, int limit) {}

    /// Takes a message in; its first batch is wished for when it has open recipients.
    public Message admit(QueueId id, int openRecipients) {
        Message message = new Message(id, ++messages);
        message.moreOnFile = openRecipients > 0;
        if (message.moreOnFile) {
            wish(message);
        }
        return message;
    }

    /// The next batch to read, each wish once.
    public Optional<Read> nextRead() {
        return Optional.ofNullable(wantRecipients.poll())
                .map(message -> new Read(message, message.readUpTo, recipientBatch));
    }

    /// A batch has come. Its recipients count as in memory until they are settled or their entry is finished.
    ///
    /// @param end no open recipient has a higher number
    public void batchRead(Message message, List<Recipient> recipients, boolean end) {
        message.reading = false;
        message.inCore += recipients.size();
        if (!recipients.isEmpty()) {
            message.readUpTo = recipients.getLast().number();
        }
        if (end) {
            message.moreOnFile = false;
        }
    }

    /// The line for this route, made when there is none. Later routes with the same key replace how to get there.
    public Line line(Route route) {
        Transport transport = transport(route.transport());
        Line line = transport.lines.computeIfAbsent(route.nextHop(), hop -> new Line(transport, route, ++lines));
        line.route = route;
        return line;
    }

    /// Forgets an empty line.
    public void drop(Line line) {
        if (!line.isEmpty()) {
            throw new IllegalStateException("line " + line + " has entries");
        }
        line.transport.jobs.unpark(line);
        line.transport.lines.remove(line.nextHop);
    }

    /// Puts recipients that are in memory into entries of this line.
    public void add(Message message, Line line, List<Recipient> recipients) {
        Peer peer = peer(message, line);
        for (Recipient recipient : recipients) {
            entryWithRoom(peer).recipients.add(recipient);
        }
        line.transport.jobs.rerank(line);
    }

    /// Takes the next entry that passes the gate, from the transports in turn.
    public Optional<Entry> select(Gate gate) {
        for (int i = 0; i < transports.size(); i++) {
            Transport transport = transports.get(i);
            Optional<Peer> peer = transport.jobs.next(gate);
            if (peer.isPresent()) {
                Collections.rotate(transports, -(i + 1));
                return Optional.of(take(peer.get()));
            }
        }
        return Optional.empty();
    }

    /// A taken entry is done with, whatever became of its recipients.
    public void finished(Entry entry) {
        entry.line.running--;
        entry.message.running--;
        settled(entry.message, entry.recipients.size());
    }

    /// Recipients in memory are done with without ever having been in an entry.
    public void settled(Message message, int recipients) {
        message.inCore -= recipients;
        if (message.inCore < 0) {
            throw new IllegalStateException("queue=" + message.id + " has " + message.inCore + " recipients in memory");
        }
        if (message.inCore == 0 && message.moreOnFile && !message.reading) {
            wish(message);
        }
    }

    /// Something happened at this destination that may have made room.
    public void seatMayBeFree(Line line) {
        line.transport.jobs.unpark(line);
    }

    /// The same for every destination of all transports.
    public void seatsMayBeFree() {
        for (Transport transport : transports) {
            transport.jobs.unparkAll();
        }
    }

    /// Takes all waiting entries of a line away, oldest first. They are no longer in memory; reading goes on.
    public List<Entry> withdraw(Line line) {
        List<Entry> withdrawn = new ArrayList<>();
        for (Peer peer : List.copyOf(line.peers.values())) {
            withdrawn.addAll(dissolve(peer));
        }
        withdrawn.forEach(entry -> settled(entry.message, entry.recipients.size()));
        return withdrawn;
    }

    /// Takes all waiting entries of a message away and reads no more of it. What runs goes on.
    public List<Entry> withdraw(Message message) {
        message.moreOnFile = false;
        if (wantRecipients.remove(message)) {
            message.reading = false;
        }
        List<Entry> withdrawn = new ArrayList<>();
        for (Job job : message.jobs) {
            for (Peer peer : List.copyOf(job.peers)) {
                withdrawn.addAll(dissolve(peer));
            }
        }
        withdrawn.forEach(entry -> settled(message, entry.recipients.size()));
        return withdrawn;
    }

    /// All lines, for the snapshot.
    public Stream<Line> lines() {
        return transports.stream().map(transport -> transport.lines.values()).flatMap(Collection::stream);
    }

    private void wish(Message message) {
        message.reading = true;
        wantRecipients.add(message);
    }

    private Transport transport(String name) {
        for (Transport transport : transports) {
            if (transport.name.equals(name)) {
                return transport;
            }
        }
        Transport transport = new Transport(name);
        transports.addFirst(transport);
        return transport;
    }

    private Peer peer(Message message, Line line) {
        Peer known = line.peers.get(message.number);
        if (known != null) {
            return known;
        }
        Peer peer = new Peer(message.job(line.transport), line, ++turns);
        peer.job.join(peer);
        line.peers.put(message.number, peer);
        return peer;
    }

    private Entry entryWithRoom(Peer peer) {
        Entry last = peer.waiting.peekLast();
        if (last != null && last.recipients.size() < recipientsPerEntry) {
            return last;
        }
        Entry entry = new Entry(peer.job.message, peer.line);
        peer.waiting.add(entry);
        peer.line.waiting++;
        peer.job.message.waiting++;
        return entry;
    }

    private Entry take(Peer peer) {
        Entry entry = peer.waiting.poll();
        peer.turn = ++turns;
        peer.line.waiting--;
        peer.line.running++;
        entry.message.waiting--;
        entry.message.running++;
        if (peer.waiting.isEmpty()) {
            leave(peer);
        }
        peer.line.transport.jobs.rerank(peer.line);
        return entry;
    }

    private List<Entry> dissolve(Peer peer) {
        List<Entry> entries = List.copyOf(peer.waiting);
        peer.line.waiting -= entries.size();
        peer.job.message.waiting -= entries.size();
        leave(peer);
        peer.line.transport.jobs.rerank(peer.line);
        return entries;
    }

    private static void leave(Peer peer) {
        peer.line.peers.remove(peer.job.message.number);
        peer.job.leave(peer);
    }
}
