package org.slipstream.server.dispatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.local.maildir.LocalDelivery;
import org.slipstream.local.program.ProgramDelivery.PipeResult;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.WorkerBudget;
import org.slipstream.server.route.Lookups;
import org.slipstream.smtpout.Carriers;
import org.slipstream.spool.DamagedException;
import org.slipstream.spool.Spool;
import org.slipstream.spool.history.History;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// Executes the queue manager's orders by enqueueing them; the result of each task goes back into
/// the inbox as the one event that answers the order.
///
/// [#order] runs on the queue manager's thread and therefore never waits: whatever can block runs
/// on [IoThreads], on the spool's log thread, or on a carrier. Only that thread uses the set of
/// connections that are not sockets.
public final class OrderDispatcher implements OrderSink, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OrderDispatcher.class);

    /// Limit of simultaneous DNS lookups.
    private static final int LOOKUPS = 200;
    private static final WorkerBudget.Shares LOOKUP_SHARES = new WorkerBudget.Shares(5, 10);

    private static final Content NO_CONTENT = Content.of(new byte[0]);

    private final Spool spool;
    private final Routes routes;
    private final Carriers carriers;
    private final KnownHosts knownHosts;
    private final LocalMailboxes mailboxes;
    private final Programs programs;
    private final Reports reports;
    private final Consumer<QmgrEvent> answers;
    private final Commands commands;
    private final Receipts receipts = new Receipts();
    private final DeliveryLog deliveryLog;
    private final IoThreads ioThreads;
    private final Lookups<QmgrEvent> lookups;
    private final Set<Long> withoutSocket = new HashSet<>();
    private final OtherShards others;
    private final SuppressedRecipients suppressed;
    private final RefusedMail refused;
    private final DeliverySources sources;
    private final Optional<SourcedConnections> sourced;
    private final DeliveryLease lease;

    /// Routes of domains. [#find] may block on DNS when [#isQuick] is false.
    public interface Routes {
        /// True when [#find] answers from a table.
        boolean isQuick(String domain);

        /// [QmgrEvent.RouteKnown] or [QmgrEvent.RouteFailed].
        QmgrEvent find(String domain);
    }

    /// Knowledge about hosts; called on the queue manager's thread.
    @FunctionalInterface
    public interface KnownHosts {
        /// @param route to one host
        boolean breaksUnderPipelining(Route route);
    }

    /// Local delivery; blocking.
    @FunctionalInterface
    public interface LocalMailboxes {
        LocalDelivery.LocalResult deliver(QueueId id, Envelope envelope, List<Recipient> recipients, Content content);
    }

    /// Delivery to programs; blocking.
    @FunctionalInterface
    public interface Programs {
        /// A server without such transports.
        Programs NONE = (route, _, _, _, _, _) -> new PipeResult.NotStarted(
                Reply.of(451, "4.3.5", "there is no transport " + route.transport() + " any more"));

        /// @param stops true when the server stops
        PipeResult deliver(Route.Pipe route, QueueId id, Envelope envelope, List<Recipient> recipients,
                Content content, BooleanSupplier stops);
    }

    /// Reports to senders; blocking. True when the report is in the spool or none was requested.
    @FunctionalInterface
    public interface Reports {
        boolean report(QueueId id, ReportKind kind);
    }

    /// Moves messages to other shards.
    @FunctionalInterface
    public interface Mover {
        /// Must not block.
        ///
        /// @param dueMillis the message's next attempt; empty: the spool has it
        /// @param then runs once, with true when another shard has the message
        void moveOut(QueueId id, OptionalLong dueMillis, Consumer<Boolean> then);
    }

    /// The ways to the other shards of the server.
    ///
    /// @param leases gets the orders for lanes; with one shard there are none
    public record OtherShards(Mover mover, Consumer<QmgrOrder.LeaseOrder> leases) {
        /// One shard: every message stays.
        public static final OtherShards NONE = new OtherShards((_, _, then) -> then.accept(false), _ -> {});
    }

    public OrderDispatcher(Spool spool, Routes routes, Carriers carriers, KnownHosts knownHosts,
            LocalMailboxes mailboxes,
            Reports reports,
            Consumer<QmgrEvent> answers, LongSupplier clockMillis) {
        this(spool, routes, carriers, knownHosts, mailboxes, reports, answers, clockMillis, History.OFF,
                OtherShards.NONE, SuppressedRecipients.NONE, RefusedMail.NONE, Programs.NONE, DeliverySources.NONE,
                Optional.empty(), DeliveryLease.ENDLESS);
    }

    /// @param lease of the shard; contents can be read to their ends only while it lasts
    public OrderDispatcher(Spool spool, Routes routes, Carriers carriers, KnownHosts knownHosts,
            LocalMailboxes mailboxes, Reports reports, Consumer<QmgrEvent> answers, LongSupplier clockMillis,
            History history, OtherShards others, SuppressedRecipients suppressed, RefusedMail refused,
            Programs programs, DeliverySources sources, Optional<SourcedConnections> sourced, DeliveryLease lease) {
        this.lease = lease;
        this.programs = programs;
        this.sources = sources;
        this.sourced = sourced;
        this.others = others;
        this.suppressed = suppressed;
        this.refused = refused;
        this.spool = spool;
        this.routes = routes;
        this.carriers = carriers;
        this.knownHosts = knownHosts;
        this.mailboxes = mailboxes;
        this.reports = reports;
        this.answers = answers;
        this.commands = new Commands(answers);
        this.lookups = new Lookups<>(LOOKUPS, LOOKUP_SHARES, routes::find, (_, route) -> answers.accept(route),
                OrderDispatcher::brokenLookup);
        this.deliveryLog = new DeliveryLog(clockMillis, history);
        this.ioThreads = new IoThreads(spool.shard());
    }

    /// Commands of operators; this dispatcher delivers the answers.
    public Commands commands() {
        return commands;
    }

    @Override
    public void order(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.Scan scan -> scan(scan);
            case QmgrOrder.ReadRecipients read -> recipients(read);
            case QmgrOrder.FindRoute find -> findRoute(find);
            case QmgrOrder.Open open -> open(open);
            case QmgrOrder.Deliver deliver -> deliver(deliver);
            case QmgrOrder.Close close -> close(close.connection());
            case QmgrOrder.RecordOutcome record -> record(record);
            case QmgrOrder.Notify notify -> ioThreads.report(() -> report(notify));
            case QmgrOrder.Defer defer -> defer(defer);
            case QmgrOrder.Remove remove -> remove(remove);
            case QmgrOrder.SetHold hold -> {
                deliveryLog.held(hold);
                spool.hold(hold.id(), hold.held(), filed(hold.id()));
            }
            case QmgrOrder.MakeDue due -> makeDue(due, () -> answers.accept(new QmgrEvent.Filed(due.id())));
            case QmgrOrder.TakeUp due -> {
                deliveryLog.takenUp(due);
                spool.takeUp(due.id(), due.nowMillis(), filed(due.id()));
            }
            case QmgrOrder.Instruct instruct -> instruct(instruct);
            case QmgrOrder.MoveOut move -> moveOut(move);
            case QmgrOrder.Answered answered -> commands.answered(answered);
            case QmgrOrder.Verified verified -> commands.verified(verified);
            case QmgrOrder.LeaseOrder lease -> others.leases().accept(lease);
        }
    }

    private void scan(QmgrOrder.Scan scan) {
        spool.claimDue(scan.queue(), scan.nowMillis(), scan.limit(), scan.leaseUntilMillis(),
                scan.createdBeforeMillis(),
                scan.furthestMillis(), claimed -> answers.accept(
                        new QmgrEvent.ScanDone(claimed.messages(), claimed.more(), claimed.nextDueMillis())));
    }

    // Most mail has arrived a moment ago and is in memory; a task for it would only wake threads.
    private void recipients(QmgrOrder.ReadRecipients read) {
        Optional<Spool.InMemory> fresh = spool.inMemory(read.id()).filter(Spool.InMemory::untried);
        if (fresh.isPresent() && suppressed.isEmpty()) {
            answerRead(read,
                    Spool.RecipientBatch.of(fresh.get().envelope().recipients(), read.after(), read.limit()));
        } else {
            ioThreads.read(() -> readRecipients(read));
        }
    }

    private void answerRead(QmgrOrder.ReadRecipients read, Spool.RecipientBatch batch) {
        answerRead(read, batch, List.of());
    }

    private void answerRead(QmgrOrder.ReadRecipients read, Spool.RecipientBatch batch, List<RecipientOutcome> last) {
        answers.accept(new QmgrEvent.RecipientsRead(read.id(), batch.recipients(), batch.end(), last,
                suppressed.isEmpty() ? List.of() : suppressed(read, batch)));
    }

    private List<RecipientOutcome> suppressed(QmgrOrder.ReadRecipients read, Spool.RecipientBatch batch) {
        List<RecipientOutcome> outcomes = new ArrayList<>();
        for (Recipient each : batch.recipients()) {
            suppressed.reply(read.sender(), each.address()).ifPresent(reply -> outcomes.add(RecipientOutcome.untried(
                    each.number(), new Outcome.Failed(reply, Outcome.HERE), QueuePhase.Code.SUPPRESSED)));
        }
        return outcomes;
    }

    private void readRecipients(QmgrOrder.ReadRecipients read) {
        try {
            answerRead(read, spool.readRecipients(read.id(), read.after(), read.limit()),
                    read.withReplies() ? lastOutcomes(read.id()) : List.of());
        } catch (DamagedException damaged) {
            // The spool has logged it with `event=message-set-aside`.
            deliveryLog.damaged(read.id(), String.valueOf(damaged.getMessage()));
            answers.accept(new QmgrEvent.MessageDamaged(read.id(), String.valueOf(damaged.getMessage())));
        } catch (IOException trouble) {
            // An empty batch would look like a finished message, so there is no answer until the
            // read succeeds.
            log.warn("event=recipients-not-read queue={} next=\"tried again\" error=\"{}\"", read.id(),
                    LogText.text(FailureWords.of(trouble)));
            ioThreads.readAgain(() -> readRecipients(read));
        }
    }

    private List<RecipientOutcome> lastOutcomes(QueueId id) throws IOException {
        return spool.details(id).map(MessageDetails::recipients).orElse(List.of()).stream()
                .filter(each -> each.last().isPresent())
                .map(each -> new RecipientOutcome(each.recipient().number(), each.last().get())).toList();
    }

    private void makeDue(QmgrOrder.MakeDue due, Runnable filed) {
        if (due.reply().isPresent()) {
            spool.makeDueAfter(due.reply().get(), due.nowMillis(), filed);
        } else {
            spool.makeDue(due.id(), due.domain(), due.nowMillis(), filed);
        }
    }

    private void findRoute(QmgrOrder.FindRoute find) {
        if (routes.isQuick(find.domain())) {
            answers.accept(routes.find(find.domain()));
        } else {
            lookups.ask(find.id(), find.domain());
        }
    }

    private static QmgrEvent brokenLookup(String domain) {
        return new QmgrEvent.RouteFailed(domain,
                Reply.of(451, "4.3.0", "temporary system problem: cannot look up " + domain));
    }

    private void open(QmgrOrder.Open open) {
        switch (open.route()) {
            case Route.Smtp _,Route.Lmtp _ -> sources.refusal(open.route()).ifPresentOrElse(
                    reason -> answers
                            .accept(new QmgrEvent.ConnectionFailed(open.connection(), reason, Outcome.HERE, true,
                                    OptionalLong.empty(), Optional.of(QueuePhase.Code.SOURCE))),
                    () -> connect(open));
            case Route.Local _,Route.Discard _,Route.Pipe _ -> {
                withoutSocket.add(open.connection());
                answers.accept(new QmgrEvent.ConnectionReady(open.connection()));
            }
        }
    }

    private void connect(QmgrOrder.Open open) {
        sourced.ifPresent(each -> each.opens(open.connection(), open.route()));
        carriers.open(open.connection(), open.route(), knownHosts.breaksUnderPipelining(open.route()));
    }

    private void close(long connection) {
        sourced.ifPresent(each -> each.closes(connection));
        if (!withoutSocket.remove(connection)) {
            carriers.close(connection);
        }
    }

    private void deliver(QmgrOrder.Deliver deliver) {
        switch (deliver.route()) {
            case Route.Smtp _,Route.Lmtp _ when deliver.delivery().probe() ->
                handOver(deliver,
                        Envelope.of(Optional.empty(), deliver.recipients().stream().map(Recipient::address).toList()),
                        NO_CONTENT);
            case Route.Smtp _,Route.Lmtp _ -> sources.start(deliver.route()).ifPresentOrElse(
                    reason -> ownFailure(deliver, reason, DeliveryResult.Scope.ROUTE), () -> send(deliver));
            case Route.Local _ -> ioThreads.file(() -> deliverLocally(deliver), () -> hanging(deliver), answers);
            case Route.Pipe pipe when deliver.delivery().probe() -> answered(deliver, deliver.delivery().all(
                    new Outcome.Delivered(Reply.of(250, "2.1.5", "a program decides when it has the message"),
                            "pipe:" + pipe.transport())));
            case Route.Pipe pipe -> ioThreads.run(() -> deliverToProgram(deliver, pipe));
            case Route.Discard discard -> answered(deliver, deliver.delivery().all(new Outcome.Delivered(
                    Reply.of(250, "2.0.0", "discarded by route"), "discard:" + discard.nextHop())));
        }
    }

    private void send(QmgrOrder.Deliver deliver) {
        spool.inMemory(deliver.id()).ifPresentOrElse(
                fresh -> handOver(deliver, fresh.envelope(), fresh.content()),
                () -> ioThreads.read(() -> handOver(deliver)));
    }

    private void handOver(QmgrOrder.Deliver deliver) {
        try {
            handOver(deliver, envelope(deliver.id()), spool.content(deliver.id()));
        } catch (IOException trouble) {
            unreadable(deliver, trouble);
        }
    }

    private void handOver(QmgrOrder.Deliver deliver, Envelope envelope, Content content) {
        carriers.deliver(deliver.connection(), deliver.delivery(), envelope, LeasedContent.of(content, lease));
    }

    private QmgrEvent deliverLocally(QmgrOrder.Deliver deliver) {
        try {
            LocalDelivery.LocalResult result = mailboxes.deliver(deliver.id(), envelope(deliver.id()),
                    deliver.recipients(), LeasedContent.of(spool.content(deliver.id()), lease));
            return switch (result) {
                case LocalDelivery.LocalResult.Decided(List<RecipientOutcome> outcomes) -> ended(deliver, outcomes);
                case LocalDelivery.LocalResult.Unreadable(Reply reason) ->
                    failed(deliver, reason, DeliveryResult.Scope.MESSAGE);
                case LocalDelivery.LocalResult.DiskGone(Reply reason) ->
                    failed(deliver, reason, DeliveryResult.Scope.TRANSPORT);
            };
        } catch (IOException | RuntimeException trouble) {
            return notRead(deliver, trouble);
        }
    }

    /// The mail is tried again. When the hanging delivery ends after all, the mailbox has the message under the same
    /// name, so it stands there once.
    private static QmgrEvent hanging(QmgrOrder.Deliver deliver) {
        log.warn("event=mailbox-hangs queue={} seconds={} next=\"deferred\"", deliver.id(),
                IoThreads.LONGEST.toSeconds());
        return failed(deliver, Reply.of(451, "4.3.0", "the disk of the mailboxes has not answered for "
                + IoThreads.LONGEST.toSeconds() + " s"), DeliveryResult.Scope.TRANSPORT);
    }

    private void deliverToProgram(QmgrOrder.Deliver deliver, Route.Pipe pipe) {
        try {
            switch (programs.deliver(pipe, deliver.id(), envelope(deliver.id()), deliver.recipients(),
                    LeasedContent.of(spool.content(deliver.id()), lease), ioThreads::isClosing)) {
                case PipeResult.Decided(Outcome outcome) -> answered(deliver, deliver.delivery().all(outcome));
                case PipeResult.Unreadable(IOException cause) -> unreadable(deliver, cause);
                case PipeResult.NotPassed(Reply reason) ->
                    ownFailure(deliver, reason, DeliveryResult.Scope.MESSAGE);
                case PipeResult.NotStarted(Reply reason) ->
                    ownFailure(deliver, reason, DeliveryResult.Scope.TRANSPORT);
            }
        } catch (IOException | RuntimeException trouble) {
            unreadable(deliver, trouble);
        }
    }

    private Envelope envelope(QueueId id) throws IOException {
        Envelope envelope = spool.envelope(id)
                .orElseThrow(() -> new IOException("the queue index has no message " + id));
        receipts.seen(id, envelope);
        return envelope;
    }

    private void answered(QmgrOrder.Deliver deliver, List<RecipientOutcome> outcomes) {
        answers.accept(ended(deliver, outcomes));
    }

    private static QmgrEvent ended(QmgrOrder.Deliver deliver, List<RecipientOutcome> outcomes) {
        return new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(deliver.delivery().number(),
                deliver.connection(), outcomes, true));
    }

    // A failure of our own disk is never the sender's fault, and does not count against the
    // destination.
    private void unreadable(QmgrOrder.Deliver deliver, Exception trouble) {
        answers.accept(notRead(deliver, trouble));
    }

    private static QmgrEvent notRead(QmgrOrder.Deliver deliver, Exception trouble) {
        log.warn("event=content-not-read queue={} next=\"deferred\" error=\"{}\"", deliver.id(),
                LogText.text(FailureWords.of(trouble)));
        return failed(deliver, Reply.of(451, "4.3.0", "queue file read error"), DeliveryResult.Scope.MESSAGE);
    }

    private void ownFailure(QmgrOrder.Deliver deliver, Reply reason, DeliveryResult.Scope scope) {
        answers.accept(failed(deliver, reason, scope));
    }

    private static QmgrEvent failed(QmgrOrder.Deliver deliver, Reply reason, DeliveryResult.Scope scope) {
        return new QmgrEvent.DeliveryDone(new DeliveryResult.OwnFailure(deliver.delivery().number(),
                deliver.connection(), reason, scope, true));
    }

    private void record(QmgrOrder.RecordOutcome record) {
        deliveryLog.outcomes(record);
        for (int i = 0; i < record.outcomes().size(); i++) {
            RecipientOutcome each = record.outcomes().get(i);
            if (each.reached().isAttempt() && suppressed.counts(each.outcome())) {
                Address recipient = record.recipients().get(i).address();
                ioThreads.read(() -> suppressed.decided(recipient, each.outcome()));
            }
            if (each.reached().isAttempt() && each.outcome() instanceof Outcome.Failed && refused.counts()) {
                refused(record.id());
            }
        }
        spool.record(record.id(), record.outcomes(), record.attempt(),
                () -> answers.accept(new QmgrEvent.OutcomeRecorded(record.id(), record.record())));
    }

    /// A message that is gone by then is not counted.
    private void refused(QueueId id) {
        Optional<Envelope> fresh = spool.inMemory(id).map(Spool.InMemory::envelope);
        ioThreads.read(() -> {
            try {
                Optional<Envelope> envelope = fresh.isPresent() ? fresh : spool.envelope(id);
                envelope.ifPresent(refused::refused);
            } catch (IOException trouble) {
                log.debug("a refusal of {} was not counted", id, trouble);
            }
        });
    }

    private void instruct(QmgrOrder.Instruct instruct) {
        deliveryLog.instructed(instruct);
        spool.instruct(instruct.id(), instruct.instruction(),
                () -> answers.accept(new QmgrEvent.Instructed(instruct.id(), instruct.ticket())));
    }

    private void moveOut(QmgrOrder.MoveOut move) {
        receipts.forget(move.id());
        others.mover().moveOut(move.id(), move.dueMillis(),
                moved -> answers.accept(new QmgrEvent.MovedOut(move.id(), moved)));
    }

    private void report(QmgrOrder.Notify notify) {
        boolean done = false;
        try {
            done = reports.report(notify.id(), notify.kind());
        } finally {
            answers.accept(new QmgrEvent.Notified(notify, done));
        }
    }

    private void defer(QmgrOrder.Defer defer) {
        receipts.forget(defer.id());
        deliveryLog.deferred(defer);
        spool.defer(defer.id(), defer.nextAttemptMillis(), filed(defer.id()));
    }

    private void remove(QmgrOrder.Remove remove) {
        if (receipts.isDue(remove.id(), spool.inMemory(remove.id()))) {
            ioThreads.report(() -> confirmAndForget(remove));
        } else {
            forget(remove);
        }
    }

    // The confirmation and the removal of the message are one record of the log.
    private void confirmAndForget(QmgrOrder.Remove remove) {
        boolean done;
        try {
            done = reports.report(remove.id(), ReportKind.DELIVERED);
        } catch (RuntimeException broken) {
            // The same code would fail again on the same message, and the mail itself was
            // delivered.
            log.error("event=receipt-failed queue={} next=\"the message is removed\"", remove.id(), broken);
            done = true;
        }
        if (done) {
            forget(remove);
        } else {
            ioThreads.readAgain(() -> confirmAndForget(remove));
        }
    }

    private void forget(QmgrOrder.Remove remove) {
        receipts.forget(remove.id());
        deliveryLog.removed(remove);
        if (remove.isDeletion()) {
            spool.delete(remove.id(), filed(remove.id()));
        } else {
            spool.remove(remove.id(), filed(remove.id()));
        }
    }

    private Runnable filed(QueueId id) {
        return () -> answers.accept(new QmgrEvent.Filed(Optional.of(id)));
    }

    @Override
    public void close() {
        lookups.close();
        ioThreads.close();
    }
}
