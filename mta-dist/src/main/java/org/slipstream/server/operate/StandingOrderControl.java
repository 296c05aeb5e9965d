package org.slipstream.server.operate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.ProviderTable.Provider;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.core.text.Nearest;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.server.dispatch.Commands;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// Suspensions and limits of this server. An order is recorded first, then the queue manager executes it: after
/// a crash between the two, the restart executes it.
public final class StandingOrderControl implements ShardStandingOrders {
    private static final Logger log = LoggerFactory.getLogger(StandingOrderControl.class);
    private final Spool spool;
    private final QmgrQueries queries;
    private final Commands commands;
    private final Supplier<List<String>> transports;
    private final Supplier<ProviderTable> providers;

    /// @param transports their names, by the settings in force
    /// @param providers by the settings in force
    public StandingOrderControl(Spool spool, Inbox inbox, Commands commands, Supplier<List<String>> transports,
            Supplier<ProviderTable> providers) {
        this.providers = providers;
        this.transports = transports;
        this.spool = spool;
        this.queries = new QmgrQueries(inbox);
        this.commands = commands;
    }

    // ---- restart

    /// Passes orders that were in force to the queue manager, before it starts. Those that ended are
    /// forgotten.
    ///
    /// @param spool keeps the orders
    public static void restore(List<StandingOrder> orders, Spool spool, Inbox inbox, long nowMillis) {
        for (StandingOrder order : orders) {
            if (order.untilMillis() <= nowMillis) {
                spool.forgetOrder(order.kind(), order.name(), () -> {});
            } else {
                switch (order) {
                    case Suspension suspension ->
                        log.info("event=suspension-restored kind={} name={} reason=\"{}\"", suspension.scope().word(),
                                LogText.word(suspension.name()), LogText.text(suspension.text()));
                    case LimitOrder limit -> log.info("event=limit-restored limit={} number={} reason=\"{}\"",
                            LogText.word(limit.name()), limit.value(), LogText.text(limit.text()));
                }
                inbox.answer(new QmgrEvent.Operator(new OperatorCommand.Begin(order)));
            }
        }
    }

    // ---- orders

    @Override
    public List<SuspensionView> suspensions() throws IOException {
        return queries.ask(QueueQueries::suspensions).stream().map(SuspensionView::of).toList();
    }

    @Override
    public List<LimitView> limits() throws IOException {
        return queries.ask(QueueQueries::limits).stream().map(LimitView::of).toList();
    }

    @Override
    public Optional<String> refusal(StandingOrder order) {
        return switch (order) {
            case Suspension suspension -> switch (suspension.scope()) {
                case SENDER -> Optional.of("not an address, a domain or <>: " + suspension.name())
                        .filter(_ -> Suspension.senders(suspension.name()).isEmpty());
                case TRANSPORT -> noTransport(suspension.name());
                case PROVIDER -> noProvider(suspension.name());
                case DESTINATION, EVERYTHING -> Optional.empty();
            };
            case LimitOrder limit -> switch (limit.thing()) {
                case TRANSPORT -> noTransport(limit.subject());
                case PROVIDER, PROVIDER_RATE -> noProvider(limit.subject());
                case SERVER, RING, RING_RATE, HOST, WINDOW, RATE -> Optional.empty();
            };
        };
    }

    private Optional<String> noTransport(String name) {
        List<String> known = transports.get();
        return Optional.of("no such transport: " + name + "; the transports are " + String.join(", ", known))
                .filter(_ -> !known.contains(name));
    }

    private Optional<String> noProvider(String name) {
        ProviderTable known = providers.get();
        return Optional.of("no such provider: " + name + "; " + Nearest
                .to(name, known.providers().stream().map(Provider::name).toList())
                .map(near -> "did you mean " + near + "? ").orElse("") + "mta provider list --all shows them")
                .filter(_ -> !known.isKnown(name));
    }

    @Override
    public void begin(StandingOrder order) throws IOException {
        keep(order);
        beginHere(order);
        logBegun(order);
    }

    @Override
    public boolean end(String kind, String name) throws IOException {
        forget(kind, name);
        boolean ended = endHere(kind, name);
        if (ended) {
            logEnded(kind, name);
        }
        return ended;
    }

    @Override
    public void keep(StandingOrder order) throws IOException {
        CompletableFuture<Boolean> kept = new CompletableFuture<>();
        spool.keepOrder(order, () -> kept.complete(true));
        awaitDisk(kept);
    }

    @Override
    public void forget(String kind, String name) throws IOException {
        CompletableFuture<Boolean> forgotten = new CompletableFuture<>();
        spool.forgetOrder(kind, name, () -> forgotten.complete(true));
        awaitDisk(forgotten);
    }

    // An operator must be able to stop mail while the disk of the orders hangs.
    private void awaitDisk(CompletableFuture<Boolean> written) throws IOException {
        if (spool.isGivenUp()) {
            log.warn("event=standing-order-not-on-disk next=\"it is written when the disk answers; a restart before"
                    + " that forgets it\"");
        } else {
            QmgrQueries.answer(written);
        }
    }

    @Override
    public void beginHere(StandingOrder order) throws IOException {
        QmgrQueries.answer(commands.give(new OperatorCommand.Begin(order)));
    }

    @Override
    public boolean endHere(String kind, String name) throws IOException {
        return QmgrQueries.answer(commands.give(new OperatorCommand.End(kind, name))) == Result.BEGUN;
    }

    public static void logBegun(StandingOrder order) {
        switch (order) {
            case Suspension suspension when suspension.scope() == SuspensionScope.EVERYTHING ->
                log.info("event=deliveries-frozen author=\"{}\" reason=\"{}\"", LogText.text(suspension.author()),
                        LogText.text(suspension.text()));
            case Suspension suspension -> log.info("event=mail-suspended kind={} name={} author=\"{}\" reason=\"{}\"",
                    suspension.scope().word(), LogText.word(suspension.name()), LogText.text(suspension.author()),
                    LogText.text(suspension.text()));
            case LimitOrder limit -> log.info("event=limit-set limit={} number={} author=\"{}\" reason=\"{}\"",
                    LogText.word(limit.name()), limit.value(), LogText.text(limit.author()),
                    LogText.text(limit.text()));
        }
    }

    public static void logEnded(String kind, String name) {
        Optional<SuspensionScope> scope = SuspensionScope.ofKind(kind);
        if (scope.isEmpty()) {
            log.info("event=limit-ended limit={}", LogText.word(name));
        } else if (scope.get() == SuspensionScope.EVERYTHING) {
            log.info("event=deliveries-thawed");
        } else {
            log.info("event=mail-resumed kind={} name={}", scope.get().word(), LogText.word(name));
        }
    }
}
