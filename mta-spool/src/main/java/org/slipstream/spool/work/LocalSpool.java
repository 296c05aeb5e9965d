package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.spool.DamagedException;
import org.slipstream.spool.Draft;
import org.slipstream.spool.MovingMessage;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolFigures;
import org.slipstream.spool.follow.ChangeSink;
import org.slipstream.spool.follow.LogFollower;
import org.slipstream.spool.index.DamagedRowsException;
import org.slipstream.spool.index.DueQuery;
import org.slipstream.spool.index.IndexDamage;
import org.slipstream.spool.index.IndexException;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.index.Search;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.RecordPlace;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/// The spool on the local disk: passes changes to the log thread and answers queries from memory,
/// index and log.
///
/// A query to the index first waits until the index has everything that is in the log at that
/// moment. Messages in delivery are answered from memory: from [RecentContents] and [Tail].
public final class LocalSpool implements Spool {
    private static final Logger log = LoggerFactory.getLogger(LocalSpool.class);

    private final SpoolConfig config;
    private final int shard;
    private final LongSupplier clock;
    private final MessageLog messageLog;
    private final Tail tail;
    private final RecentContents fresh;
    private final SpaceGuard space;
    private final LogWriter writer;
    private final Indexer indexer;
    private final ReaderThreads readers;
    private final SpoolLock lock;
    private final AtomicLong lastId;
    private final CommitTimeout commitTimeout;
    private final DraftMemory drafts;
    private final HealthReport health;
    private final SpoolWatchdog watchdog;
    private final Optional<DatabaseWatch> databaseWatch;
    private final OpenMark mark;
    private final MessageTransfer transfer;
    private volatile Optional<LogFollower> follower = Optional.empty();

    /// The message log and its writer.
    public record LogSide(MessageLog messageLog, LogWriter writer, SpaceGuard space, CommitTimeout commitTimeout) {}

    /// The threads of the index, and the messages that it does not have yet.
    public record IndexSide(Indexer indexer, ReaderThreads readers, Tail tail) {}

    /// Contents in memory.
    public record ContentMemory(RecentContents fresh, DraftMemory drafts) {}

    /// The guards of the folder.
    public record Guards(SpoolLock lock, HealthReport health, SpoolWatchdog watchdog,
            Optional<DatabaseWatch> databaseWatch, OpenMark mark) {}

    /// Takes over all its arguments; [#close] closes them.
    public LocalSpool(SpoolConfig config, int shard, LongSupplier clock, long lastId, LogSide logSide,
            IndexSide indexSide, ContentMemory memory, Guards guards) {
        this.config = config;
        this.shard = shard;
        this.clock = clock;
        this.lastId = new AtomicLong(lastId);
        this.messageLog = logSide.messageLog();
        this.writer = logSide.writer();
        this.space = logSide.space();
        this.commitTimeout = logSide.commitTimeout();
        this.indexer = indexSide.indexer();
        this.readers = indexSide.readers();
        this.tail = indexSide.tail();
        this.fresh = memory.fresh();
        this.drafts = memory.drafts();
        this.lock = guards.lock();
        this.health = guards.health();
        this.watchdog = guards.watchdog();
        this.databaseWatch = guards.databaseWatch();
        this.mark = guards.mark();
        transfer = new MessageTransfer(messageLog, tail, writer, indexer, readers, space, this::setAside);
    }

    /// Before the spool is used: the sink gets what becomes of messages from now on.
    ///
    /// @return what the cleaner has to wait for
    public Cleaner.Follower follow(ChangeSink sink) throws IOException {
        LogFollower reader = new LogFollower(shard, messageLog, config.segmentSize().bytes(), tail::end,
                this::queued, sink);
        follower = Optional.of(reader);
        reader.start();
        return reader::firstToKeep;
    }

    private List<MessageDetails> queued(List<QueueId> ids) throws IOException {
        return read(() -> indexer.index().whole(ids)).messages();
    }

    @Override
    public int shard() {
        return shard;
    }

    @Override
    public Draft draft(Runnable ended) throws IOException {
        return draft(List.of(), ended);
    }

