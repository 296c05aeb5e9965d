package org.slipstream.spool.index;

import org.slipstream.core.AddressPattern;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.QueueFilter.State;
import org.slipstream.core.queue.RecipientStatus;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// Finds messages by sender, recipient, age and state, a bounded part of the queue per query.
///
/// **A window.** Only ids and times have a useful index; a search for an unknown sender would read
/// every row. So one query reads the next [#WINDOW] messages in order of id and returns where to
/// continue. A caller that wants all of a long queue asks repeatedly, and no query takes a reader
/// thread for longer than one window. There is no OFFSET, which would count from the beginning each
/// time, and no list longer than a window.
///
/// The planner must not choose the other indexes. The index of states has the whole queue in one of
/// its ranges, the index of domains all mail of a large provider, and both would be read for each
/// window. So states are compared with `<>`, and a domain, which is in lower case already, goes
/// through `lower()` once more. Neither expression has an index in H2 or in PostgreSQL, so the
/// planner reads the primary key, from the window's beginning to its end.
///
/// **Recipients** have rows only when something is known of one of them ([RecipientRows]). Until
/// then the envelope is stored in the message's row as bytes, which SQL cannot search. So a search
/// for a recipient selects messages with such a row *or* with an envelope, [#ENVELOPES] at a time,
/// and decodes those envelopes here. The result is the same for tried and untried messages: a
/// message matches when one recipient that still waits matches all patterns. An unreadable envelope
/// matches nothing; listing the queue sets its message aside.
///
/// **A domain** without a star has an index, that of recipients by domain and message. Tried
/// messages are found there, a page at a time: the cost of a frequent domain is what is shown, and
/// that of a rare one is nothing. Untried messages have no rows there. They are searched as above,
/// in a window that may be five times as long, because the recipients of tried messages are
/// skipped.
///
/// Text of an operator enters statements only as values. In patterns `%`, `_` and the escape
/// character are escaped, so only the star is a wildcard.
final class Finder {
    static final int WINDOW = 20_000;
    static final int DOMAIN_WINDOW = 5 * WINDOW;
    /// Rows of one page; an envelope may have 16 KiB.
    static final int ENVELOPES = 500;

    private static final String LIKE = " like ? escape '!'";

    private static final String IN_DOMAIN = "select r.message_id from recipient r where r.domain_key = ?"
            + " and r.message_id > ? and r.message_id <= ? and r.state = " + RecipientStatus.OPEN.code;
    private static final String IN_ORDER_OF_THE_INDEX = " order by r.domain_key, r.message_id limit ?";
    private static final String NOT_DUE = "select m.id from message m where m.id > ? and m.next_millis > ?"
            + " and m.not_before_millis <= ? order by m.id limit ?";
    private static final String NOT_DUE_AFTER = "select m.id from message m where m.id > ? and m.next_millis > ?"
            + " and m.not_before_millis <= ? and exists (select 1 from recipient r where r.message_id = m.id"
            + " and r.state = " + RecipientStatus.OPEN.code
            + " and (r.reply_text = ? or r.remote = ?)) order by m.id limit ?";

    private enum Among {
        ALL, UNTRIED
    }

    private record Window(long after, long end, boolean more) {}

    private record Candidates(List<QueueId> fitting, int rows, long last) {}

    private record Question(String sql, List<Object> values, boolean readsEnvelopes) {}

    private final MessageReader reader;
    private final Search search;
    private final long nowMillis;

    /// A finder for one search.
    Finder(MessageReader reader, Search search, long nowMillis) {
        this.reader = reader;
        this.search = search;
        this.nowMillis = nowMillis;
    }

    QueueIndex.Found find(Optional<QueueId> after, int limit) throws IndexException {
        long from = after.map(QueueId::value).orElse(0L);
        int most = Math.min(limit, WINDOW) + 1;
        Optional<String> domain = search.among().isPresent() ? Optional.empty() : domain();
        return domain.isPresent()
                ? inDomain(domain.get(), window(from, DOMAIN_WINDOW), most)
                : page(window(from, WINDOW), most);
    }

    private QueueIndex.Found page(Window window, int most) throws IndexException {
        List<QueueId> found = new ArrayList<>();
        long end = look(question(Among.ALL), window, most, found);
        return found(found, most, end, window);
    }

    private QueueIndex.Found inDomain(String domain, Window window, int most) throws IndexException {
        List<QueueId> untried = new ArrayList<>();
        long end = look(question(Among.UNTRIED), window, most, untried);
        SortedSet<QueueId> found = new TreeSet<>(untried);
        long from = window.after();
        Page page;
        do {
            page = inDomain(domain, from, end);
            found.addAll(fitting(page.ids()));
            from = page.last();
        } while (page.full() && found.headSet(new QueueId(from)).size() < most);
        return found(List.copyOf(found), most, end, window);
    }

    private static QueueIndex.Found found(List<QueueId> found, int most, long end, Window window) {
        if (found.size() >= most) {
            List<QueueId> shown = List.copyOf(found.subList(0, most - 1));
            return new QueueIndex.Found(shown, Optional.of(shown.getLast()));
        }
        return new QueueIndex.Found(found,
                end < window.end() || window.more() ? Optional.of(new QueueId(end)) : Optional.empty());
    }

