package org.slipstream.server.monitor;

import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.monitor.MetricFamilies;
import org.slipstream.monitor.MonitorPages;
import org.slipstream.monitor.alarm.AlarmCause;
import org.slipstream.monitor.alarm.AlarmSettings;
import org.slipstream.monitor.alarm.Alarms;
import org.slipstream.qmgr.QueueQueries.DeliveryCounts;
import org.slipstream.server.monitor.QueueWatch.OldestMessage;
import org.slipstream.server.shard.Shard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The metrics, the health and the alarms of a server. Each question about a shard has a time limit,
/// because its disk may hang; what has no answer is missing.
///
/// The list of troubles is the one of `mta status`, and the alarm is another reader of it. A server whose
/// list does not come in time has the trouble `answer`.
public final class ServerMonitor implements MonitorPages, AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Pattern SUBJECT = Pattern.compile("^(?:mail of )?(shard \\d+|user \\S+)[: ]");
    private static final AlarmCause NO_ANSWER = new AlarmCause("answer", "", "",
            "the server does not say which troubles it has; a disk that hangs is the usual reason",
            "no answer within " + LIMIT.toSeconds() + " s");

    private final QueueWatch watch = new QueueWatch();
    private final InstantSource clock;
    private final Supplier<AlarmSettings> settings;
    private Optional<Asked> asked = Optional.empty();
    private Instant oldestAt = Instant.MIN;

    private record Asked(ServerFacts facts, BoundedQuestion<Activity> activity,
            BoundedQuestion<DeliveryCounts> deliveries, BoundedQuestion<List<TroubleView>> troubles, Alarms alarms) {}

    public ServerMonitor(Supplier<AlarmSettings> settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /// The troubles that only this class knows.
    public List<TroubleView> troubles() {
        return watch.troubles();
    }

    /// Begins to look. Called once.
    public void start(String hostname, ServerFacts facts) {
        BoundedQuestion<Activity> activity = new BoundedQuestion<>("monitor-queue", () -> activity(facts), LIMIT);
        BoundedQuestion<DeliveryCounts> deliveries = new BoundedQuestion<>("monitor-deliveries",
                facts.queue()::deliveryCounts, LIMIT);
        BoundedQuestion<List<TroubleView>> troubles = new BoundedQuestion<>("monitor-troubles", () -> {
            look(facts);
            return facts.queue().troubles();
        }, LIMIT);
        Alarms alarms = new Alarms(hostname, settings, () -> causes(troubles), clock);
        asked = Optional.of(new Asked(facts, activity, deliveries, troubles, alarms));
        alarms.start();
    }

    @Override
    public void close() {
        asked.ifPresent(each -> each.alarms().close());
    }

    private static Activity activity(ServerFacts facts) {
        try {
            return facts.queue().activity();
        } catch (IOException none) {
            throw new UncheckedIOException(none);
        }
    }

    // ---- pages

    @Override
    public MetricFamilies metrics() {
        Asked now = asked.orElseThrow();
        return ServerMetrics.read(now.facts(), now.activity().ask(), now.deliveries().ask());
    }

    @Override
    public List<String> notReady() {
        ServerFacts facts = asked.orElseThrow().facts();
        List<String> reasons = new ArrayList<>();
        if (facts.stops().getAsBoolean()) {
            reasons.add("the server stops");
        }
        if (facts.listeners().get().isEmpty()) {
            reasons.add("no port for mail is open");
        }
        if (facts.shards().get().stream().noneMatch(Shard::isReady)) {
            reasons.add("no shard can store new mail, or the index is far behind; mta status says why");
        }
        return reasons;
    }

    // ---- alarms

    private static List<AlarmCause> causes(BoundedQuestion<List<TroubleView>> troubles) {
        return troubles.ask().map(list -> list.stream().map(ServerMonitor::cause).toList())
                .orElse(List.of(NO_ANSWER));
    }

    static AlarmCause cause(TroubleView trouble) {
        Matcher subject = SUBJECT.matcher(trouble.meaning());
        return new AlarmCause(trouble.what(), subject.find() ? subject.group(1) : "", trouble.since(),
                trouble.meaning(),
                trouble.reason());
    }

    /// On the thread of the question, one at a time.
    private void look(ServerFacts facts) {
        Instant now = clock.instant();
        watch.look(facts.queue().deliveryCounts().running(), facts.traffic().outcomes(), now);
        Optional<Duration> limit = settings.get().oldest();
        if (limit.isEmpty()) {
            watch.oldest(Optional.empty(), Duration.ZERO);
        } else if (!oldestAt.plus(Duration.ofMinutes(1)).isAfter(now)) {
            oldestAt = now;
            oldest(facts, limit.get()).ifPresent(found -> watch.oldest(found, limit.get()));
        }
    }

    /// Reads the oldest part of the queue only. Empty when the index cannot be read, which is a trouble of
    /// its own.
    private static Optional<Optional<OldestMessage>> oldest(ServerFacts facts, Duration limit) {
        QueueFilter older = new QueueFilter(Optional.empty(), List.of(), Optional.of(QueueFilter.State.DEFERRED),
                OptionalLong.of(limit.toMillis()), OptionalLong.empty(), 0);
        try {
            List<MessageView> found = facts.queue().list(older, Optional.empty(), 1).messages();
            return Optional.of(found.stream().findFirst().map(each -> new OldestMessage(each.id(), each.created())));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }
}
