package org.slipstream.server.operate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.server.dispatch.Commands;
import org.slipstream.spool.Spool;
import org.slipstream.spool.log.HostRecord;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// Suspensions of this server. An order is recorded first, then the queue manager executes it: after
/// a crash between the two, the restart executes it.
///
/// The record is that of a host ([HostRecord]) with a kind of its own, so that the log, its cleaner
/// and an exported spool keep it.
public final class SuspensionControl implements ShardSuspensions {
    private static final Logger log = LoggerFactory.getLogger(SuspensionControl.class);
    private static final String KIND = "SUSPENDED_";
    private static final Set<String> TRANSPORTS = Set.of("smtp", "lmtp", "local", "discard");

    private final Spool spool;
    private final QmgrQueries queries;
    private final Commands commands;

    public SuspensionControl(Spool spool, Inbox inbox, Commands commands) {
        this.spool = spool;
        this.queries = new QmgrQueries(inbox);
        this.commands = commands;
    }

    // ---- restart

    /// Passes the suspensions of the last run to the queue manager, before it starts. Those that
    /// ended are forgotten.
    public static void restore(Spool spool, Inbox inbox, long nowMillis) throws IOException {
        for (HostRecord record : spool.hosts()) {
            Optional<SuspensionScope> scope = Arrays.stream(SuspensionScope.values())
                    .filter(each -> record.kind().equals(KIND + each.name())).findFirst();
            if (scope.isPresent() && record.untilMillis() <= nowMillis) {
                spool.forgetHost(record.host(), record.kind());
            } else if (scope.isPresent()) {
                Suspension suspension = new Suspension(scope.get(), record.host(), record.words(), record.author(),
                        record.sinceMillis(), record.untilMillis());
                log.info("event=suspension-restored kind={} name={} reason=\"{}\"", scope.get().word(),
                        LogText.word(suspension.name()), LogText.text(suspension.text()));
                inbox.answer(new QmgrEvent.Operator(new OperatorCommand.Suspend(suspension)));
            }
        }
    }

    // ---- orders

    @Override
    public List<SuspensionView> suspensions() throws IOException {
        return queries.ask(QueueManager::suspensions).stream().map(SuspensionView::of).toList();
    }

    @Override
    public Optional<String> refusal(SuspensionScope scope, String name) {
        return switch (scope) {
            case SENDER -> Optional.of("not an address, a domain or <>: " + name)
                    .filter(_ -> Suspension.senders(name).isEmpty());
            case TRANSPORT -> Optional.of("no such transport: " + name + "; the transports are smtp, lmtp, local,"
                    + " discard").filter(_ -> !TRANSPORTS.contains(name));
            case DESTINATION, EVERYTHING -> Optional.empty();
        };
    }

    @Override
    public void suspend(Suspension suspension) throws IOException {
        keep(suspension);
        begin(suspension);
        logBegun(suspension);
    }

    @Override
    public boolean resume(SuspensionScope scope, String name) throws IOException {
        forget(scope, name);
        boolean ended = end(scope, name);
        if (ended) {
            logEnded(scope, name);
        }
        return ended;
    }

    @Override
    public void keep(Suspension suspension) throws IOException {
        CompletableFuture<Boolean> kept = new CompletableFuture<>();
        spool.keepHost(new HostRecord(suspension.name(), KIND + suspension.scope().name(), "",
                suspension.sinceMillis(), suspension.untilMillis(), 0, suspension.why(), suspension.author()),
                () -> kept.complete(true));
        QmgrQueries.answer(kept);
    }

    @Override
    public void forget(SuspensionScope scope, String name) throws IOException {
        CompletableFuture<Boolean> forgotten = new CompletableFuture<>();
        spool.forgetHost(Suspension.normal(scope, name), KIND + scope.name(), () -> forgotten.complete(true));
        QmgrQueries.answer(forgotten);
    }

    @Override
    public void begin(Suspension suspension) throws IOException {
        QmgrQueries.answer(commands.give(new OperatorCommand.Suspend(suspension)));
    }

    @Override
    public boolean end(SuspensionScope scope, String name) throws IOException {
        return QmgrQueries.answer(commands.give(new OperatorCommand.Resume(scope, name))) == Result.BEGUN;
    }

    public static void logBegun(Suspension suspension) {
        if (suspension.scope() == SuspensionScope.EVERYTHING) {
            log.info("event=deliveries-frozen author=\"{}\" reason=\"{}\"", LogText.text(suspension.author()),
                    LogText.text(suspension.text()));
        } else {
            log.info("event=mail-suspended kind={} name={} author=\"{}\" reason=\"{}\"", suspension.scope().word(),
                    LogText.word(suspension.name()), LogText.text(suspension.author()),
                    LogText.text(suspension.text()));
        }
    }

    public static void logEnded(SuspensionScope scope, String name) {
        if (scope == SuspensionScope.EVERYTHING) {
            log.info("event=deliveries-thawed");
        } else {
            log.info("event=mail-resumed kind={} name={}", scope.word(),
                    LogText.word(Suspension.normal(scope, name)));
        }
    }

    /// The command that ends the suspension with this text; empty for that of a host.
    static Optional<String> endOf(String text) {
        String subject = text.replaceFirst(" (?:is suspended|are frozen) by .*", "");
        if (subject.equals("all deliveries")) {
            return Optional.of("mta thaw");
        }
        return Arrays.stream(SuspensionScope.values()).filter(each -> subject.startsWith(each.word() + " "))
                .findFirst().map(_ -> "mta resume " + subject);
    }
}
