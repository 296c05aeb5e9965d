package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.spool.NoSpaceException;
import org.slipstream.spool.Spool;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.NewMessage;
import org.slipstream.spool.log.NotOwnerException;
import org.slipstream.spool.log.UndecidedException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// The thread `spool-log-1`, with the number of the shard: the only writer of the message log. Only
/// [#close] ends it, and it is never interrupted.
///
/// **Group commit.** A sync costs the same for one message and for a hundred. So the thread takes
/// all waiting tasks, appends them, syncs once and completes them. It does not wait for a group to
/// fill: while one group is synced, the next one gathers.
///
/// **Durability.** The sync comes before the first reply, so no message that got a 250 is lost in a
/// power cut. Clients wait for the log only; the index follows ([Indexer]).
///
/// **Failures.** The group is cut off the segment, and the next one goes to a new segment. New
/// messages are refused with 451 or 452, and their clients try again. All other changes (outcomes,
/// removals, leases, holds) come only once, so they wait here, in order, and are written with the
/// next group, at the latest after half a second. On a full disk they use the space that the log keeps for them
/// ([MessageLog#keepReserve]); new mail and copies of the cleaner are not written before that space is there again.
public final class LogWriter implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LogWriter.class);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int LAST_TRIES = 3;

    private final MessageLog messageLog;
    private final Tail tail;
    private final RecentContents fresh;
    private final SpaceGuard space;
    private final HealthReport health;
    private final Consumer<Set<QueueId>> discard;
    private final Runnable end;
    private final DiskTurn turn;
    private final LogFigures figures = new LogFigures();
    private final TaskQueue queue = new TaskQueue();
    private final Thread thread;
    /// Changes not written yet, in order. Only the log thread uses it.
    private List<Task.Lasting> pending = List.of();
    /// The messages of the group that is being written.
    private volatile List<Task.Deposit> writing = List.of();
    /// The reserve was given up for these changes.
    private boolean released;
    /// Removals of messages of other spools whose group failed, and of messages that [#giveUp] failed
    /// while their group was written. Bytes of them that are on disk nevertheless must not bring the
    /// message back, because the other spool or the client goes on with it.
    private final List<LogRecord.Remove> withdrawn = new ArrayList<>();
    /// The latest write was refused because the shard has another owner.
    private boolean ownedElsewhere;

    /// @param shard number of the shard
    /// @param turn of the log's disk
    /// @param discard deletes the content files of removed messages; does not wait for the disk
    /// @param end called when the thread fails: without it no message can be accepted
    public LogWriter(int shard, DiskTurn turn, MessageLog messageLog, Tail tail, RecentContents fresh, SpaceGuard space,
            HealthReport health,
            Consumer<Set<QueueId>> discard, Runnable end) {
        this.turn = turn;
        this.messageLog = messageLog;
        this.tail = tail;
        this.fresh = fresh;
        this.space = space;
        this.health = health;
        this.discard = discard;
        this.end = end;
        thread = Thread.ofPlatform().daemon().name("spool-log-" + shard).unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /// Any thread. @return false when the log takes no more tasks
    public boolean add(Task task) {
        if (task instanceof Task.Deposit && health.isGivenUp()) {
            return false;
        }
        if (task instanceof Task.FromIndex) {
            tail.taskWaits();
        }
        return queue.add(task);
    }

    /// Any thread: fails the deposits that the log thread has not taken by then.
    void giveUp(long sinceBeforeNanos, Consumer<Task.Deposit> then) {
        queue.giveUp(sinceBeforeNanos, then);
    }

    /// Any thread: the disk hangs, and the server goes on without it. Fails all messages that wait, also
    /// those of the group that is being written. Whether that write succeeds is unknown, so their
    /// removal follows it. A kill before the removal doubles the message, because its client sends it
    /// again (RFC 1047); a client that waits for a disk that may never answer would do the same later.
    void giveUp() {
        IOException why = new UndecidedException("a write to the disk does not return");
        giveUp(System.nanoTime(), deposit -> deposit.safe().completeExceptionally(why));
        writing.forEach(deposit -> deposit.safe().completeExceptionally(why));
    }

    LogFigures figures() {
        return figures;
    }

    /// Any thread: true when no more tasks are taken.
    public boolean isStopping() {
        return queue.isClosed();
    }

    /// Writes what waits, on the log thread: an interrupt of the caller's thread would close the
    /// file.
    @Override
    public void close() {
        queue.close();
        Threads.join(thread);
    }

    private void run() {
        try {
            writeUntilClosed();
        } catch (RuntimeException | Error e) {
            log.error(
                    "event=log-thread-failed next=\"no acknowledged message is lost; the process ends, or goes on with"
                            + " its other shards\"",
                    e);
            end.run();
        }
    }

    private void writeUntilClosed() {
        while (!queue.hasEnded()) {
            boolean some = queue.await(pending.isEmpty() && withdrawn.isEmpty() ? Long.MAX_VALUE : RETRY_NANOS);
            turn.during(() -> write(some ? queue.nextGroup() : List.of()));
        }
        for (int i = 0; i < LAST_TRIES && !(pending.isEmpty() && withdrawn.isEmpty()); i++) {
            write(List.of());
        }
        if (ownedElsewhere) {
            // The next owner goes on from what the log has: these changes happen again there.
            log.info("event=changes-left-to-owner count={}", pending.size());
        } else {
            pending.forEach(
                    task -> log.error("event=change-lost-at-stop changes=\"{}\"", LogText.text(task.toString())));
        }
        messageLog.endWriting();
    }

    private void write(List<Task> tasks) {
        List<Task.Deposit> asked = new ArrayList<>(tasks.size());
        List<Task.Lasting> lasting = new ArrayList<>(pending);
        for (Task task : tasks) {
            switch (task) {
                case Task.Deposit deposit -> asked.add(deposit);
                case Task.Lasting change -> lasting.add(change);
            }
        }
        boolean room = asked.isEmpty() && lasting.stream().noneMatch(Task.Carry.class::isInstance)
                || hasReserve(asked);
        List<Task.Deposit> deposits = room ? asked : List.of();
        if (deposits.isEmpty() && lasting.isEmpty() && withdrawn.isEmpty()) {
            return;
        }
        Group group = new Group(deposits, room);
        health.begins(Spool.What.LOG);
        writing = deposits;
        try {
            lasting.forEach(group::add);
            group.commit();
        } catch (IOException | RuntimeException | Error e) {
            failed(e, deposits, lasting);
            return;
        } finally {
            writing = List.of();
            health.ends(Spool.What.LOG);
        }
        pending = List.of();
        withdrawn.clear();
        released = false;
        health.over(Spool.What.LOG);
        group.complete(deposits);
    }

    /// Refuses new mail while the disk has no space beside the reserve.
    private boolean hasReserve(List<Task.Deposit> asked) {
        try {
            if (released) {
                // Its space is for the changes that wait.
                throw new NoSpaceException("changes wait for space in the message log");
            }
            // It writes and syncs, too, and may hang like any write.
            health.begins(Spool.What.LOG);
            try {
                messageLog.keepReserve();
            } finally {
                health.ends(Spool.What.LOG);
            }
            return true;
        } catch (IOException e) {
            if (SpaceGuard.isNoSpace(e)) {
                space.ranOut(false);
            } else {
                log.warn("event=log-failed count={} error=\"{}\"", asked.size(), LogText.text(e.toString()));
                health.met(Spool.What.LOG, e);
            }
            asked.forEach(deposit -> deposit.safe().completeExceptionally(e));
            return false;
        }
    }

    private void failed(Throwable e, List<Task.Deposit> deposits, List<Task.Lasting> lasting) {
        log.warn("event=log-failed count={} error=\"{}\"", lasting.size(), LogText.text(e.toString()));
        messageLog.abandon();
        health.met(Spool.What.LOG, e);
        pending = lasting;
        ownedElsewhere = e instanceof NotOwnerException;
        if (SpaceGuard.isNoSpace(e)) {
            space.ranOut(false);
        }
        deposits.stream().filter(Task.Deposit::moved)
                .forEach(each -> withdrawn.add(new LogRecord.Remove(each.message().id())));
        deposits.forEach(deposit -> deposit.safe().completeExceptionally(e));
        if (SpaceGuard.isNoSpace(e) && !(pending.isEmpty() && withdrawn.isEmpty())) {
            releaseReserve();
        }
    }

    private void releaseReserve() {
        released = true;
        try {
            messageLog.releaseReserve();
        } catch (IOException e) {
            log.warn("event=log-failed count={} error=\"{}\"", pending.size(), LogText.text(e.toString()));
        }
    }

    /// The tasks that one sync makes durable.
    private final class Group {
        private final List<LogRecord> records = new ArrayList<>();
        private final List<LogRecord> small = new ArrayList<>();
        private final List<NewMessage> messages;
        private final Set<QueueId> movedIn = new HashSet<>();
        private final List<Task.Carried> copies = new ArrayList<>();
        private final Set<Object> subjects = new HashSet<>();
        private final List<Runnable> callbacks = new ArrayList<>();
        private final boolean room;

        /// @param room for contents
        Group(List<Task.Deposit> deposits, boolean room) {
            this.room = room;
            messages = deposits.stream().map(Task.Deposit::message).toList();
            deposits.stream().filter(Task.Deposit::moved).forEach(each -> movedIn.add(each.message().id()));
            // A report has a change of its message with it, which a copy of the message would undo.
            messages.forEach(each -> each.state().forEach(record -> subjects.add(record.subject())));
        }

        public void add(Task.Lasting task) {
            switch (task) {
                case Task.Changes(List<LogRecord> changes, Runnable then) -> {
                    changes.forEach(this::change);
                    callbacks.add(then);
                }
                case Task.Lease lease -> {
                    List<MessageSummary> leased = lease.found().stream()
                            .filter(each -> isUntouched(each.id()) && !lease.inTransit().test(each.id())).toList();
                    leased.forEach(each -> change(new LogRecord.NextAttempt(each.id(), lease.untilMillis())));
                    callbacks.add(() -> done(() -> lease.then().accept(leased)));
                }
                case Task.Carry(List<Task.Carried> carried, Runnable then) -> {
                    carried.stream().filter(each -> room || each.content().isEmpty())
                            .filter(each -> isUntouched(each.subject())).forEach(copies::add);
                    callbacks.add(() -> done(then));
                }
            }
        }

        private void done(Runnable then) {
            tail.taskDone();
            then.run();
        }

        private void change(LogRecord record) {
            subjects.add(record.subject());
            small.add(record);
        }

        /// True when no change of the subject was recorded since the index was read.
        private boolean isUntouched(Object subject) {
            return !subjects.contains(subject) && !tail.hasNews(subject);
        }

        void commit() throws IOException {
            if (!withdrawn.isEmpty()) {
                messageLog.append(List.copyOf(withdrawn));
                records.addAll(withdrawn);
            }
            for (NewMessage message : messages) {
                records.add(LogRecord.Stored.of(message, messageLog.append(message), false));
                records.addAll(message.state());
            }
            if (!small.isEmpty()) {
                messageLog.append(small);
                records.addAll(small);
            }
            for (Task.Carried copy : copies) {
                // A record of the same group would come before the copy in the log, and the copy
                // would undo it.
                if (!subjects.contains(copy.subject())) {
                    copy(copy);
                }
            }
            if (!records.isEmpty()) {
                if (!movedIn.isEmpty() || !withdrawn.isEmpty()) {
                    messageLog.moves(movedIn, withdrawn.stream().map(LogRecord.Remove::id).collect(Collectors.toSet()));
                }
                long begin = System.nanoTime();
                messageLog.sync();
                figures.synced(records.size(), messages.size(), System.nanoTime() - begin);
            }
        }

        private void copy(Task.Carried copy) throws IOException {
            if (copy.content().isPresent()) {
                // The state in the same record, and never none, says that the message is no new one.
                NewMessage message = copy.content().get().withState(copy.state().isEmpty()
                        ? List.of(new LogRecord.Attempts(copy.content().get().id(), 0))
                        : copy.state());
                records.add(LogRecord.Stored.of(message, messageLog.append(message), true));
                records.addAll(message.state());
            } else if (!copy.state().isEmpty()) {
                messageLog.append(copy.state());
                records.addAll(copy.state());
            }
        }

        /// Completes the tasks of a durable group.
        void complete(List<Task.Deposit> deposits) {
            Set<QueueId> files = tail.add(records, messageLog.end(), System.nanoTime());
            if (!files.isEmpty()) {
                discard.accept(files);
            }
            fresh.add(deposits.stream().filter(each -> !each.moved()).map(Task.Deposit::message).toList());
            for (Task.Deposit deposit : deposits) {
                space.wrote(deposit.message().content() instanceof NewMessage.InOwnFile);
                // A report that is in the log stays there: its message counts as reported.
                if (!deposit.safe().complete(null) && !deposit.message().isReport()) {
                    withdrawn.add(new LogRecord.Remove(deposit.message().id()));
                }
            }
            callbacks.forEach(LogWriter::run);
        }
    }

    private static void run(Runnable then) {
        try {
            then.run();
        } catch (Throwable e) {
            log.error("event=callback-failed", e);
        }
    }
}
