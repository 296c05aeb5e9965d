package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.sched.Entry;

import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The messages that are being worked on. Everything else sleeps on disk.
///
/// They are kept in order of id, so that an operator's list can ask for a page of them.
final class ActiveSet {
    private final NavigableMap<QueueId, Activation> messages = new TreeMap<>();
    private int tried;

    void enter(Activation message) {
        if (messages.put(message.id, message) == null && message.tried) {
            tried++;
        }
    }

    void leave(Activation message) {
        if (messages.remove(message.id) != null && message.tried) {
            tried--;
        }
    }

    /// How many have been deferred before.
    int tried() {
        return tried;
    }

    boolean contains(QueueId id) {
        return messages.containsKey(id);
    }

    int size() {
        return messages.size();
    }

    boolean isEmpty() {
        return messages.isEmpty();
    }

    Optional<Activation> find(QueueId id) {
        return Optional.ofNullable(messages.get(id));
    }

    /// The message that an answer is about.
    Activation known(QueueId id) {
        return find(id).orElseThrow(() -> new ImpossibleEventException("queue=" + id + " is not active"));
    }

    /// The message of an entry. It is active as long as the entry exists.
    Activation of(Entry entry) {
        return find(entry.message().id())
                .orElseThrow(() -> new IllegalStateException("queue=" + entry.message().id() + " left with an entry"));
    }

    /// The message that a batch of recipients is about.
    Activation reading(QueueId id) {
        Activation message = known(id);
        if (!message.work.isReading()) {
            throw new ImpossibleEventException("queue=" + id + " is not being read", id);
        }
        return message;
    }

    /// The next ones behind `after`, at most `most`.
    List<QueueId> after(Optional<QueueId> after, int most) {
        return after.map(id -> messages.tailMap(id, false)).orElse(messages).keySet().stream().limit(most).toList();
    }

    /// All, as they are now; some may leave while one goes through them.
    List<Activation> now() {
        return List.copyOf(messages.values());
    }
}
