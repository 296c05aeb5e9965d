package org.slipstream.lab;

import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Instructions;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;

/// The simulated spool. A change is made when [SimulatedLog] has written it. A crash loses the
/// changes that are not yet made, and nothing else.
final class SimulatedSpool {
    static final class SpoolRow {
        final Scenario.SimulatedMail mail;
        final RecipientStatus[] states;
        final Outcome[] last;
        long nextMillis;
        boolean held;

        /// Whether the message was leased, deferred or held since its arrival.
        boolean postponed;
        boolean delayNotified;
        Instructions instructions = Instructions.NONE;
        int attempts;

        /// Crashes while the message was in the spool. Each may lose the record of one delivery.
        int crashes;

        SpoolRow(Scenario.SimulatedMail mail) {
            this.mail = mail;
            this.states = new RecipientStatus[mail.recipients().size()];
            java.util.Arrays.fill(states, RecipientStatus.OPEN);
            this.last = new Outcome[states.length];
            this.nextMillis = mail.arrivalMillis();
        }

        int count(RecipientStatus state) {
            return (int) java.util.Arrays.stream(states).filter(s -> s == state).count();
        }

        QueueName queue() {
            return postponed ? QueueName.DEFERRED : QueueName.INCOMING;
        }

        void postpone(long untilMillis) {
            nextMillis = untilMillis;
            postponed = true;
        }

        boolean concerns(String domain) {
            for (int i = 0; i < states.length; i++) {
                if (states[i] == RecipientStatus.OPEN
                        && mail.recipients().get(i).address().domainKey().equals(domain)) {
                    return true;
                }
            }
            return false;
        }

        boolean waitsAfter(String replyOrRemote) {
            for (int i = 0; i < states.length; i++) {
                if (states[i] == RecipientStatus.OPEN && last[i] != null
                        && (last[i].reply().text().equals(replyOrRemote) || last[i].remote().equals(replyOrRemote))) {
                    return true;
                }
            }
            return false;
        }

        MessageSummary summary() {
            return new MessageSummary(mail.id(), mail.sender(), mail.arrivalMillis(), 1_000, states.length,
                    count(RecipientStatus.OPEN), count(RecipientStatus.FAILED), attempts, held, delayNotified ? 1 : 0,
                    DeliveryOptions.NONE.withPriority(instructions.priority().orElse(0)), instructions);
        }
    }

    private final EventList clock;
    private final Scenario.OwnServer ownServer;
    private final InvariantChecker invariants;
    final Map<QueueId, SpoolRow> rows = new TreeMap<>();

    /// Removed rows in their last state. [#reasons] has the reason of each removal.
    final Map<QueueId, SpoolRow> removed = new LinkedHashMap<>();
    final Map<QueueId, String> reasons = new LinkedHashMap<>();
    private final SimulatedLog log;
    private int generation;

    SimulatedSpool(EventList clock, Scenario.OwnServer ownServer, SimulatedLog log, InvariantChecker invariants) {
        this.clock = clock;
        this.ownServer = ownServer;
        this.log = log;
        this.invariants = invariants;
    }

    void crash() {
        generation++;
        log.crash();
        rows.values().forEach(row -> row.crashes++);
    }

    MessageSummary commit(Scenario.SimulatedMail mail) {
        SpoolRow row = new SpoolRow(mail);
        rows.put(mail.id(), row);
        return row.summary();
    }

    SimulatedLog log() {
        return log;
    }

    void scan(QmgrOrder.Scan scan, Consumer<QmgrEvent> answer) {
        write(() -> {
            List<SpoolRow> queue = rows.values().stream().filter(row -> row.queue() == scan.queue()).toList();
            List<SpoolRow> due = queue.stream().filter(row -> row.nextMillis <= scan.nowMillis()
                    && (!row.held || row.mail.arrivalMillis() < scan.createdBeforeMillis()))
                    .sorted(Comparator.comparingLong(row -> row.nextMillis)).toList();
            List<SpoolRow> found = due.subList(0, Math.min(scan.limit(), due.size()));
            List<MessageSummary> summaries = found.stream().map(SpoolRow::summary).toList();
            found.forEach(row -> row.postpone(scan.leaseUntilMillis()));
            OptionalLong next = queue.stream().filter(row -> !found.contains(row) && !row.held)
                    .mapToLong(row -> row.nextMillis).min();
            answer.accept(new QmgrEvent.ScanDone(summaries, due.size() > found.size(), next));
        });
    }

    void read(QmgrOrder.ReadRecipients read, Consumer<QmgrEvent> answer) {
        int thisGeneration = generation;
        clock.after(ownServer.readMillis(), () -> {
            if (generation == thisGeneration) {
                answer.accept(batch(read));
            }
        });
    }

