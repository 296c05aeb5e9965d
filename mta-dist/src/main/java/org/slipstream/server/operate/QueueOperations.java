package org.slipstream.server.operate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.admin.operations.StandingOrders.SuspensionView;
import org.slipstream.admin.operations.ViewOperations.ProviderView;
import org.slipstream.admin.operations.ViewOperations.SchedulerView;
import org.slipstream.config.NextHopForm;
import org.slipstream.core.Address;
import org.slipstream.core.AddressPattern;
import org.slipstream.core.Content;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.TraceResult;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.core.queue.Suspension;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.QueueQueries.DeliveryCounts;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.qmgr.trace.DestinationFigures;
import org.slipstream.qmgr.trace.QmgrSnapshot;
import org.slipstream.server.dispatch.Commands;
import org.slipstream.server.dispatch.Verifications;
import org.slipstream.server.dispatch.Verifications.VerificationVerdict;
import org.slipstream.server.intake.EtrnRequests;
import org.slipstream.server.view.Views;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.IndexException;
import org.slipstream.spool.index.QueueIndex;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Operators' views and commands: the queue index's rows joined with the queue manager's snapshot
/// of the same moment.
///
/// Commands go through the queue manager, which alone knows whether a message is being delivered.
/// It answers when the queue index has the effect ([Commands]), so a list that is read after a hold
/// shows the message on hold.
public final class QueueOperations implements ShardQueue {
    /// Less than the timeout of a client of the API.
    private static final int TIMEOUT_SECONDS = 45;
    private static final VerificationVerdict TIMED_OUT = new VerificationVerdict(
            Verifications.VerificationResult.UNKNOWN, "", "",
            Reply.of(450, "4.4.2", "Timeout exceeded: no reply within " + TIMEOUT_SECONDS + " s"));
    /// Jobs of each transport that a picture has room for.
    private static final int MOST_JOBS = 40;
    /// Limit for a count, which needs only the ids.
    private static final int COUNTED_AT_ONCE = 20_000;
    /// Limit for orders that wait for the disk, or for the end of a delivery.
    static final int MOST_UNANSWERED = 100_000;
    private static final Logger log = LoggerFactory.getLogger(QueueOperations.class);

    private final Spool spool;
    private final QmgrQueries queries;
    private final QueueSearch search;
    private final Commands commands;
    private final LongSupplier clockMillis;
    private final String version;
    private final String hostname;
    private final QueueViewSources surroundings;
    private final Collection<InetSocketAddress> ours;

    /// @param ours the addresses of the listeners; mail that is rerouted there would loop
    public QueueOperations(Spool spool, Inbox inbox, Commands commands, LongSupplier clockMillis, String version,
            String hostname, QueueViewSources surroundings, Collection<InetSocketAddress> ours) {
        this.spool = spool;
        this.queries = new QmgrQueries(inbox);
        this.search = new QueueSearch(spool, queries, commands, surroundings.transport());
        this.commands = commands;
        this.clockMillis = clockMillis;
        this.version = version;
        this.hostname = hostname;
        this.surroundings = surroundings;
        this.ours = ours;
    }

    @Override
    public QueuePage list(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        long total = spool.counts().messages();
        if (!filter.isAny()) {
            QueueIndex.Found found = search.find(filter, after, limit);
            return new QueuePage(views(found.ids()), text(found.next()), total);
        }
        List<MessageDetails> rows = spool.list(after, limit + 1);
        List<MessageView> page = ofRows(rows.subList(0, Math.min(limit, rows.size())));
        Optional<String> next = rows.size() > limit ? Optional.of(page.getLast().id()) : Optional.empty();
        return new QueuePage(page, next, total);
    }

    @Override
    public QueueIndex.Found find(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        return search.find(filter, after, limit);
    }

    @Override
    public QueueIndex.Found toBeOrdered(MessageOrder order, QueueFilter filter, Optional<QueueId> after, int limit)
            throws IOException {
        return search.toBeOrdered(order, filter, after, limit);
    }

