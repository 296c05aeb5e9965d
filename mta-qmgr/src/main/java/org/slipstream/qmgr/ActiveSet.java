package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.sched.Entry;

import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The active queue: the messages in progress, with their count limited by
/// [QmgrConfig#activeLimit]. All others are on disk only.
///
/// Messages are in order of id, so that an operator's list can request a page of them.
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

    /// Messages that were deferred before.
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

    /// The active message to which an event refers.
    Activation known(QueueId id) {
        return find(id).orElseThrow(() -> new ImpossibleEventException("queue=" + id + " is not active"));
    }

    /// The message of an entry. A message is active as long as one of its entries exists.
    Activation of(Entry entry) {
        return find(entry.message().id())
                .orElseThrow(() -> new IllegalStateException("queue=" + entry.message().id() + " left with an entry"));
    }

    /// The message to which a batch of recipients belongs.
    Activation reading(QueueId id) {
        Activation message = known(id);
        if (!message.work.isReading()) {
            throw new ImpossibleEventException("queue=" + id + " is not being read", id);
        }
        return message;
    }

    /// The next messages after `after`, at most `most`.
    List<QueueId> after(Optional<QueueId> after, int most) {
        return after.map(id -> messages.tailMap(id, false)).orElse(messages).keySet().stream().limit(most).toList();
    }

    /// A copy of all messages, since messages may leave during iteration.
    List<Activation> now() {
        return List.copyOf(messages.values());
    }
}