    @Override
    public Draft draftAbout(LogRecord.OfMessage change) throws IOException {
        if (change instanceof LogRecord.DelayReported) {
            keepOutcomes(change.id());
        }
        return draft(List.of(change), () -> {});
    }

    private Draft draft(List<LogRecord> about, Runnable ended) throws IOException {
        if (health.isGivenUp()) {
            throw new IOException("a write to the disk does not return");
        }
        space.require();
        if (tail.isFull()) {
            throw new IOException("the queue index is too far behind the message log: " + tail.size() + " messages");
        }
        long now = clock.getAsLong();
        QueueId id = new QueueId(lastId.updateAndGet(last -> QueueId.after(last, now, shard).value()));
        return new WritingDraft(id, messageLog, writer, space, clock, config.inlineSize().toInt(), drafts, tail, about,
                ended);
    }

    @Override
    public void record(QueueId id, List<RecipientOutcome> outcomes, boolean attempt, Runnable then) {
        if (fresh.recorded(id, outcomes)) {
            // All recipients are delivered: one removal record replaces the outcomes, which only a follower wants.
            LogRecord remove = new LogRecord.Remove(id);
            add(new Task.Changes(follower.isEmpty()
                    ? List.of(remove)
                    : List.of(new LogRecord.Outcomes(id, outcomes, clock.getAsLong(), attempt), remove), then));
            return;
        }
        change(new LogRecord.Outcomes(id, outcomes, clock.getAsLong(), attempt), then);
    }

    @Override
    public void defer(QueueId id, long nextAttemptMillis, Runnable then) {
        change(new LogRecord.NextAttempt(id, nextAttemptMillis), then);
    }

    @Override
    public void remove(QueueId id, Runnable then) {
        if (fresh.forget(id)) {
            // Its last outcome has removed it; only the callback remains.
            add(new Task.Changes(List.of(), then));
            return;
        }
        change(new LogRecord.Remove(id), then);
    }

    @Override
    public void delete(QueueId id, Runnable then) {
        if (follower.isEmpty()) {
            remove(id, then);
            return;
        }
        // When its last outcome has removed it, only the callback remains.
        add(new Task.Changes(fresh.forget(id)
                ? List.of()
                : List.of(new LogRecord.Deleted(id), new LogRecord.Remove(id)), then));
    }

    @Override
    public void hold(QueueId id, boolean held, Runnable then) {
        LogRecord hold = new LogRecord.Hold(id, held);
        add(new Task.Changes(held
                ? List.of(hold)
                : List.of(hold, new LogRecord.MakeDue(id, clock.getAsLong())), then));
    }

    @Override
    public void instruct(QueueId id, Instruction instruction, Runnable then) {
        if (instruction instanceof Instruction.Priority(int value)) {
            fresh.prioritise(id, value);
        }
        change(new LogRecord.Instructed(id, instruction), then);
    }

    @Override
    public void takeUp(QueueId id, long nowMillis, Runnable then) {
        add(new Task.Changes(List.of(new LogRecord.Hold(id, false), new LogRecord.NextAttempt(id, nowMillis)), then));
    }

    @Override
    public void makeDue(Optional<QueueId> id, Optional<String> domain, long nowMillis, Runnable then) {
        if (id.isPresent()) {
            change(new LogRecord.MakeDue(id.get(), nowMillis), then);
        } else {
            making(nowMillis, then).begin(after -> indexer.index().notDue(domain, nowMillis, after));
        }
    }

    @Override
    public void makeDueAfter(String replyOrRemote, long nowMillis, Runnable then) {
        making(nowMillis, then).begin(after -> indexer.index().notDueAfter(replyOrRemote, nowMillis, after));
    }

    private MakingDue making(long nowMillis, Runnable then) {
        return new MakingDue(indexer, readers, writer, nowMillis, then);
    }

    @Override
    public void failuresReported(QueueId id, Runnable then) {
        change(new LogRecord.FailuresReported(id), then);
    }

    @Override
    public void delayReported(QueueId id, int count, Runnable then) {
        keepOutcomes(id);
        change(new LogRecord.DelayReported(id, count), then);
    }

