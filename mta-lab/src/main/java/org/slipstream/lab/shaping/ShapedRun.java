package org.slipstream.lab.shaping;

import org.slipstream.core.ProviderTable;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.World;
import org.slipstream.lab.WorldObserver;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.trace.RefusalObserver;
import org.slipstream.shaping.RuleOrder;
import org.slipstream.shaping.SeenReply;
import org.slipstream.shaping.ShapingEngine;
import org.slipstream.shaping.ShapingRules;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;

/// One run of a world under rules from replies, and its curves. The engine of the rules is that of the
/// server, and its orders go to the queue manager as those of an operator do.
final class ShapedRun implements WorldObserver {
    private final long bucketMillis;
    private final double[] delivered;
    private final double[] refused;
    private final double[] ages;
    private final RefusalObserver refusals = new RefusalObserver(this::refused);
    private final ShapingEngine engine;
    private final Map<String, StandingOrder> inForce = new LinkedHashMap<>();
    private final SequencedMap<String, RuleUse> uses = new LinkedHashMap<>();
    private final Map<QueueId, Long> arrivals = new LinkedHashMap<>();
    private final Set<QueueId> mail = new LinkedHashSet<>();
    private final TreeMap<Long, Integer> open = new TreeMap<>();
    private Optional<World> world = Optional.empty();
    private int bucket;
    private long latestMillis;
    private long failed;

    /// The use of a rule for one subject.
    ///
    /// @param reply the first that completed it
    record RuleUse(String rule, String subject, long firstMillis, int times, String reply) {
        RuleUse again() {
            return new RuleUse(rule, subject, firstMillis, times + 1, reply);
        }
    }

    ShapedRun(ShapingRules rules, ProviderTable providers, long bucketMillis, int buckets) {
        this.engine = new ShapingEngine(rules, providers);
        this.bucketMillis = bucketMillis;
        this.delivered = new double[buckets];
        this.refused = new double[buckets];
        this.ages = new double[buckets];
    }

    ShapedRun run(Scenario scenario, long untilMillis, long mostEvents) {
        // Not the reports that the run makes.
        scenario.mails().forEach(each -> mail.add(each.id()));
        World made = new World(scenario, this);
        world = Optional.of(made);
        made.atMost(mostEvents).withoutStateChecks().withoutTimes().run(untilMillis);
        reached(latestMillis + 1);
        return this;
    }

    // ---- results

    double[] delivered() {
        return delivered;
    }

    double[] refused() {
        return refused;
    }

    /// Of the oldest message at the end of each bucket, in seconds.
    double[] ages() {
        return ages;
    }

    /// The last bucket in which something happened.
    int last() {
        return Math.min(delivered.length - 1, (int) (latestMillis / bucketMillis));
    }

    long failed() {
        return failed;
    }

    /// Messages that are still in the queue.
    int waiting() {
        return open.values().stream().mapToInt(Integer::intValue).sum();
    }

    long latestMillis() {
        return latestMillis;
    }

    SequencedMap<String, RuleUse> uses() {
        return uses;
    }

    // ---- the run

    @Override
    public void happened(long nowMillis, QmgrEvent event) {
        reached(nowMillis);
        refusals.happened(nowMillis, event);
        if (event instanceof QmgrEvent.MessageQueued(var message) && mail.contains(message.id())
                && !arrivals.containsKey(message.id())) {
            arrivals.put(message.id(), nowMillis);
            open.merge(nowMillis, 1, Integer::sum);
        }
    }

    @Override
    public void ordered(long nowMillis, QmgrOrder order) {
        refusals.ordered(nowMillis, order);
        switch (order) {
            case QmgrOrder.RecordOutcome record when mail.contains(record.id()) -> {
                for (RecipientOutcome each : record.outcomes()) {
                    switch (each.outcome()) {
                        case Outcome.Delivered _ -> delivered[last(nowMillis)]++;
                        case Outcome.Failed _ -> failed++;
                        case Outcome.Deferred _ -> {
                            // The recipient waits, which the age shows.
                        }
                    }
                }
            }
            case QmgrOrder.Remove remove -> Optional.ofNullable(arrivals.get(remove.id()))
                    .ifPresent(at -> open.computeIfPresent(at, (_, count) -> count == 1 ? null : count - 1));
            default -> {
                // The curves show mail and replies.
            }
        }
    }

    private int last(long nowMillis) {
        return Math.min(delivered.length - 1, (int) (nowMillis / bucketMillis));
    }

    // The state at the end of each bucket that is over.
    private void reached(long nowMillis) {
        latestMillis = Math.max(latestMillis, nowMillis);
        for (; bucket < ages.length && (bucket + 1) * bucketMillis <= nowMillis; bucket++) {
            long end = (bucket + 1) * bucketMillis;
            ages[bucket] = open.isEmpty() ? 0 : (end - open.firstKey()) / 1000.0;
        }
    }

    private void refused(long atMillis, Route route, String remote, Reply reply) {
        refused[last(atMillis)]++;
        if (!engine.counts(reply.code())) {
            return;
        }
        engine.observe(SeenReply.of(route, remote, reply), atMillis).forEach(each -> {
            String subject = each.subject().words();
            uses.merge(each.rule().name() + " " + subject,
                    new RuleUse(each.rule().name(), subject, atMillis, 1, each.reply().toString()),
                    (before, _) -> before.again());
            each.orders().forEach(order -> begin(order, atMillis));
        });
    }

    private void begin(StandingOrder order, long nowMillis) {
        String key = order.kind() + " " + order.name();
        StandingOrder present = inForce.get(key);
        if (present == null || present.untilMillis() <= nowMillis || RuleOrder.mayReplace(present, order)) {
            inForce.put(key, order);
            world.orElseThrow().command(new OperatorCommand.Begin(order));
        }
    }
}