    @Override
    public List<MessageView> views(List<QueueId> ids) throws IOException {
        return ofRows(spool.details(ids));
    }

    @Override
    public long total() throws IOException {
        return spool.counts().messages();
    }

    /// The queue manager explains only the messages of one page, however many are active.
    private List<MessageView> ofRows(List<MessageDetails> rows) throws IOException {
        QueueView picture = picture(rows.stream().map(row -> row.summary().id()).collect(Collectors.toSet()));
        return rows.stream().map(picture::view).toList();
    }

    @Override
    public MessageCount count(QueueFilter filter, Optional<QueueId> after) throws IOException {
        return filter.isAny()
                ? new MessageCount(spool.counts().messages(), Optional.empty())
                : tally(search.find(filter, after, COUNTED_AT_ONCE));
    }

    private static MessageCount tally(QueueIndex.Found found) {
        return new MessageCount(found.ids().size(), text(found.next()));
    }

    private static Optional<String> text(Optional<QueueId> id) {
        return id.map(QueueId::toString);
    }

    @Override
    public Optional<MessageView> show(QueueId id) throws IOException {
        Optional<MessageDetails> row = spool.details(id);
        if (row.isEmpty()) {
            return Optional.empty();
        }
        long now = clockMillis.getAsLong();
        return Optional.of(queries.ask(manager -> {
            MessageView view = picture(manager, Set.of(id), now).view(row.get())
                    .expiring(QueueView.moment(manager.expiryMillis(row.get().summary())));
            return surroundings.explanations().explain(manager, id, now).map(SeatText::of).map(view::with)
                    .orElse(view);
        }));
    }

    @Override
    public Optional<MessageExplanation> explain(QueueId id) throws IOException {
        long now = clockMillis.getAsLong();
        Optional<MessageDetails> row;
        try {
            row = spool.details(id);
        } catch (IndexException unreadable) {
            OptionalLong since = spool.troubles().stream().filter(each -> each.what() == Spool.What.INDEX)
                    .mapToLong(Spool.Trouble::sinceMillis).findFirst();
            return Optional.of(new UnindexedText(id, queries.ask(manager -> manager.about(id, now)),
                    FailureWords.of(unreadable), since).explanation());
        }
        if (row.isEmpty()) {
            return Optional.empty();
        }
        List<PastAttempt> attempts = spool.attempts(id);
        List<String> providers = search.providers(List.of(row.get())).of(row.get());
        return Optional.of(queries.ask(manager -> new ExplainText(row.get(),
                ofThread(picture(manager, Set.of(id), now).phase(row.get()), row.get(), manager),
                manager.gates(id, now), attempts,
                providers, surroundings.tlsLine(), surroundings.deliverySources(), now)).explanation());
    }

    // The message wakes with the first one of its thread.
    private static QueuePhase ofThread(QueuePhase phase, MessageDetails row, QueueQueries manager) {
        OptionalLong first = phase.code() == Code.RETRY || phase.code() == Code.DEAD
                ? row.recipients().stream().filter(each -> each.state() == RecipientStatus.OPEN)
                        .map(each -> manager.threadMillis(each.recipient().address().domainKey())).flatMapToLong(
                                OptionalLong::stream)
                        .min()
                : OptionalLong.empty();
        if (first.isEmpty()) {
            return phase;
        }
        long wakes = Math.min(first.getAsLong(), phase.untilMillis().orElse(Long.MAX_VALUE));
        return phase.until(wakes).adding("; the mail of its destination wakes together");
    }

    @Override
    public TraceResult trace(String wanted, int limit) throws IOException {
        return surroundings.traces().trace(wanted, limit, this);
    }

    @Override
    public TraceResult history(String wanted, int limit) throws IOException {
        return surroundings.traces().history(wanted, limit);
    }

    @Override
    public Optional<MessageTrace> present(MessageTrace story) throws IOException {
        return Traces.present(story, spool, this::phase);
    }

