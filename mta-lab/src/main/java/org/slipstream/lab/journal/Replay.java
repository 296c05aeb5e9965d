package org.slipstream.lab.journal;

import org.slipstream.core.HostKey;
import org.slipstream.core.Route;
import org.slipstream.lab.QueueManagers;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.SeededChance;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.journal.JournalObserver;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.journal.JournalRecord.JournalDecision;
import org.slipstream.qmgr.journal.JournalRecord.JournalInput;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.shard.Leases;
import org.slipstream.qmgr.trace.QmgrObserver;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// Feeds the inputs of a decision journal to the production queue manager, with the settings and
/// the seed of its beginning, and compares every decision and order with the recorded one.
///
/// An input and the records that follow from it are one step: the input is applied when the next
/// input, or the end, is reached, because the keys of hosts stand behind the input that needs them.
///
/// A run may have ended with an exception of its queue manager. The replay throws it too, after the
/// same decisions, and then expects no further input.
public final class Replay {
    /// The first decision that differs.
    ///
    /// @param number of the record, from 1; that of the next input when a decision is missing
    /// @param recorded empty when the replay decided more
    /// @param replayed empty when the replay decided less
    public record ReplayDifference(long number, Optional<JournalRecord> recorded, Optional<JournalRecord> replayed) {}

    private record Awaited(long number, JournalDecision decision) {}

    private final Seating seating;
    private final QueueManager queueManager;
    private final JournalObserver observer;
    private final Map<Route.Host, Map<String, HostKey>> keys = new LinkedHashMap<>();
    private final List<JournalRecord> replayed = new ArrayList<>();
    private final List<Awaited> recorded = new ArrayList<>();
    private Optional<JournalInput> input = Optional.empty();
    private Optional<ReplayDifference> difference = Optional.empty();
    private Optional<RuntimeException> failure = Optional.empty();
    private QmgrObserver watch = QmgrObserver.NOTHING;
    private long records = 1;
    private long inputs;
    private long decisions;

    public Replay(JournalRecord.Beginning beginning) {
        this.observer = new JournalObserver(record -> {
            if (record instanceof JournalDecision) {
                replayed.add(record);
            }
        }, QmgrTrace.SILENT);
        DestDb hosts = new DestDb(beginning.smtp().memory());
        beginning.hosts().forEach(row -> hosts.learn(row, beginning.at()));
        this.seating = QueueManagers.seating(beginning.config(), beginning.smtp(), hosts, this::key,
                SeededChance.ofHosts(beginning.seed()), HostMemory.NONE,
                beginning.shared() ? Leases.shared() : Leases.whole());
        this.queueManager = new QueueManager(beginning.config(), seating, SeededChance.ofOrder(beginning.seed()),
                observer);
        queueManager.learn(beginning.hosts(), beginning.at());
    }

    /// Questions to the queue manager of the replay.
    public QueueQueries queries() {
        return queueManager.queries();
    }

    /// Another observer of the inputs and the orders.
    void watchedBy(QmgrObserver observer) {
        watch = observer;
    }

    /// Takes the next record. After a difference, records have no effect.
    public void next(JournalRecord record) {
        if (difference.isPresent()) {
            return;
        }
        records++;
        switch (record) {
            case JournalInput given -> {
                finishStep(records);
                inputs++;
                input = Optional.of(given);
                if (failure.isPresent() && difference.isEmpty()) {
                    difference = Optional.of(new ReplayDifference(records, Optional.of(given), Optional.empty()));
                }
            }
            case JournalDecision decision -> {
                decisions++;
                recorded.add(new Awaited(records, decision));
            }
            case JournalRecord.HostKeyed keyed -> keys.computeIfAbsent(keyed.host(), _ -> new LinkedHashMap<>())
                    .put(keyed.transport() + "/" + keyed.nextHop(), keyed.key());
            case JournalRecord.Continuation _ -> {
                // The same run.
            }
            case JournalRecord.Beginning _,JournalRecord.Missing _,JournalRecord.Closing _ ->
                throw new IllegalArgumentException("not within a run: " + record);
        }
    }

    /// The end of the journal: compares the last step.
    ///
    /// @param complete false when later records of the last step may be missing
    public void end(boolean complete) {
        if (difference.isEmpty()) {
            input.ifPresent(this::apply);
            input = Optional.empty();
            if (!complete && replayed.size() > recorded.size()) {
                replayed.subList(recorded.size(), replayed.size()).clear();
            }
            finishStep(records + 1);
        }
    }

    /// The number of records so far, with the beginning and the one that differs.
    public long records() {
        return records;
    }

    public long inputs() {
        return inputs;
    }

    public long decisions() {
        return decisions;
    }

    public Optional<ReplayDifference> difference() {
        return difference;
    }

    /// The exception that ended the queue manager of the replay. The recorded run ended there too, unless
    /// there is a difference.
    public Optional<RuntimeException> failure() {
        return failure;
    }

    private HostKey key(Route.Smtp route, Route.Host host) {
        return Optional.ofNullable(keys.get(host))
                .map(byNextHop -> byNextHop.get(route.transport() + "/" + route.nextHop()))
                .orElseGet(() -> HostKeys.BY_NAME.of(route, host));
    }

    private void finishStep(long nextNumber) {
        input.ifPresent(this::apply);
        input = Optional.empty();
        for (int i = 0; i < Math.max(recorded.size(), replayed.size()) && difference.isEmpty(); i++) {
            Optional<Awaited> awaited = i < recorded.size() ? Optional.of(recorded.get(i)) : Optional.empty();
            Optional<JournalRecord> here = i < replayed.size() ? Optional.of(replayed.get(i)) : Optional.empty();
            Optional<JournalRecord> there = awaited.map(Awaited::decision);
            if (!here.equals(there)) {
                difference = Optional
                        .of(new ReplayDifference(awaited.map(Awaited::number).orElse(nextNumber), there, here));
            }
        }
        recorded.clear();
        replayed.clear();
    }

    private void apply(JournalInput given) {
        long at = given.at();
        switch (given) {
            case JournalRecord.QueueEvent event -> {
                watch.happened(at, event.event());
                observer.happened(at, event.event());
                ordering(at, orders -> absorb(event, orders));
            }
            case JournalRecord.Pump _ -> {
                watch.pumps(at);
                observer.pumps(at);
                ordering(at, orders -> queueManager.pump(at, orders));
            }
        }
    }

    // The running server refuses such an event, too, and the hold that follows is in the journal.
    private void absorb(JournalRecord.QueueEvent event, OrderSink orders) {
        try {
            queueManager.absorb(event.event(), event.at(), orders);
        } catch (ImpossibleEventException refused) {
            // The orders until here are compared.
        }
    }

    // The running server discards the orders of a step that fails, and ends.
    private void ordering(long at, Consumer<OrderSink> step) {
        List<QmgrOrder> orders = new ArrayList<>();
        try {
            step.accept(orders::add);
        } catch (RuntimeException thrown) {
            failure = Optional.of(thrown);
            orders.clear();
        }
        orders.forEach(order -> {
            watch.ordered(at, order);
            observer.ordered(at, order);
        });
    }
}