    private QmgrEvent batch(QmgrOrder.ReadRecipients read) {
        SpoolRow row = rows.get(read.id());
        List<Recipient> open = new ArrayList<>();
        List<RecipientOutcome> last = new ArrayList<>();
        boolean end = true;
        for (int i = read.after(); i < row.states.length; i++) {
            if (row.states[i] == RecipientStatus.OPEN) {
                if (open.size() == read.limit()) {
                    end = false;
                    break;
                }
                open.add(new Recipient(i + 1, row.mail.recipients().get(i).address()));
                if (read.withReplies() && row.last[i] != null) {
                    last.add(new RecipientOutcome(i + 1, row.last[i]));
                }
            }
        }
        return new QmgrEvent.RecipientsRead(read.id(), open, end, last, List.of());
    }

    void record(QmgrOrder.RecordOutcome record, Consumer<QmgrEvent> answer) {
        write(() -> {
            SpoolRow row = rows.get(record.id());
            for (RecipientOutcome each : record.outcomes()) {
                int i = each.number() - 1;
                invariants.require(row.states[i] == RecipientStatus.OPEN,
                        () -> "recorded twice: " + record.id() + " " + each + " after " + row.last[i]);
                row.last[i] = each.outcome();
                row.states[i] = RecipientStatus.after(each.outcome());
            }
            row.attempts += record.attempt() ? 1 : 0;
            invariants.accepted().changed(record.id());
            answer.accept(new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
        });
    }

    void reported(QmgrOrder.Notify notify, Consumer<QmgrEvent> answer) {
        write(() -> {
            SpoolRow row = rows.get(notify.id());
            invariants.accepted().changed(notify.id());
            switch (notify.kind().about) {
                case FAILED -> java.util.Collections.replaceAll(java.util.Arrays.asList(row.states),
                        RecipientStatus.FAILED, RecipientStatus.FAILED_AND_REPORTED);
                case OPEN -> row.delayNotified = true;
                case DELIVERED, FAILED_AND_REPORTED -> {
                    // The message is removed next.
                }
            }
            answer.accept(new QmgrEvent.Notified(notify, true));
        });
    }

    void defer(QmgrOrder.Defer defer, Consumer<QmgrEvent> answer) {
        file(defer.id(), row -> row.postpone(defer.nextAttemptMillis()), answer);
    }

    void hold(QmgrOrder.SetHold hold, Consumer<QmgrEvent> answer) {
        file(hold.id(), row -> {
            row.held = hold.held();
            row.postponed = true;
            row.nextMillis = hold.held() ? row.nextMillis : Math.min(row.nextMillis, clock.now());
        }, answer);
    }

    void takeUp(QmgrOrder.TakeUp takeUp, Consumer<QmgrEvent> answer) {
        file(takeUp.id(), row -> {
            row.held = false;
            row.postpone(takeUp.nowMillis());
        }, answer);
    }

    void instruct(QmgrOrder.Instruct instruct, Consumer<QmgrEvent> answer) {
        write(() -> {
            Optional.ofNullable(rows.get(instruct.id())).ifPresent(row -> {
                row.instructions = row.instructions.with(instruct.instruction());
                if (instruct.instruction() instanceof Instruction.Hold(Optional<Instruction.HoldNote> note)) {
                    row.held = note.isPresent();
                }
            });
            answer.accept(new QmgrEvent.Instructed(instruct.id(), instruct.ticket()));
        });
    }

    void remove(QmgrOrder.Remove remove, Consumer<QmgrEvent> answer) {
        file(remove.id(), row -> {
            invariants.removed(row, remove.reason());
            rows.remove(remove.id());
            removed.put(remove.id(), row);
            reasons.put(remove.id(), remove.reason());
        }, answer);
    }

    void makeDue(QmgrOrder.MakeDue due, Consumer<QmgrEvent> answer) {
        write(() -> {
            rows.values().stream().filter(row -> due.id().map(row.mail.id()::equals).orElse(true)
                    && due.domain().map(row::concerns).orElse(true)
                    && due.reply().map(row::waitsAfter).orElse(true)).forEach(row -> row.nextMillis = due.nowMillis());
            answer.accept(new QmgrEvent.Filed(due.id()));
        });
    }

    // An operator may have deleted the message or named one that does not exist. The spool answers
    // in this case too.
    private void file(QueueId id, Consumer<SpoolRow> change, Consumer<QmgrEvent> answer) {
        write(() -> {
            Optional.ofNullable(rows.get(id)).ifPresent(change);
            answer.accept(new QmgrEvent.Filed(Optional.of(id)));
        });
    }

    private void write(Runnable change) {
        log.write(change);
    }
}