    /// @return the last id that was read: the window's end, or an earlier one when enough was found
    private long look(Question question, Window window, int most, List<QueueId> found) throws IndexException {
        int pageRows = question.readsEnvelopes() ? ENVELOPES : most;
        long from = window.after();
        int rows = 0;
        Candidates page;
        do {
            page = candidates(question, from, window.end(), pageRows);
            found.addAll(page.fitting());
            from = page.last();
            rows += page.rows();
        } while (page.rows() == pageRows && found.size() < most && rows < WINDOW);
        return page.rows() == pageRows ? from : window.end();
    }

    private Optional<String> domain() {
        return search.filter().recipient().stream().map(AddressPattern::domain)
                .filter(domain -> !domain.isEmpty() && domain.indexOf('*') < 0).findFirst();
    }

    private record Page(List<QueueId> ids, long last, boolean full) {}

    /// The next tried messages that have a recipient in the domain.
    private Page inDomain(String domain, long after, long end) throws IndexException {
        List<Object> values = new ArrayList<>();
        StringBuilder sql = new StringBuilder(IN_DOMAIN);
        recipient(sql, values);
        return reader.query(sql.append(IN_ORDER_OF_THE_INDEX).toString(), query -> {
            query.setString(1, domain);
            query.setLong(2, after);
            query.setLong(3, end);
            for (int i = 0; i < values.size(); i++) {
                query.setObject(4 + i, values.get(i));
            }
            query.setInt(4 + values.size(), ENVELOPES);
        }, rows -> page(rows, after));
    }

    /// Those of `ids` that match the rest of the search.
    private List<QueueId> fitting(List<QueueId> ids) throws IndexException {
        List<Object> values = new ArrayList<>();
        StringBuilder sql = new StringBuilder("select m.id from message m where m.id = any(?)");
        message(sql, values);
        return reader.query(sql.toString(), query -> {
            query.setArray(1, query.getConnection().createArrayOf("bigint",
                    ids.stream().map(QueueId::value).toArray()));
            for (int i = 0; i < values.size(); i++) {
                query.setObject(2 + i, values.get(i));
            }
        }, rows -> page(rows, 0).ids());
    }

    private static Page page(ResultSet rows, long after) throws SQLException {
        // One message may have several recipients in the domain.
        Set<QueueId> ids = new LinkedHashSet<>();
        int count = 0;
        long last = after;
        while (rows.next()) {
            last = rows.getLong(1);
            ids.add(new QueueId(last));
            count++;
        }
        return new Page(List.copyOf(ids), last, count == ENVELOPES);
    }

    /// The next messages that are not due.
    ///
    /// @param domain only messages with a waiting recipient there, due or not
    QueueIndex.Found notDue(Optional<String> domain, Optional<QueueId> after) throws IndexException {
        long from = after.map(QueueId::value).orElse(0L);
        Page page = domain.isPresent()
                ? inDomain(domain.get().toLowerCase(Locale.ROOT), from, Long.MAX_VALUE)
                : reader.query(NOT_DUE, query -> {
                    query.setLong(1, from);
                    query.setLong(2, nowMillis);
                    query.setLong(3, nowMillis);
                    query.setInt(4, ENVELOPES);
                }, rows -> page(rows, from));
        return new QueueIndex.Found(page.ids(), page.full() ? Optional.of(new QueueId(page.last())) : Optional.empty());
    }

    /// The next messages that are not due and have a waiting recipient whose last reply has this text, or
    /// whose last outcome has this remote.
    QueueIndex.Found notDueAfter(String replyOrRemote, Optional<QueueId> after) throws IndexException {
        long from = after.map(QueueId::value).orElse(0L);
        Page page = reader.query(NOT_DUE_AFTER, query -> {
            query.setLong(1, from);
            query.setLong(2, nowMillis);
            query.setLong(3, nowMillis);
            query.setString(4, replyOrRemote);
            query.setString(5, replyOrRemote);
            query.setInt(6, ENVELOPES);
        }, rows -> page(rows, from));
        return new QueueIndex.Found(page.ids(), page.full() ? Optional.of(new QueueId(page.last())) : Optional.empty());
    }

    /// Messages on the first page of the domain index that match.
    QueueIndex.Found tried(String domain) throws IndexException {
        Page page = inDomain(domain.toLowerCase(Locale.ROOT), 0, Long.MAX_VALUE);
        return new QueueIndex.Found(fitting(page.ids()),
                page.full() ? Optional.of(new QueueId(page.last())) : Optional.empty());
    }

    private Window window(long after, int length) throws IndexException {
        if (search.among().isPresent()) {
            List<Long> next = search.among().get().stream().map(QueueId::value).filter(id -> id > after).sorted()
                    .limit(WINDOW + 1L).toList();
            boolean more = next.size() > WINDOW;
            return next.isEmpty()
                    ? new Window(after, after, false)
                    : new Window(after, next.get(Math.min(next.size(), WINDOW) - 1), more);
        }
        return reader.query("select max(id), count(*) from (select id from message where id > ? order by id limit ?) w",
                query -> {
                    query.setLong(1, after);
                    query.setInt(2, length);
                }, rows -> {
                    rows.next();
                    return new Window(after, Math.max(after, rows.getLong(1)), rows.getInt(2) == length);
                });
    }

