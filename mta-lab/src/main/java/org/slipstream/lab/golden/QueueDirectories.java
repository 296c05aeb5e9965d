package org.slipstream.lab.golden;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.ActivationOrder;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The mail queue on disk as in Postfix: the directories incoming and deferred, scanned in the
/// order of queue ids.
final class QueueDirectories {
    /// A queued message and the recipients that are not yet delivered.
    static final class QueueFile {
        final QueueId id;
        final GoldenFile.GoldenMessage message;
        final Map<Integer, Recipient> open = new TreeMap<>();
        long nextAttempt;
        int attempts;
        int failed;

        QueueFile(QueueId id, GoldenFile.GoldenMessage message) {
            this.id = id;
            this.message = message;
            for (String address : message.addresses()) {
                open.put(open.size() + 1, new Recipient(open.size() + 1, Address.of(address)));
            }
        }

        MessageSummary summary() {
            return new MessageSummary(id, Optional.of(Address.of("sender@here.example")), message.arrival() * 1_000,
                    1_000,
                    message.addresses().size(), open.size(), failed, attempts, false, false);
        }
    }

    /// One directory and its scan. A scan is a snapshot of ids; a request during a scan starts
    /// another scan after it.
    final class Directory implements ActivationOrder.Source {
        private final Map<QueueId, QueueFile> files = new TreeMap<>();
        private Optional<Deque<QueueId>> snapshot = Optional.empty();
        private boolean scanRequested;

        void requestScan() {
            if (snapshot.isPresent()) {
                scanRequested = true;
            } else {
                snapshot = Optional.of(new ArrayDeque<>(files.keySet()));
            }
        }

        @Override
        public Optional<ActivationOrder.Offer> next(long nowMillis) {
            while (snapshot.isPresent()) {
                QueueId id = snapshot.get().poll();
                if (id != null) {
                    return Optional.of(offer(files.get(id), nowMillis / 1_000));
                }
                snapshot = Optional.empty();
                if (scanRequested) {
                    scanRequested = false;
                    requestScan();
                }
            }
            return Optional.empty();
        }

        private ActivationOrder.Offer offer(QueueFile file, long now) {
            boolean due = this == incoming || file.nextAttempt <= now + 1;
            if (due) {
                files.remove(file.id);
                active.put(file.id, file);
            }
            return new ActivationOrder.Offer(file.summary(), due);
        }
    }

    final Directory incoming = new Directory();
    final Directory deferred = new Directory();
    final Map<QueueId, QueueFile> active = new TreeMap<>();

    void arrives(QueueFile file) {
        incoming.files.put(file.id, file);
        incoming.requestScan();
    }

    boolean isEmpty() {
        return incoming.files.isEmpty() && deferred.files.isEmpty() && active.isEmpty();
    }

    List<Recipient> read(QmgrOrder.ReadRecipients read) {
        return active.get(read.id()).open.values().stream().filter(r -> r.number() > read.after()).limit(read.limit())
                .toList();
    }

    void record(QmgrOrder.RecordOutcome record) {
        QueueFile file = active.get(record.id());
        file.attempts += record.attempt() ? 1 : 0;
        List<Integer> settled = new ArrayList<>();
        for (RecipientOutcome each : record.outcomes()) {
            switch (each.outcome()) {
                case Outcome.Delivered _ -> settled.add(each.number());
                case Outcome.Deferred _ -> {
                    // The recipient stays in the queue file.
                }
                case Outcome.Failed _ -> {
                    file.failed++;
                    settled.add(each.number());
                }
            }
        }
        file.open.keySet().removeAll(settled);
    }

    void defer(QueueId id, long nextAttempt) {
        QueueFile file = active.remove(id);
        file.nextAttempt = nextAttempt;
        deferred.files.put(id, file);
    }

    void remove(QueueId id) {
        active.remove(id);
    }
}