    @Override
    public Optional<MessageTrace> queued(QueueId id) throws IOException {
        return Traces.queued(id, spool, this::phase);
    }

    private QueuePhase phase(MessageDetails row) throws IOException {
        return picture(Set.of(row.summary().id())).phase(row);
    }

    @Override
    public Optional<Content> content(QueueId id) throws IOException {
        return spool.details(id).isPresent() ? Optional.of(spool.content(id)) : Optional.empty();
    }

    @Override
    public SubjectExplanation explain(Subject subject, String name, int most) throws IOException {
        long now = clockMillis.getAsLong();
        Optional<QueueFilter> filter = subject == Subject.HOST ? Optional.of(QueueFilter.ANY) : filter(subject, name);
        QueueIndex.Found found = filter.isEmpty()
                ? new QueueIndex.Found(List.of(), Optional.empty())
                : search.find(filter.get(), Optional.empty(), most);
        List<MessageDetails> details = spool.details(found.ids()).stream()
                .filter(row -> subject != Subject.HOST || isAbout(row, name)).toList();
        return queries.ask(manager -> {
            QueueView picture = picture(manager, new HashSet<>(found.ids()), now);
            Map<MessageDetails, QueuePhase> rows = new LinkedHashMap<>();
            details.forEach(row -> rows.put(row, picture.phase(row)));
            return new SubjectText(subject, name, state(manager, subject, name, now), rows, found.next().isEmpty(),
                    now).explanation();
        });
    }

    private static Optional<QueueFilter> filter(Subject subject, String name) {
        Optional<AddressPattern> pattern = subject == Subject.SENDER
                ? AddressPattern.parse(name)
                : AddressPattern.ofDomain(name);
        return pattern.map(each -> new QueueFilter(subject == Subject.SENDER ? pattern : Optional.empty(),
                subject == Subject.SENDER ? List.of() : List.of(each), Optional.empty(), OptionalLong.empty(),
                OptionalLong.empty(), 0));
    }

    private static boolean isAbout(MessageDetails row, String host) {
        return row.recipients().stream().anyMatch(each -> each.state() == RecipientStatus.OPEN && each.last()
                .filter(last -> last.remote().toLowerCase(Locale.ROOT).contains(host.toLowerCase(Locale.ROOT)))
                .isPresent());
    }

    private String state(QueueQueries manager, Subject subject, String name, long now) {
        return switch (subject) {
            case SENDER -> SubjectText.state("no limit of its own", SubjectText.sender(name), manager.suspensions());
            case HOST -> SubjectText.state(surroundings.suspended().apply(now).stream()
                    .filter(host -> host.name().equalsIgnoreCase(name) || host.host().toString().contains(name))
                    .findFirst().map(host -> SubjectText.ending(host.text(), "mta destdb resume " + name))
                    .orElse("not suspended"), _ -> false, manager.suspensions());
            case DESTINATION -> destination(manager, name, now);
        };
    }

    private static String destination(QueueQueries manager, String name, long now) {
        OptionalLong thread = manager.threadMillis(name.toLowerCase(Locale.ROOT));
        Optional<QmgrSnapshot.ActiveDestination> found = manager.snapshotOfDestinations(now).destinations().stream()
                .filter(each -> each.nextHop().equalsIgnoreCase(name)).findFirst();
        String state = found.map(each -> each.running() + " deliveries under way on " + each.lanes() + " connections, "
                + each.waiting() + " wait"
                + each.refusal().map(refusal -> "; refused by the gate "
                        + refusal.gate().word() + " since "
                        + NextChance.span(now - refusal.sinceMillis())).orElse(""))
                .orElse("nothing under way")
                + (thread.isPresent()
                        ? "; its deferred mail wakes together at " + QueueView.moment(thread.getAsLong())
                        : "");
        return SubjectText.state(state, SubjectText.destination(name,
                found.map(QmgrSnapshot.ActiveDestination::transport)), manager.suspensions());
    }

    @Override
    public void flushAll(Optional<String> domain) throws IOException {
        QmgrQueries.answer(commands.give(new OperatorCommand.FlushAll(domain)));
    }

