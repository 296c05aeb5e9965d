package org.slipstream.spool.index;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.spool.log.DamagedMessageException;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.StoredMessage;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// The index while there is none: a [LogTable] of the queue, and the log itself for everything else. A message is read
/// from the log when it is asked for, so a search in a long queue takes long, and each of its questions is bounded.
///
/// [#apply] takes what the log has, and not the records that it is given: the log knows their places.
public final class LogIndex implements QueueIndex {
    private static final Logger log = LoggerFactory.getLogger(LogIndex.class);
    private static final Set<Integer> QUEUED = Set.of(MessageStatus.INCOMING, MessageStatus.QUEUED, MessageStatus.HELD);
    private static final Set<Integer> ANY = Set.of(MessageStatus.INCOMING, MessageStatus.QUEUED, MessageStatus.HELD,
            MessageStatus.CORRUPT);
    /// Messages that one question reads from the log.
    private static final int WINDOW = 500;
    /// Groups of records that are kept: messages that are due together were often deferred together.
    private static final int GROUPS = 64;

    private final MessageLog messageLog;
    private final LogTable table;
    private final Map<Position, Map<QueueId, List<LogRecord.OfMessage>>> groups = new LinkedHashMap<>(GROUPS, 0.75f,
            true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Position, Map<QueueId, List<LogRecord.OfMessage>>> eldest) {
            return size() > GROUPS;
        }
    };
    private volatile boolean closed;
    private Position reached = Position.START;
    private long applied;

    /// Reads the log.
    ///
    /// @param most messages that are held in memory; further ones wait for the index
    public LogIndex(MessageLog messageLog, int most) throws IOException {
        this.messageLog = messageLog;
        table = new LogTable(most);
        catchUp();
    }

    /// False when the queue is longer than there is room for.
    public boolean isWhole() {
        return !table.lacksSome();
    }

    /// A message that is not known may be one that found no room, and an empty answer would say that it is finished.
    private Optional<LogTable.TableRow> row(QueueId id) throws IndexException {
        Optional<LogTable.TableRow> row = table.row(id);
        if (row.isEmpty() && table.lacksSome()) {
            throw failed(new IOException("the queue is longer than the memory for it, and its index is being made"));
        }
        return row;
    }

    private void catchUp() throws IOException {
        // A reader sees all records of a group, or none.
        synchronized (table) {
            reached = messageLog.changes(reached, table);
        }
    }

    @Override
    public Set<QueueId> apply(List<LogRecord> records, Position position, long lastId) throws IndexException {
        try {
            catchUp();
        } catch (IOException e) {
            throw failed(e);
        }
        applied++;
        return table.freedFiles();
    }

    private static IndexException failed(IOException e) {
        return new IndexException("cannot read the message log", new SQLException(e.toString(), e));
    }

    @Override
    public Due due(DueQuery query) throws IndexException {
        LogTable.DueRows due = table.due(query);
        List<MessageSummary> found = new ArrayList<>();
        for (LogTable.TableRow row : due.rows()) {
            try {
                found.add(details(row).summary());
            } catch (DamagedRowsException e) {
                requireOwner(e);
                log.warn("event=message-set-aside queue={} reason=\"{}\" next=\"mta spool corrupt list\"", row.id(),
                        LogText.text(String.valueOf(e.getMessage())));
                table.setAside(row.id().value());
            }
        }
        return new Due(found, due.more(), due.nextMillis());
    }

    /// The owner of a log may delete what it has delivered.
    private void requireOwner(DamagedRowsException damaged) throws IndexException {
        try {
            if (messageLog.isClaimedSince()) {
                throw failed(new IOException("the message log has another owner since", damaged));
            }
        } catch (IOException silent) {
            throw failed(silent);
        }
    }

    private MessageDetails details(LogTable.TableRow row) throws IndexException, DamagedRowsException {
        return fold(row).details(row.nextMillis(), row.state() == MessageStatus.HELD);
    }

    private MessageFold fold(LogTable.TableRow row) throws IndexException, DamagedRowsException {
        try {
            List<LogRecord.OfMessage> records = new ArrayList<>();
            for (Position at : row.records()) {
                records.addAll(group(at).getOrDefault(row.id(), List.of()));
            }
            StoredMessage stored = row.lost()
                    ? records.stream().filter(LogRecord.Lost.class::isInstance)
                            .map(each -> ((LogRecord.Lost) each).message()).findFirst()
                            .orElseThrow(() -> new DamagedMessageException("no record of its loss"))
                    : messageLog.message(row.id(), row.place(), row.sizeBytes());
            MessageFold fold = new MessageFold(stored);
            records.forEach(fold::add);
            return fold;
        } catch (DamagedMessageException | FileNotFoundException | NoSuchFileException | IllegalArgumentException e) {
            // The cleaner may have moved it, or it may have been removed, since the row was read.
            Optional<LogTable.TableRow> now = table.row(row.id());
            if (now.isPresent() && !now.get().place().equals(row.place())) {
                return fold(now.get());
            }
            if (closed) {
                throw failed(new IOException("the index was made in the meantime", e));
            }
            throw new DamagedRowsException(row.id(), String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private Map<QueueId, List<LogRecord.OfMessage>> group(Position at) throws IOException {
        synchronized (groups) {
            Map<QueueId, List<LogRecord.OfMessage>> known = groups.get(at);
            if (known != null) {
                return known;
            }
        }
        Map<QueueId, List<LogRecord.OfMessage>> read = new HashMap<>();
        for (LogRecord record : messageLog.records(at)) {
            if (record instanceof LogRecord.OfMessage about) {
                read.computeIfAbsent(about.id(), _ -> new ArrayList<>(2)).add(about);
            }
        }
        synchronized (groups) {
            groups.put(at, read);
        }
        return read;
    }

    /// The log needs no sync of the index.
    @Override
    public void sync() {
        // Nothing is written.
    }

    @Override
    public Standing recover() throws IndexException {
        try {
            catchUp();
        } catch (IOException e) {
            throw failed(e);
        }
        return standing();
    }

    @Override
    public Standing makeAgain() throws IndexException {
        return recover();
    }

    @Override
    public Standing standing() {
        return new Standing(reached, table.lastId(), applied);
    }

    @Override
    public Named named() {
        return table.named();
    }

    @Override
    public Set<QueueId> inSegment(long segment) {
        return table.inSegment(segment);
    }

    @Override
    public Set<QueueId> queued(List<QueueId> ids) throws IndexException {
        return rows(ids).stream().filter(row -> QUEUED.contains(row.state()))
                .map(LogTable.TableRow::id).collect(Collectors.toSet());
    }

    @Override
    public List<QueueId> ids(Optional<QueueId> after, int limit) {
        return table.page(value(after), limit, ANY).stream().map(LogTable.TableRow::id).toList();
    }

    private static long value(Optional<QueueId> id) {
        return id.map(QueueId::value).orElse(0L);
    }

    @Override
    public Map<QueueId, Located> locate(List<QueueId> ids) throws IndexException {
        Map<QueueId, Located> found = new HashMap<>();
        rows(ids).forEach(row -> found.put(row.id(), new Located(row.place(), row.sizeBytes())));
        return found;
    }

    @Override
    public Optional<Located> locate(QueueId id) throws IndexException {
        return row(id).map(row -> new Located(row.place(), row.sizeBytes()));
    }

    @Override
    public List<Recipient> openRecipients(QueueId id, int after, int limit)
            throws IndexException, DamagedRowsException {
        return message(id).stream().flatMap(message -> message.openRecipients().stream())
                .filter(each -> each.number() > after).limit(limit).toList();
    }

    @Override
    public Optional<MessageDetails> message(QueueId id) throws IndexException, DamagedRowsException {
        Optional<LogTable.TableRow> row = row(id);
        return row.isPresent() ? Optional.of(details(row.get())) : Optional.empty();
    }

    @Override
    public MessagePage page(Optional<QueueId> after, int limit) throws IndexException {
        return details(table.page(value(after), limit, QUEUED));
    }

    @Override
    public MessagePage setAside(Optional<QueueId> after, int limit) throws IndexException {
        return details(table.page(value(after), limit, Set.of(MessageStatus.CORRUPT)));
    }

    private MessagePage details(List<LogTable.TableRow> rows) throws IndexException {
        List<MessageDetails> messages = new ArrayList<>();
        List<DamagedMessage> damaged = new ArrayList<>();
        for (LogTable.TableRow row : rows) {
            try {
                messages.add(details(row));
            } catch (DamagedRowsException e) {
                damaged.add(new DamagedMessage(row.id(), String.valueOf(e.getMessage())));
            }
        }
        return new MessagePage(messages, damaged);
    }

    @Override
    public Found find(Search search, long nowMillis, Optional<QueueId> after, int limit) throws IndexException {
        if (search.among().isPresent()) {
            List<LogTable.TableRow> rows = rows(search.among().get().stream().filter(id -> id.value() > value(after))
                    .sorted().limit(WINDOW).toList());
            return found(rows.stream().filter(row -> QUEUED.contains(row.state())).toList(), limit,
                    message -> fits(message, search.filter(), nowMillis));
        }
        return found(table.page(value(after), WINDOW, QUEUED), limit,
                message -> fits(message, search.filter(), nowMillis));
    }

    private static boolean fits(MessageDetails message, QueueFilter filter, long nowMillis) {
        MessageSummary summary = message.summary();
        long age = nowMillis - summary.createdMillis();
        return filter.state().map(state -> summary.held() == (state == QueueFilter.State.HELD)).orElse(true)
                && filter.sender().map(pattern -> pattern.isNull()
                        ? summary.sender().isEmpty()
                        : summary.sender().filter(pattern::matches).isPresent()).orElse(true)
                && age >= filter.olderThanMillis().orElse(Long.MIN_VALUE)
                && age < filter.youngerThanMillis().orElse(Long.MAX_VALUE) && summary.attempts() >= filter.attempts()
                && (filter.recipient().isEmpty() || message.openRecipients().stream().anyMatch(recipient -> filter
                        .recipient().stream().allMatch(pattern -> pattern.matches(recipient.address()))));
    }

    /// Those of the rows that match, at most `limit`.
    private Found found(List<LogTable.TableRow> rows, int limit, Predicate<MessageDetails> wanted)
            throws IndexException {
        List<QueueId> found = new ArrayList<>();
        for (LogTable.TableRow row : rows) {
            try {
                if (wanted.test(details(row))) {
                    found.add(row.id());
                }
            } catch (DamagedRowsException e) {
                log.debug("event=message-not-read queue={} reason=\"{}\"", row.id(), e.getMessage());
            }
            if (found.size() == limit) {
                return new Found(found, Optional.of(row.id()));
            }
        }
        return new Found(found, rows.size() < WINDOW ? Optional.empty() : Optional.of(rows.getLast().id()));
    }

    @Override
    public Found notDue(Optional<String> domain, long nowMillis, Optional<QueueId> after) throws IndexException {
        if (domain.isEmpty()) {
            List<QueueId> ids = table.notDue(value(after), WINDOW, nowMillis).stream().map(LogTable.TableRow::id)
                    .toList();
            return new Found(ids, ids.size() < WINDOW ? Optional.empty() : Optional.of(ids.getLast()));
        }
        return found(table.page(value(after), WINDOW, ANY), WINDOW, message -> waitsFor(message, domain.get()));
    }

    private static boolean waitsFor(MessageDetails message, String domain) {
        return message.openRecipients().stream().anyMatch(each -> each.address().domainKey().equalsIgnoreCase(domain));
    }

    @Override
    public Found notDueAfter(String replyOrRemote, long nowMillis, Optional<QueueId> after) throws IndexException {
        return found(table.notDue(value(after), WINDOW, nowMillis), WINDOW, message -> message.recipients().stream()
                .anyMatch(each -> each.state() == RecipientStatus.OPEN
                        && each.last().filter(last -> last.remote().equals(replyOrRemote)
                                || String.join("\n", last.reply().lines()).equals(replyOrRemote)).isPresent()));
    }

    @Override
    public Found tried(String domain) throws IndexException {
        return found(table.page(0, WINDOW, QUEUED), WINDOW, message -> !message.summary().held()
                && message.recipients().stream().anyMatch(each -> each.last().isPresent())
                && waitsFor(message, domain));
    }

    @Override
    public MessagePage messages(List<QueueId> ids) throws IndexException {
        return details(rows(ids).stream().filter(row -> QUEUED.contains(row.state())).toList());
    }

    @Override
    public MessagePage whole(List<QueueId> ids) throws IndexException {
        return details(rows(ids));
    }

    private List<LogTable.TableRow> rows(Collection<QueueId> ids) throws IndexException {
        List<LogTable.TableRow> rows = new ArrayList<>();
        for (QueueId id : new TreeSet<>(ids)) {
            row(id).ifPresent(rows::add);
        }
        return rows;
    }

    @Override
    public List<PastAttempt> attempts(QueueId id) throws IndexException {
        Optional<LogTable.TableRow> row = row(id);
        try {
            return row.isPresent() ? fold(row.get()).history() : List.of();
        } catch (DamagedRowsException e) {
            return List.of();
        }
    }

    @Override
    public List<HostRecord> hosts() {
        return table.hosts();
    }

    @Override
    public List<StandingOrder> orders() {
        return table.orders();
    }

    @Override
    public Totals totals() {
        return table.totals();
    }

    @Override
    public void close() {
        // The log goes on. A slow reader may miss a record there, because the cleaner moved it.
        closed = true;
    }

    @Override
    public void discard() {
        // It has no file.
    }
}
