package org.slipstream.server.shard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.config.ProgramVersion;
import org.slipstream.core.FailureWords;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.SeededChance;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.journal.JournalObserver;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.journal.file.JournalWriter;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.run.FeedbackLog;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.qmgr.run.QmgrLoop;
import org.slipstream.qmgr.settings.ChangedSettings;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.shard.Leases;
import org.slipstream.qmgr.trace.QmgrObserver;
import org.slipstream.qmgr.trace.QmgrTrace;
import org.slipstream.qmgr.trace.RefusalObserver;
import org.slipstream.server.dispatch.DeliveriesUnderWay;
import org.slipstream.server.dispatch.DeliveryLease;
import org.slipstream.server.dispatch.LeaseGate;
import org.slipstream.server.dispatch.OrderDispatcher;
import org.slipstream.server.dispatch.QmgrCarrierEvents;
import org.slipstream.server.dispatch.RestingDispatcher;
import org.slipstream.server.dispatch.SourcedConnections;
import org.slipstream.server.dispatch.SourcedRoutes;
import org.slipstream.server.hosts.HostStore;
import org.slipstream.server.hosts.ServerPlacement;
import org.slipstream.smtpout.Carriers;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// One run of a queue manager over a spool: its inbox, dispatcher, connections and thread.
///
/// A run that failed is replaced by another over the same spool. Nothing of a run outlives it but
/// what its spool recorded, so the next run begins where a restarted server would.
final class QueueRun {
    private static final Logger log = LoggerFactory.getLogger(QueueRun.class);
    private static final int ARRIVALS_WAITING = 10_000;

    private final int shard;
    private volatile ShardServices services;
    private final Inbox inbox = new Inbox(ARRIVALS_WAITING);
    private final DeliveriesUnderWay underWay = new DeliveriesUnderWay(inbox::answer);
    private final Carriers carriers;
    private final ServerPlacement places;
    private final OrderDispatcher dispatcher;
    private final LeaseGate gate;
    private final Optional<JournalWriter> journal;
    private final QmgrLoop loop;

    /// The knowledge with which a run starts.
    ///
    /// @param hosts records of earlier runs and of other shards
    /// @param memory receives changed host records
    /// @param journal the file for the decisions of this run
    /// @param shared whether other shards use the limits of the server
    /// @param broker gets the orders about lanes; until the limits are shared there are none
    /// @param mover moves messages to other shards
    /// @param lease of the shard in a cluster
    record RunStart(List<HostRow> hosts, HostMemory memory, Optional<Path> journal, boolean shared,
            Consumer<QmgrOrder.LeaseOrder> broker, OrderDispatcher.Mover mover, DeliveryLease lease) {}

    /// @param failed called when the queue manager has ended with an exception
    QueueRun(Spool spool, ShardServices services, RunStart start, Consumer<Throwable> failed) throws IOException {
        this.shard = spool.shard();
        this.services = services;
        SourcedConnections sourced = new SourcedConnections(services.sources(),
                new QmgrCarrierEvents(services.traffic().counting(underWay)));
        this.carriers = new Carriers(services.client(), sourced, services.signer().apply(shard));
        if (start.shared()) {
            share();
        }
        QmgrConfig settings = services.config().queueManager();
        long now = services.clock().getAsLong();
        // Of the thread, so that a simulated world decides it.
        long seed = ThreadLocalRandom.current().nextLong();
        this.journal = start.journal().isEmpty()
                ? Optional.empty()
                : Optional.of(openJournal(start.journal().get(), new JournalRecord.Beginning(JournalRecord.FORMAT,
                        ProgramVersion.version(), now, seed, settings, services.config().smtpPlacement(),
                        start.hosts(), start.shared())));
        Optional<JournalObserver> observer = journal.map(file -> new JournalObserver(file::add, feedbackLog()));
        this.places = new ServerPlacement(services.placement(), services.client(), start.memory(), services.clock(),
                new ServerPlacement.PlacementStart(start.hosts(), now, seed, observer,
                        start.shared()
                                ? Leases.shared(services.config().lanesOfShard(shard))
                                : Leases.whole()));
        this.dispatcher = new OrderDispatcher(spool, new SourcedRoutes(services.routes(), services.sources(), spool),
                carriers, places::breaksUnderPipelining,
                services.mailboxes(), services.reports().apply(spool), underWay, services.clock(),
                services.history(), new OrderDispatcher.OtherShards(start.mover(), start.broker()),
                services.suppressed(), services.refused(), services.programs(), services.sources(),
                Optional.of(sourced), start.lease());
        this.gate = new LeaseGate(start.lease(), dispatcher);
        QueueManager manager = new QueueManager(settings, places.seating(), SeededChance.ofOrder(seed),
                observer.<QmgrTrace>map(each -> each).orElseGet(this::feedbackLog));
        QmgrObserver refusals = new RefusalObserver(services.refusals());
        manager.learn(start.hosts(), now);
        this.loop = new QmgrLoop(manager, inbox, orders(), services.clock(), failed,
                observer.map(each -> QmgrObserver.both(each, refusals)).orElse(refusals));
    }