    private Question question(Among among) {
        boolean byRecipient = !search.filter().recipient().isEmpty();
        List<Object> values = new ArrayList<>();
        StringBuilder sql = new StringBuilder("select m.id").append(byRecipient ? ", m.envelope" : "")
                // Not both conditions: H2 would read the whole range for a few ids in it.
                .append(" from message m where ")
                .append(search.among().isPresent() ? "m.id = any(?)" : "m.id > ? and m.id <= ?");
        message(sql, values);
        if (among == Among.UNTRIED) {
            sql.append(" and m.envelope is not null");
        } else if (byRecipient) {
            sql.append(" and (m.envelope is not null or exists (select 1 from recipient r where r.message_id = m.id"
                    + " and r.state = " + RecipientStatus.OPEN.code);
            recipient(sql, values);
            sql.append("))");
        }
        return new Question(sql.append(" order by m.id limit ?").toString(), values, byRecipient);
    }

    /// Adds the filter's conditions on the message, alias `m`.
    private void message(StringBuilder sql, List<Object> values) {
        QueueFilter filter = search.filter();
        sql.append(" and m.state < " + MessageStatus.CORRUPT);
        filter.state().ifPresent(state -> {
            sql.append(" and (m.state ").append(state == State.HELD ? "= " : "<> ").append(MessageStatus.HELD);
            if (!search.changing().isEmpty()) {
                bound(" or m.id = any(?)", search.changing().stream().map(QueueId::value).toArray(), sql, values);
            }
            sql.append(')');
        });
        filter.sender().ifPresent(sender -> sender(sender, sql, values));
        filter.olderThanMillis().ifPresent(age -> bound(" and m.created_millis <= ?", nowMillis - age, sql, values));
        filter.youngerThanMillis().ifPresent(age -> bound(" and m.created_millis > ?", nowMillis - age, sql, values));
        if (filter.attempts() > 0) {
            bound(" and m.attempts >= ?", filter.attempts(), sql, values);
        }
    }

    /// Adds the filter's conditions on one recipient, alias `r`.
    private void recipient(StringBuilder sql, List<Object> values) {
        search.filter().recipient().forEach(pattern -> {
            bound(" and r.local_part" + LIKE, escaped(pattern.localPart()), sql, values);
            bound(" and lower(r.domain_key)" + LIKE, escaped(pattern.domain()), sql, values);
        });
    }

    private static void sender(AddressPattern sender, StringBuilder sql, List<Object> values) {
        if (sender.isNull()) {
            sql.append(" and m.sender_local is null and m.sender_domain is null");
            return;
        }
        bound(" and m.sender_local" + LIKE, escaped(sender.localPart()), sql, values);
        bound(" and lower(m.sender_domain)" + LIKE, escaped(sender.domain()), sql, values);
    }

    private static void bound(String condition, Object value, StringBuilder sql, List<Object> values) {
        sql.append(condition);
        values.add(value);
    }

    private static String escaped(String pattern) {
        return pattern.replace("!", "!!").replace("%", "!%").replace("_", "!_").replace('*', '%');
    }

    private Candidates candidates(Question question, long after, long end, int limit) throws IndexException {
        return reader.query(question.sql(), query -> {
            int index = 1;
            if (search.among().isPresent()) {
                setIds(query, index++, after, end);
            } else {
                query.setLong(index++, after);
                query.setLong(index++, end);
            }
            for (Object value : question.values()) {
                query.setObject(index++, value);
            }
            query.setInt(index, limit);
        }, rows -> {
            List<QueueId> fitting = new ArrayList<>();
            int count = 0;
            long last = after;
            while (rows.next()) {
                count++;
                QueueId id = Rows.id(rows);
                last = id.value();
                if (!question.readsEnvelopes() || isForOne(rows)) {
                    fitting.add(id);
                }
            }
            return new Candidates(fitting, count, last);
        });
    }

    private void setIds(PreparedStatement query, int index, long after, long end) throws SQLException {
        Object[] ids = search.among().orElseThrow().stream().map(QueueId::value).filter(id -> id > after && id <= end)
                .toArray();
        query.setArray(index, query.getConnection().createArrayOf("bigint", ids));
    }

    /// For messages whose recipients have rows, the statement has checked them.
    private boolean isForOne(ResultSet row) throws SQLException {
        byte[] envelope = row.getBytes("envelope");
        if (envelope == null) {
            return true;
        }
        try {
            return Rows.decoded(envelope).recipients().stream().anyMatch(this::fits);
        } catch (IllegalArgumentException damaged) {
            return false;
        }
    }

    private boolean fits(Recipient recipient) {
        return search.filter().recipient().stream().allMatch(pattern -> pattern.matches(recipient.address()));
    }
}
