package org.slipstream.dist.desk;

import org.slipstream.admin.Operations;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.QmgrEvent;
import org.slipstream.qmgr.QmgrEvent.Command;
import org.slipstream.qmgr.QmgrSnapshot;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/// What operators see and want: the register's rows joined with the queue manager's picture of the same moment.
///
/// Commands go through the queue manager, which alone knows whether a message is being delivered right now. They take
/// effect a moment later; [#settled] waits for that moment, so that who lists after a hold sees it held.
public final class QueueOperations implements Operations {
    private static final long EFFECT_WAIT_MILLIS = 2_000;
    private static final long EFFECT_LOOK_MILLIS = 5;

    private final Spool spool;
    private final Inbox inbox;
    private final LongSupplier clockMillis;
    private final String version;
    private final String hostname;
    private final Instant started;

    public QueueOperations(Spool spool, Inbox inbox, LongSupplier clockMillis, String version, String hostname) {
        this.spool = spool;
        this.inbox = inbox;
        this.clockMillis = clockMillis;
        this.version = version;
        this.hostname = hostname;
        this.started = Instant.ofEpochMilli(clockMillis.getAsLong());
    }

    @Override
    public QueuePage list(Optional<QueueId> after, int limit) throws IOException {
        Map<QueueId, QmgrSnapshot.ActiveMessage> active = active(snapshot());
        List<Spool.Details> rows = spool.list(after, limit + 1);
        List<MessageView> page = rows.stream().limit(limit).map(row -> view(row, active)).toList();
        Optional<String> next = rows.size() > limit ? Optional.of(page.getLast().id()) : Optional.empty();
        return new QueuePage(page, next, spool.counts().messages());
    }

    @Override
    public Optional<MessageView> show(QueueId id) throws IOException {
        Map<QueueId, QmgrSnapshot.ActiveMessage> active = active(snapshot());
        return spool.details(id).map(row -> view(row, active));
    }

    @Override
    public boolean flush(QueueId id) throws IOException {
        return command(id, new Command.Flush(Optional.of(id), Optional.empty()));
    }

    @Override
    public void flushAll(Optional<String> domain) {
        inbox.answer(new QmgrEvent.Operator(new Command.Flush(Optional.empty(), domain)));
    }

    @Override
    public boolean hold(QueueId id) throws IOException {
        return command(id, new Command.Hold(id)) && settled(id, row -> row.isEmpty() || row.get().summary().held());
    }

    @Override
    public boolean release(QueueId id) throws IOException {
        return command(id, new Command.Release(id)) && settled(id, row -> row.isEmpty() || !row.get().summary().held());
    }

    @Override
    public boolean delete(QueueId id) throws IOException {
        return command(id, new Command.Delete(id)) && settled(id, Optional::isEmpty);
    }

    @Override
    public Status status() throws IOException {
        QmgrSnapshot snapshot = snapshot();
        Spool.Counts counts = spool.counts();
        List<DestinationView> destinations = snapshot.destinations().stream().map(
                d -> new DestinationView(d.transport(), d.nextHop(), d.waiting(), d.running(), d.lanes())).toList();
        return new Status(version, hostname, started.toString(), counts.messages(), counts.held(), counts.corrupt(),
                snapshot.messages().size(), destinations);
    }

    private boolean command(QueueId id, Command command) throws IOException {
        if (spool.details(id).isEmpty()) {
            return false;
        }
        inbox.answer(new QmgrEvent.Operator(command));
        return true;
    }

    // A delivery in progress is finished first and may take long; the command stands, only the wait for it ends.
    private boolean settled(QueueId id, Predicate<Optional<Spool.Details>> effect) throws IOException {
        long giveUp = clockMillis.getAsLong() + EFFECT_WAIT_MILLIS;
        while (!effect.test(spool.details(id)) && clockMillis.getAsLong() < giveUp) {
            try {
                TimeUnit.MILLISECONDS.sleep(EFFECT_LOOK_MILLIS);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                return true;
            }
        }
        return true;
    }

    private QmgrSnapshot snapshot() throws IOException {
        long now = clockMillis.getAsLong();
        try {
            return inbox.inspect((QueueManager brain) -> brain.snapshot(now)).get(EFFECT_WAIT_MILLIS,
                    TimeUnit.MILLISECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("stopping", stop);
        } catch (ExecutionException | TimeoutException trouble) {
            throw new IOException("the queue manager does not answer", trouble);
        }
    }

    private static Map<QueueId, QmgrSnapshot.ActiveMessage> active(QmgrSnapshot snapshot) {
        Map<QueueId, QmgrSnapshot.ActiveMessage> active = new HashMap<>();
        snapshot.messages().forEach(message -> active.put(message.id(), message));
        return active;
    }

    private static MessageView view(Spool.Details row, Map<QueueId, QmgrSnapshot.ActiveMessage> active) {
        var summary = row.summary();
        Optional<QmgrSnapshot.ActiveMessage> here = Optional.ofNullable(active.get(summary.id()));
        String state = summary.held() ? "held" : here.isPresent() ? "active" : "deferred";
        String why = summary.held()
                ? "an operator holds it"
                : here.map(QmgrSnapshot.ActiveMessage::why).orElseGet(() -> lastReply(row));
        return new MessageView(summary.id().toString(), summary.sender().map(Object::toString).orElse(""),
                summary.sizeBytes(), state, Instant.ofEpochMilli(summary.createdMillis()).toString(),
                Instant.ofEpochMilli(row.nextAttemptMillis()).toString(), summary.attempts(), why,
                row.recipients().stream().map(QueueOperations::view).toList());
    }

    private static String lastReply(Spool.Details row) {
        return row.recipients().stream().filter(r -> r.state() == Spool.State.OPEN).flatMap(r -> r.last().stream())
                .findFirst().map(last -> last.reply() + " (" + last.remote() + ")")
                .orElse("waiting for its next attempt");
    }

    private static RecipientView view(Spool.RecipientState state) {
        String word = switch (state.state()) {
            case OPEN -> "open";
            case DELIVERED -> "delivered";
            case FAILED, FAILED_AND_REPORTED -> "failed";
        };
        return new RecipientView(state.recipient().address().toString(), word,
                state.last().map(last -> last.reply().toString()).orElse(""),
                state.last().map(last -> last.remote()).orElse(""));
    }
}