    private JournalWriter openJournal(Path file, JournalRecord.Beginning beginning) throws IOException {
        try {
            return JournalWriter.open(file, services.config().operation().journal().size().bytes(), beginning);
        } catch (IOException refused) {
            throw new IOException("journal.file " + file + " cannot be written: " + FailureWords.of(refused), refused);
        }
    }

    private QmgrTrace feedbackLog() {
        return services.config().operation().feedbackDebug() ? new FeedbackLog() : QmgrTrace.SILENT;
    }

    private OrderSink orders() {
        OrderSink counting = services.traffic().counting(services.config().operation().delivers()
                ? gate
                : new RestingDispatcher(gate, inbox::answer), services.clock());
        return underWay.watching(counting);
    }

    void start() {
        loop.start(shard);
    }

    /// The server has other shards: the names of threads have the number of this one, and the process does
    /// not end with its queue manager.
    void share() {
        carriers.nameAfter(shard);
        underWay.begin();
    }

    /// Other settings. Deliveries under way and open connections keep theirs.
    void reload(ShardServices others) {
        services = others;
        carriers.change(others.client());
        places.change(others.client());
        inbox.answer(new QmgrEvent.SettingsChanged(
                new ChangedSettings(others.config().queueManager(), others.config().smtpPlacement())));
    }

    /// Deliveries that waited for the lease of the shard begin, if it has been renewed.
    void resume() {
        gate.resume();
    }

    Inbox inbox() {
        return inbox;
    }

    /// The names of the transports.
    List<String> transports() {
        return services.config().transports().names();
    }

    ProviderTable providers() {
        return services.config().destinations().providers().table();
    }

    Carriers carriers() {
        return carriers;
    }

    ServerPlacement places() {
        return places;
    }

    OrderDispatcher dispatcher() {
        return dispatcher;
    }

    QmgrLoop loop() {
        return loop;
    }

    /// The records that concern all shards, as this queue manager knows them.
    CompletableFuture<Spool.CommonRecords> commonRecords() {
        return inbox.inspect(manager -> new Spool.CommonRecords(
                places.hosts().stream().filter(row -> row.kind() != HostRow.HostRowKind.CLOSED).map(HostStore::record)
                        .toList(),
                Stream.<StandingOrder>concat(manager.suspensions().stream(), manager.limits().stream()).toList()));
    }

    /// A message was committed. The scans find one on hold when an operator has released it.
    void arrived(MessageSummary message) {
        services.traffic().received(message);
        if (services.config().operation().delivers() && !message.held()) {
            inbox.offerArrival(message);
        }
    }

    /// A message came from another shard.
    void movedIn(QmgrEvent.MovedIn message) {
        if (services.config().operation().delivers()) {
            inbox.answer(message);
        }
    }

    /// The queue manager has failed: deliveries under way finish or are cut, and their outcomes are
    /// recorded.
    void salvage(Duration limit) throws InterruptedException {
        underWay.queueManagerFailed();
        closeConnections(limit);
        closeDispatcher();
        underWay.finish(limit);
        closeJournal(limit);
    }

    // ---- the stop, in this order

    /// From here on no more deliveries are chosen.
    void stopChoosing() {
        inbox.answer(new QmgrEvent.Stopping());
    }

    /// The grants of this node have ended: closes all connections, whatever they are doing. Does not wait.
    void cutConnections() {
        carriers.cut();
    }

    void closeConnections(Duration limit) {
        carriers.close(limit);
    }

    void stopQueueManager(Duration limit) throws InterruptedException {
        if (!loop.stop(limit)) {
            log.warn("event=deliveries-unfinished next=\"they will be tried again\"");
        }
    }

    void closeDispatcher() {
        dispatcher.close();
    }

    void closeJournal(Duration limit) throws InterruptedException {
        if (journal.isPresent()) {
            journal.get().close(services.clock().getAsLong(), limit);
        }
    }
}