    /// A report of the end of the delay is made from the outcomes, so the removal of the message must not replace them.
    private void keepOutcomes(QueueId id) {
        fresh.forget(id);
    }

    @Override
    public void keepHost(HostRecord host, Runnable then) {
        change(new LogRecord.KeepHost(host), then);
    }

    @Override
    public void forgetHost(String host, String kind, Runnable then) {
        change(new LogRecord.ForgetHost(host, kind), then);
    }

    @Override
    public List<HostRecord> hosts() throws IOException {
        return current(() -> indexer.index().hosts());
    }

    @Override
    public void keepOrder(StandingOrder order, Runnable then) {
        change(new LogRecord.KeepOrder(order), then);
    }

    @Override
    public void forgetOrder(String kind, String name, Runnable then) {
        change(new LogRecord.ForgetOrder(kind, name), then);
    }

    @Override
    public List<StandingOrder> orders() throws IOException {
        return current(() -> indexer.index().orders());
    }

    @Override
    public void export(QueueId id, OptionalLong dueMillis, Consumer<Exported> then) {
        transfer.export(id, dueMillis, then);
    }

    @Override
    public void take(MovingMessage message, Consumer<Optional<IOException>> then) {
        // An id that this shard gave once and gives again would be in use.
        lastId.accumulateAndGet(message.id().value(), Math::max);
        transfer.take(message, then);
    }

    @Override
    public void left(QueueId id, Runnable then) {
        remove(id, () -> {
            transfer.settled(id);
            then.run();
        });
    }

    @Override
    public void stays(QueueId id) {
        transfer.settled(id);
    }

    @Override
    public void arrived(QueueId id) {
        transfer.settled(id);
    }

    @Override
    public List<QueueId> ids(Optional<QueueId> after, int limit) throws IOException {
        return current(() -> indexer.index().ids(after, limit));
    }

    @Override
    public Set<QueueId> known(List<QueueId> ids) throws IOException {
        return current(() -> indexer.index().locate(ids).keySet());
    }

    @Override
    public Set<QueueId> sound(List<QueueId> ids) throws IOException {
        return current(() -> indexer.index().queued(ids));
    }

    private void change(LogRecord record, Runnable then) {
        add(new Task.Changes(List.of(record), then));
    }

    private void add(Task task) {
        if (!writer.add(task)) {
            log.warn("event=change-after-close change=\"{}\"", LogText.text(task.toString()));
        }
    }

    /// Queries the index when it has everything that is in the log now.
    private <T> T current(Callable<T> question) throws IOException {
        indexer.bringUp();
        return read(question);
    }

    private <T> T read(Callable<T> question) throws IOException {
        QueueIndex asked = indexer.index();
        try {
            return readers.read(question, health);
        } catch (IndexException e) {
            if (asked != indexer.index()) {
                return readers.read(question, health);
            }
            if (IndexDamage.isBehind(e)) {
                indexer.damaged(e);
            }
            throw e;
        }
    }

    /// Queries the index about one message, without waiting when its rows are current.
    private <T> T about(QueueId id, Callable<T> question) throws IOException {
        return tail.mentions(id) ? current(question) : read(question);
    }

    @Override
    public void claimDue(QueueName queue, long nowMillis, int limit, long leaseUntilMillis,
            long heldCreatedBeforeMillis, long furthestMillis, Consumer<Claimed> then) {
        DueQuery query = new DueQuery(queue, nowMillis, limit, heldCreatedBeforeMillis, furthestMillis);
        indexer.findDue(query,
                due -> add(new Task.Lease(due.messages(), leaseUntilMillis, transfer::isInTransit, leased -> then
                        .accept(new Claimed(leased, due.more() || leased.size() < due.messages().size(),
                                due.nextDueMillis())))));
    }

    @Override
    public RecipientBatch readRecipients(QueueId id, int after, int limit) throws IOException, DamagedException {
        Optional<List<Recipient>> known = tail.openRecipients(id);
        if (known.isPresent()) {
            return batch(known.get().stream().filter(each -> each.number() > after).toList(), limit);
        }
        try {
            int most = Math.min(limit, Integer.MAX_VALUE - 1);
            return batch(about(id, () -> indexer.index().openRecipients(id, after, most + 1)), most);
        } catch (DamagedRowsException e) {
            setAside(id, e.getMessage());
            throw new DamagedException(e.getMessage());
        }
    }

