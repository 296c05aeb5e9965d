package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.sched.Entry;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The messages that are being worked on. Everything else sleeps on disk.
final class ActiveSet {
    private final Map<QueueId, Activation> messages = new LinkedHashMap<>();
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

    boolean knows(QueueId id) {
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

    /// In order of admission; for looking only.
    Collection<Activation> all() {
        return messages.values();
    }

    Set<QueueId> ids() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(messages.keySet()));
    }

    /// In order of admission, as they are now; some may leave while one goes through them.
    List<Activation> now() {
        return List.copyOf(messages.values());
    }
}
