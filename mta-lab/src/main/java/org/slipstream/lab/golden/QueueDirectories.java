package org.slipstream.lab.golden;

import org.slipstream.core.Address;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.qmgr.ActivationOrder;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The mail queue on disk, as the files have it: two directories, incoming and deferred, that are
/// scanned by id.
final class QueueDirectories {
    /// A message.
    static final class QueueFileRow {
        final QueueId id;
        final GoldenFile.GoldenMail mail;
        final Map<Integer, Recipient> open = new TreeMap<>();
        long nextAttempt;
        int attempts;
        int failed;

        QueueFileRow(QueueId id, GoldenFile.GoldenMail mail) {
            this.id = id;
            this.mail = mail;
            for (String address : mail.addresses()) {
                open.put(open.size() + 1, new Recipient(open.size() + 1, Address.of(address)));
            }
        }

        MessageSummary summary() {
            return new MessageSummary(id, Optional.of(Address.of("sender@here.example")), mail.arrival() * 1_000, 1_000,
                    mail.addresses().size(), open.size(), failed, attempts, false, false);
        }
    }

    /// One directory and its scan: a snapshot of ids, and a note that another scan is wanted after
    /// it.
    final class Directory implements ActivationOrder.Source {
        private final Map<QueueId, QueueFileRow> rows = new TreeMap<>();
        private Optional<Deque<QueueId>> snapshot = Optional.empty();
        private boolean wanted;

        void requestScan() {
            if (snapshot.isPresent()) {
                wanted = true;
            } else {
                snapshot = Optional.of(new ArrayDeque<>(rows.keySet()));
            }
        }

        @Override
        public Optional<ActivationOrder.Offer> next(long nowMillis) {
            while (snapshot.isPresent()) {
                QueueId id = snapshot.get().poll();
                if (id != null) {
                    return Optional.of(offer(rows.get(id), nowMillis / 1_000));
                }
                snapshot = Optional.empty();
                if (wanted) {
                    wanted = false;
                    requestScan();
                }
            }
            return Optional.empty();
        }

        private ActivationOrder.Offer offer(QueueFileRow row, long now) {
            boolean due = this == incoming || row.nextAttempt <= now + 1;
            if (due) {
                rows.remove(row.id);
                active.put(row.id, row);
            }
            return new ActivationOrder.Offer(row.summary(), due);
        }
    }

    final Directory incoming = new Directory();
    final Directory deferred = new Directory();
    final Map<QueueId, QueueFileRow> active = new TreeMap<>();

    void arrives(QueueFileRow row) {
        incoming.rows.put(row.id, row);
        incoming.requestScan();
    }

    boolean isEmpty() {
        return incoming.rows.isEmpty() && deferred.rows.isEmpty() && active.isEmpty();
    }

    List<Recipient> read(QmgrOrder.ReadRecipients read) {
        return active.get(read.id()).open.values().stream().filter(r -> r.number() > read.after()).limit(read.limit())
                .toList();
    }

    void record(QmgrOrder.RecordOutcome record) {
        QueueFileRow row = active.get(record.id());
        row.attempts += record.attempt() ? 1 : 0;
        List<Integer> settled = new ArrayList<>();
        for (RecipientOutcome each : record.outcomes()) {
            switch (each.outcome()) {
                case Outcome.Delivered _ -> settled.add(each.number());
                case Outcome.Deferred _ -> {
                    // It stays.
                }
                case Outcome.Failed _ -> {
                    row.failed++;
                    settled.add(each.number());
                }
            }
        }
        row.open.keySet().removeAll(settled);
    }

    void defer(QueueId id, long nextAttempt) {
        QueueFileRow row = active.remove(id);
        row.nextAttempt = nextAttempt;
        deferred.rows.put(id, row);
    }

    void remove(QueueId id) {
        active.remove(id);
    }
}
