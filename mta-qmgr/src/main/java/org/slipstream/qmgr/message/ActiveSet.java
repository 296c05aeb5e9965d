package org.slipstream.qmgr.message;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.sched.Entry;

import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The active queue: the messages in progress, with their count limited by
/// [org.slipstream.qmgr.settings.QmgrConfig#activeLimit]. All others are on disk only.
///
/// Messages are in order of id, so that an operator's list can request a page of them.
public final class ActiveSet {
    private final NavigableMap<QueueId, Activation> messages = new TreeMap<>();
    private int tried;

    public void enter(Activation message) {
        if (messages.put(message.id, message) == null && message.wasAttemptedBefore()) {
            tried++;
        }
    }

    public void leave(Activation message) {
        message.leave();
        messages.remove(message.id);
        tried -= message.wasAttemptedBefore() ? 1 : 0;
    }

    /// Messages that were deferred before.
    public int tried() {
        return tried;
    }

    public boolean contains(QueueId id) {
        return messages.containsKey(id);
    }

    public int size() {
        return messages.size();
    }

    public boolean isEmpty() {
        return messages.isEmpty();
    }

    public Optional<Activation> find(QueueId id) {
        return Optional.ofNullable(messages.get(id));
    }

    /// The active message to which an event refers.
    public Activation known(QueueId id) {
        return find(id).orElseThrow(() -> new ImpossibleEventException("queue=" + id + " is not active"));
    }

    /// The message of an entry. A message is active as long as one of its entries exists.
    public Activation of(Entry entry) {
        return find(entry.message().id())
                .orElseThrow(() -> new IllegalStateException("queue=" + entry.message().id() + " left with an entry"));
    }

    /// The message to which a batch of recipients belongs.
    public Activation reading(QueueId id) {
        Activation message = known(id);
        if (!message.work.isReading()) {
            throw new ImpossibleEventException("queue=" + id + " is not being read", id);
        }
        return message;
    }

    /// The next messages after `after`, at most `most`.
    public List<QueueId> after(Optional<QueueId> after, int most) {
        return after.map(id -> messages.tailMap(id, false)).orElse(messages).keySet().stream().limit(most).toList();
    }

    /// A copy of all messages, since messages may leave during iteration.
    public List<Activation> now() {
        return List.copyOf(messages.values());
    }
}
