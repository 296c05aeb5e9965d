package org.slipstream.server.view;

import org.slipstream.admin.operations.HostOperations.ConnectionView;
import org.slipstream.admin.operations.Operations.DestinationView;
import org.slipstream.admin.operations.Operations.Status;
import org.slipstream.admin.operations.StandingOrders.SuspensionView;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.admin.operations.ViewOperations.DestinationDetails;
import org.slipstream.admin.operations.ViewOperations.ErrorView;
import org.slipstream.admin.operations.ViewOperations.JobView;
import org.slipstream.admin.operations.ViewOperations.PreemptionView;
import org.slipstream.admin.operations.ViewOperations.ProviderView;
import org.slipstream.admin.operations.ViewOperations.SchedulerView;
import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.admin.operations.ViewOperations.ShapePage;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.admin.operations.ViewOperations.TransportJobsView;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.qmgr.place.PlaceSnapshot;
import org.slipstream.qmgr.sched.JobsSnapshot;
import org.slipstream.qmgr.trace.DestinationFigures;
import org.slipstream.qmgr.trace.ProviderFigures;
import org.slipstream.qmgr.wake.ProviderSettings;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.server.view.MailCounters.DomainError;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/// Joins the figures of the queue manager, the counters and the queue index to the views of the
/// whole server.
public final class Views {
    private static final long RECENT_MILLIS = 3_600_000;
    // The upper bits of a queue id are its creation time.
    private static final int ID_SHIFT = 10;

    /// More rows than a person reads, and as many series as a monitoring system should keep for one
    /// server. A server may have 80,000 destinations in memory, most of them dead.
    static final int MOST_DESTINATIONS = 200;
    private static final String OTHERS = "(others)";

    private static final Comparator<DestinationView> BUSIEST_VIEWS_FIRST = Comparator
            .comparing((DestinationView each) -> !each.nextHop().equals(OTHERS))
            .thenComparing(each -> each.running() + each.waiting()).reversed().thenComparing(DestinationView::nextHop);
    private static final Comparator<BusyDestination> BUSIEST_FIRST = Comparator
            .comparing((BusyDestination each) -> !each.nextHop().equals(OTHERS))
            .thenComparing(each -> each.running() + each.waiting())
            .thenComparing(each -> !each.state().equals("idle")).thenComparing(BusyDestination::lastErrorAt)
            .reversed().thenComparing(BusyDestination::nextHop);

    private Views() {}

    /// The shape of the messages after `after`, at most [QueueShape#PAGE].
    public static ShapePage shape(Spool spool, ShapeBy by, Optional<QueueId> after,
            Map<String, DestinationState.Dead> dead, ProviderQuestion providers, long nowMillis) throws IOException {
        List<MessageDetails> page = spool.list(after, QueueShape.PAGE);
        return new ShapePage(shape(page, by, spool.commonRecords(), dead, providers.of(page), nowMillis),
                page.size() < QueueShape.PAGE
                        ? Optional.empty()
                        : Optional.of(page.getLast().summary().id().toString()));
    }

    /// Asks for what is known of the providers of these messages.
    @FunctionalInterface
    public interface ProviderQuestion {
        ProviderOfMail of(List<MessageDetails> messages) throws IOException;
    }

    public static ProviderView provider(ProviderFigures figures) {
        ProviderSettings limits = figures.limits();
        return new ProviderView(figures.name(), figures.hosts(), figures.networks(), limits.lanes(),
                limits.rate().map(Rate::toString).orElse(""), limits.senderLanes(),
                limits.senderRate().map(Rate::toString).orElse(""), figures.destinations(), figures.waiting(),
                figures.connections(), figures.started());
    }

    /// The shape of these messages.
    public static List<ShapeRow> shape(List<MessageDetails> messages, ShapeBy by, Spool.CommonRecords common,
            Map<String, DestinationState.Dead> dead, ProviderOfMail providers, long nowMillis) {
        QueueShape shape = new QueueShape(by, common, dead, providers, nowMillis);
        messages.forEach(shape::add);
        return shape.rows();
    }

    public static Activity activity(Status status, List<DestinationFigures> figures, MailCounters traffic,
            long nowMillis) {
        Map<String, DomainError> errors = traffic.errors();
        List<BusyDestination> rows = new ArrayList<>();
        for (DestinationFigures each : figures) {
            rows.add(row(each, Optional.ofNullable(errors.remove(each.nextHop()))));
        }
        errors.values().removeIf(error -> error.atMillis() < nowMillis - RECENT_MILLIS);
        errors.forEach((domain, error) -> rows.add(new BusyDestination("", domain, "idle", "", 0, 0, 0, 0, 0, "",
                error.reply(), moment(error.atMillis()))));
        return new Activity(moment(nowMillis), status.hostname(), status.started(), status.messages(), status.held(),
                status.active(), status.connections(), traffic.counters(status), status.suspensions(),
                busiestInMemory(rows).stream().map(each -> marked(each, status.suspensions())).toList(),
                List.of(), 0, status.trouble());
    }