    @Override
    public Optional<VerdictView> verify(Address address) {
        return surroundings.verifications().map(each -> verify(each, address));
    }

    private static VerdictView verify(Verifications verifications, Address address) {
        CompletableFuture<VerificationVerdict> answer = new CompletableFuture<>();
        verifications.verify(address, answer::complete);
        VerificationVerdict verdict = answer.completeOnTimeout(TIMED_OUT, TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
        return new VerdictView(address.toString(), verdict.result().word(), verdict.route(), verdict.host(),
                verdict.reply().toString());
    }

    @Override
    public EtrnRequests.Pending pending(String domain) throws IOException {
        QueueIndex.Found tried = spool.tried(domain);
        return new EtrnRequests.Pending(tried.ids().size(), tried.next().isPresent());
    }

    @Override
    public void flush(String domain) throws IOException {
        flushAll(Optional.of(domain));
    }

    @Override
    public Route nextHop(String text) {
        return NextHopForm.read(text, ours);
    }

    @Override
    public boolean order(MessageOrder order, QueueId id) throws IOException {
        if (spool.details(id).isEmpty()) {
            return false;
        }
        order(order, List.of(id));
        return true;
    }

    @Override
    public MessageCount order(MessageOrder order, QueueFilter filter, Optional<QueueId> after, int limit)
            throws IOException {
        QueueIndex.Found found = search.toBeOrdered(order, filter, after, limit);
        order(order, found.ids());
        return tally(found);
    }

    @Override
    public void order(MessageOrder order, List<QueueId> ids) throws NotOnDiskException {
        int waiting = commands.unanswered();
        if (waiting + ids.size() > MOST_UNANSWERED) {
            throw new NotOnDiskException("not ordered: " + waiting + " orders already wait for the disk or for the end"
                    + " of deliveries; give it again when mta queue list shows their effect");
        }
        settled(ids.stream().map(id -> commands.give(new OperatorCommand.OfMessage(id, order))).toList());
    }

    @Override
    public MessageCount wouldOrder(MessageOrder order, QueueFilter filter, Optional<QueueId> after) throws IOException {
        return tally(search.toBeOrdered(order, filter, after, COUNTED_AT_ONCE));
    }

    // A delivery in progress is finished first and may take long. The command remains in force;
    // only the wait for it ends. Its record is on disk then, unless the disk stands still.
    private void settled(List<CompletableFuture<Result>> commands) throws NotOnDiskException {
        CompletableFuture<Void> all = CompletableFuture.allOf(commands.toArray(CompletableFuture[]::new));
        all.copy().completeOnTimeout(null, QmgrQueries.ANSWER_MILLIS, TimeUnit.MILLISECONDS).join();
        if (!all.isDone() && (spool.isSlow()
                || spool.troubles().stream().anyMatch(trouble -> trouble.what() == Spool.What.LOG))) {
            throw new NotOnDiskException();
        }
    }

    @Override
    public ShapePage shape(ShapeBy by, Optional<QueueId> after) throws IOException {
        return Views.shape(spool, by, after, queries.ask(QueueQueries::deadNextHops), search::providers,
                clockMillis.getAsLong());
    }

    @Override
    public List<ShapeRow> shape(ShapeBy by, List<QueueId> ids, Spool.CommonRecords common) throws IOException {
        List<MessageDetails> messages = spool.details(ids);
        return Views.shape(messages, by, common, queries.ask(QueueQueries::deadNextHops), search.providers(messages),
                clockMillis.getAsLong());
    }

    @Override
    public Spool.CommonRecords commonRecords() throws IOException {
        return spool.commonRecords();
    }

    /// Facts of one moment, for the status.
    private record Moment(QmgrSnapshot snapshot, ConnectionsView connections, List<Suspension> suspensions,
            List<DestinationFigures> figures) {}

    private Moment moment(boolean withFigures) throws IOException {
        long now = clockMillis.getAsLong();
        return queries.ask(manager -> new Moment(manager.snapshotOfDestinations(now),
                surroundings.connections().get(), manager.suspensions(),
                withFigures ? manager.destinationFigures() : List.of()));
    }

    @Override
    public Activity activity() throws IOException {
        Moment moment = moment(true);
        return Views.activity(status(moment), moment.figures(), surroundings.traffic(), clockMillis.getAsLong());
    }

    @Override
    public DestinationDetails destination(String name) throws IOException {
        return queries.ask(manager -> Views.destination(name,
                manager.destinationFigures().stream().filter(each -> each.nextHop().equalsIgnoreCase(name)).toList(),
                surroundings.traffic(), manager.suspensions().stream().map(SuspensionView::of).toList()));
    }

    @Override
    public List<ProviderView> providers() throws IOException {
        return deliveryCounts().providers().stream().map(Views::provider).toList();
    }

    @Override
    public Map<String, Long> counters() {
        return surroundings.traffic().counters();
    }

    @Override
    public SchedulerView scheduler() throws IOException {
        return Views.scheduler(queries.ask(manager -> manager.jobs(MOST_JOBS)), clockMillis.getAsLong());
    }

    @Override
    public Status status() throws IOException {
        return status(moment(false));
    }

    private Status status(Moment moment) {
        QmgrSnapshot snapshot = moment.snapshot();
        Optional<Spool.Counts> counts = counts();
        List<DestinationView> destinations = Views.busiest(snapshot.destinations().stream().map(
                d -> new DestinationView(d.transport(), d.nextHop(), d.waiting(), d.running(), d.lanes(),
                        d.meanMillis()))
                .toList());
        return new Status(version, hostname, QueueView.moment(surroundings.traffic().sinceMillis()),
                counts.map(Spool.Counts::messages),
                counts.map(Spool.Counts::held), counts.map(Spool.Counts::corrupt), snapshot.active(),
                surroundings.stuck().total().getAsLong(), snapshot.unannounced(),
                surroundings.delivers(), moment.connections(), destinations,
                troubleViews(),
                moment.suspensions().stream().map(SuspensionView::of).toList(), List.of());
    }

    @Override
    public DeliveryCounts deliveryCounts() throws IOException {
        return queries.ask(QueueQueries::deliveryCounts);
    }

    /// Asks the queue manager for nothing but an answer.
    @Override
    public List<TroubleView> troubles() throws IOException {
        queries.ask(QueueQueries::isQuiet);
        return troubleViews();
    }

    private List<TroubleView> troubleViews() {
        int stuck = surroundings.stuck().now().getAsInt();
        return Stream.concat(spool.troubles().stream().map(HealthText::of), stuck == 0
                ? Stream.empty()
                : Stream.of(new TroubleView("stuck", "", "these messages wait until a restart, which delivers them",
                        stuck + " messages wait although nothing holds them")))
                .toList();
    }

    /// Empty when the queue index cannot be read; the status says so.
    private Optional<Spool.Counts> counts() {
        try {
            return Optional.of(spool.counts());
        } catch (IOException unreadable) {
            log.debug("event=counts-not-read error=\"{}\"", LogText.text(FailureWords.of(unreadable)));
            return Optional.empty();
        }
    }

    private QueueView picture(Set<QueueId> ids) throws IOException {
        long now = clockMillis.getAsLong();
        return queries.ask(manager -> picture(manager, ids, now));
    }

    /// On the queue manager's thread.
    private QueueView picture(QueueQueries manager, Set<QueueId> ids, long now) {
        return new QueueView(active(manager.snapshot(ids, now)), surroundings.suspended().apply(now),
                manager.suspensions(), surroundings.delivers(), surroundings.wire(), now);
    }

    private static Map<QueueId, QmgrSnapshot.ActiveMessage> active(QmgrSnapshot snapshot) {
        Map<QueueId, QmgrSnapshot.ActiveMessage> active = new HashMap<>();
        snapshot.messages().forEach(message -> active.put(message.id(), message));
        return active;
    }
}