    private static RecipientBatch batch(List<Recipient> open, int most) {
        return new RecipientBatch(open.subList(0, Math.min(most, open.size())), open.size() <= most);
    }

    /// Marks the message; its rows and its content stay.
    private void setAside(QueueId id, String reason) {
        setAside(id, reason, List.of(new LogRecord.SetAside(id)));
    }

    /// @param records name the sender and the recipients when the record of the message is damaged, because an index
    ///     that is made again from the log would not know them
    private void setAside(QueueId id, String reason, List<LogRecord> records) {
        // Told when it is so: a log that has another owner by now does not take it.
        add(new Task.Changes(records, () -> log.warn(
                "event=message-set-aside queue={} reason=\"{}\" next=\"mta spool corrupt list\"", id,
                LogText.text(reason))));
    }

    @Override
    public Optional<InMemory> inMemory(QueueId id) {
        return fresh.inMemory(id);
    }

    @Override
    public Content content(QueueId id) throws IOException {
        Optional<Content> inMemory = fresh.message(id);
        if (inMemory.isPresent()) {
            return inMemory.get();
        }
        QueueIndex.Located located = locate(id).orElseThrow(() -> new NoSuchFileException("no message " + id));
        return messageLog.content(id, located.place(), located.sizeBytes(), () -> contentDamaged(id, located.place()));
    }

    private Optional<QueueIndex.Located> locate(QueueId id) throws IOException {
        Optional<QueueIndex.Located> known = tail.locate(id);
        return known.isPresent() ? known : about(id, () -> indexer.index().locate(id));
    }

    private void contentDamaged(QueueId id, RecordPlace place) {
        try {
            // A message that was removed or copied in between is not damaged.
            if (locate(id).filter(now -> now.place().equals(place)).isPresent()) {
                setAside(id, "its content is damaged or missing",
                        details(id).map(message -> KnownState.ofLost(message, place))
                                .orElse(List.of(new LogRecord.SetAside(id))));
            }
        } catch (IOException e) {
            log.warn("event=index-not-read queue={} error=\"{}\"", id, e.toString());
        }
    }

    @Override
    public Optional<Envelope> envelope(QueueId id) throws IOException {
        Optional<Envelope> inMemory = fresh.envelope(id).or(() -> tail.envelope(id));
        return inMemory.isPresent() ? inMemory : details(id).map(MessageDetails::envelope);
    }

    @Override
    public Optional<MessageDetails> details(QueueId id) throws IOException {
        try {
            return about(id, () -> indexer.index().message(id));
        } catch (DamagedRowsException e) {
            setAside(id, e.getMessage());
            throw e;
        }
    }

    @Override
    public List<MessageDetails> list(Optional<QueueId> after, int limit) throws IOException {
        List<MessageDetails> listed = new ArrayList<>();
        Optional<QueueId> from = after;
        while (listed.size() < limit) {
            Optional<QueueId> start = from;
            int wanted = limit - listed.size();
            QueueIndex.MessagePage page = current(() -> indexer.index().page(start, wanted));
            page.messages().forEach(message -> listed.add(message));
            page.damaged().forEach(damaged -> setAside(damaged.id(), damaged.what()));
            if (page.damaged().isEmpty() || page.messages().size() + page.damaged().size() < wanted) {
                break;
            }
            // Damaged messages made the page shorter, and the caller takes a short page for the
            // last one.
            from = Stream.concat(page.messages().stream().map(message -> message.summary().id()),
                    page.damaged().stream().map(QueueIndex.DamagedMessage::id)).max(QueueId::compareTo);
        }
        return listed;
    }

    @Override
    public List<SetAside> setAside(Optional<QueueId> after, int limit) throws IOException {
        QueueIndex.MessagePage page = current(() -> indexer.index().setAside(after, limit));
        List<SetAside> listed = new ArrayList<>();
        for (MessageDetails message : page.messages()) {
            listed.add(setAside(message));
        }
        page.damaged().forEach(each -> listed.add(new SetAside(each.id(), Optional.empty(), each.what(), false)));
        listed.sort(Comparator.comparing(SetAside::id));
        return listed;
    }