    /// @param figures of this destination, for each transport
    public static DestinationDetails destination(String name, List<DestinationFigures> figures, MailCounters traffic,
            List<SuspensionView> suspensions) {
        List<DomainError> errors = traffic.errors(name.toLowerCase(Locale.ROOT));
        Optional<DomainError> latest = errors.stream().findFirst();
        return new DestinationDetails(name,
                figures.stream().map(each -> marked(row(each, latest), suspensions)).toList(), errors.stream()
                        .map(each -> new ErrorView(each.reply(), each.times(), moment(each.firstMillis()),
                                moment(each.atMillis())))
                        .toList());
    }

    public static SchedulerView scheduler(JobsSnapshot jobs, long nowMillis) {
        return new SchedulerView(moment(nowMillis), jobs.transports().stream().map(Views::transport).toList());
    }

    private static TransportJobsView transport(JobsSnapshot.TransportJobs jobs) {
        return new TransportJobsView(jobs.transport(), Optional.empty(), jobs.dead(), jobs.slotCost(), jobs.jobs(),
                jobs.preemptions(),
                jobs.first().stream()
                        .map(job -> new JobView(job.id().toString(), job.level(),
                                job.passed().map(QueueId::toString).orElse(""), job.selected(), job.left(),
                                job.running(), job.balance(), job.current()))
                        .toList(),
                jobs.latest().stream()
                        .map(each -> new PreemptionView(each.number(), moment(each.atMillis()),
                                each.passed().toString(), each.stepping().toString(), each.level(), each.balance()))
                        .toList());
    }

    /// The busiest destinations, and the sum of the others in one last row, which may be among them.
    public static List<DestinationView> busiest(Collection<DestinationView> all) {
        return busiest(all, BUSIEST_VIEWS_FIRST, rest -> new DestinationView("-", OTHERS,
                rest.stream().mapToInt(DestinationView::waiting).sum(),
                rest.stream().mapToInt(DestinationView::running).sum(),
                rest.stream().mapToInt(DestinationView::connections).sum(), Optional.empty()));
    }

    /// The same for the load.
    public static List<BusyDestination> busiestInMemory(Collection<BusyDestination> all) {
        return busiest(all, BUSIEST_FIRST, rest -> new BusyDestination("-", OTHERS, "-", "", 0, 0,
                rest.stream().mapToInt(BusyDestination::connections).sum(),
                rest.stream().mapToInt(BusyDestination::running).sum(),
                rest.stream().mapToInt(BusyDestination::waiting).sum(), "", "", ""));
    }

    private static <T> List<T> busiest(Collection<T> all, Comparator<T> first, Function<List<T>, T> sum) {
        List<T> rows = new ArrayList<>(all);
        rows.sort(first);
        if (rows.size() > MOST_DESTINATIONS) {
            List<T> rest = rows.subList(MOST_DESTINATIONS, rows.size());
            T others = sum.apply(rest);
            rest.clear();
            rows.add(others);
        }
        return List.copyOf(rows);
    }

    private static BusyDestination marked(BusyDestination each, List<SuspensionView> suspensions) {
        return suspensions.stream()
                .filter(one -> one.scope().equals("everything")
                        || one.scope().equals("destination") && one.name().equalsIgnoreCase(each.nextHop())
                        || one.scope().equals("transport") && one.name().equals(each.transport()))
                .findFirst().map(one -> new BusyDestination(each.transport(), each.nextHop(), "suspended", one.until(),
                        each.window(), each.limit(), each.connections(), each.running(), each.waiting(), each.oldest(),
                        each.lastError(), each.lastErrorAt()))
                .orElse(each);
    }

    /// A destination without the latest error, which the queue manager does not know.
    public static BusyDestination destination(DestinationFigures each) {
        return row(each, Optional.empty());
    }

    public static ConnectionView connection(PlaceSnapshot.ConnectionInfo line) {
        String state = !line.up() ? "opening" : line.queued() > 0 ? "busy" : "idle";
        return new ConnectionView(line.number(), state, line.queued(), line.depth(), line.answered(),
                moment(line.openedMillis()), line.destinations());
    }

    private static BusyDestination row(DestinationFigures each, Optional<DomainError> error) {
        Optional<String> dead = each.state() instanceof DestinationState.Dead(long _, var reason)
                ? Optional.of(reason.toString())
                : Optional.empty();
        return new BusyDestination(each.transport(), each.nextHop(), word(each.state()), until(each.state()),
                each.window(), each.limit(), each.connections(), each.running(), each.waiting(),
                each.oldest().map(id -> moment(id.value() >> ID_SHIFT)).orElse(""),
                dead.or(() -> error.map(DomainError::reply)).orElse(""),
                error.map(last -> moment(last.atMillis())).orElse(""));
    }

    private static String word(DestinationState state) {
        return switch (state) {
            case DestinationState.Live _ -> "live";
            case DestinationState.Dead _ -> "dead";
            case DestinationState.Suspended _ -> "paused";
        };
    }

    private static String until(DestinationState state) {
        OptionalLong until = switch (state) {
            case DestinationState.Live _ -> OptionalLong.empty();
            case DestinationState.Dead dead -> OptionalLong.of(dead.untilMillis());
            case DestinationState.Suspended pause -> OptionalLong.of(pause.untilMillis());
        };
        return until.isPresent() ? moment(until.getAsLong()) : "";
    }

    private static String moment(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