    private SetAside setAside(MessageDetails message) throws IOException {
        QueueId id = message.summary().id();
        Optional<QueueIndex.Located> located = about(id, () -> indexer.index().locate(id));
        try (InputStream input = messageLog
                .content(id, located.orElseThrow(() -> new NoSuchFileException("" + id)).place(),
                        message.summary().sizeBytes(), () -> {})
                .open()) {
            input.transferTo(OutputStream.nullOutputStream());
            return new SetAside(id, Optional.of(message), "its content can be read; `mta spool repair` queues it again",
                    true);
        } catch (IOException e) {
            return new SetAside(id, Optional.of(message), DamagedException.reason(e), false);
        }
    }

    @Override
    public QueueIndex.Found find(Search search, Optional<QueueId> after, int limit) throws IOException {
        long now = clock.getAsLong();
        return current(() -> indexer.index().find(search, now, after, limit));
    }

    @Override
    public QueueIndex.Found tried(String domain) throws IOException {
        return current(() -> indexer.index().tried(domain));
    }

    @Override
    public List<PastAttempt> attempts(QueueId id) throws IOException {
        return current(() -> indexer.index().attempts(id));
    }

    @Override
    public List<MessageDetails> details(List<QueueId> ids) throws IOException {
        QueueIndex.MessagePage page = current(() -> indexer.index().messages(ids));
        page.damaged().forEach(damaged -> setAside(damaged.id(), damaged.what()));
        return page.messages();
    }

    @Override
    public Counts counts() throws IOException {
        QueueIndex.Totals totals = current(() -> indexer.index().totals());
        return new Counts(totals.messages(), totals.held(), totals.corrupt() + setAsideFiles(), totals.sizeBytes());
    }

    @Override
    public boolean wasInterrupted() {
        return mark.wasSet();
    }

    @Override
    public boolean isSlow() {
        return health.isSlow();
    }

    @Override
    public boolean hangs() {
        return health.hangs();
    }

    @Override
    public void giveUp() {
        health.giveUp();
        writer.giveUp();
    }

    @Override
    public boolean isGivenUp() {
        return health.isGivenUp();
    }

    @Override
    public SpoolFigures figures() {
        return writer.figures().with(tail);
    }

    @Override
    public List<Trouble> troubles() {
        List<Trouble> now = new ArrayList<>(health.now());
        indexer.making().ifPresent(now::add);
        space.shortage().ifPresent(shortage -> now.add(new Trouble(shortage.what(),
                clock.getAsLong() - shortage.millis(), shortage.reason(), true)));
        return now;
    }

    /// A folder that cannot be read is a trouble of its own, and no reason to hide the other counts.
    private long setAsideFiles() {
        try (Stream<Path> files = Files.list(config.directory().resolve("corrupt"))) {
            long count = files.filter(file -> !file.endsWith(LostMessages.LIST)).count();
            health.over(What.CORRUPT);
            return count;
        } catch (IOException | UncheckedIOException e) {
            health.met(What.CORRUPT, e);
            return 0;
        }
    }

    @Override
    public void close() {
        close(true);
    }

    @Override
    public void closeAsInterrupted() {
        close(!mark.wasSet());
    }

    private void close(boolean clears) {
        commitTimeout.close();
        databaseWatch.ifPresent(DatabaseWatch::close);
        // The next start reads the records that are written after that.
        follower.ifPresent(LogFollower::close);
        writer.close();
        indexer.close();
        if (clears) {
            clear(mark);
        }
        messageLog.close();
        watchdog.close();
        readers.close();
        lock.close();
    }

    /// An index that failed keeps its mark.
    private void clear(OpenMark open) {
        if (!health.has(What.INDEX)) {
            try {
                open.clear();
            } catch (IOException e) {
                log.warn("event=index-mark-not-deleted error=\"{}\"", LogText.text(e.toString()));
            }
        }
    }
}
