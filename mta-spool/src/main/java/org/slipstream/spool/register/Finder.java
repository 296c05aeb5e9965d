package org.slipstream.spool.register;

import org.slipstream.core.AddressPattern;
import org.slipstream.core.QueueFilter;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Finds messages by what an operator knows of them, a bounded piece of the queue at a time.
///
/// **A window.** Nothing but ids and times has an index that would help: a sender that nobody has would be looked for in every
/// row. So one question looks at the next [#WINDOW] messages in order of id and no further, and its answer says where to go
/// on; whoever wants all of a long queue asks again and again, and a reader thread is never taken for longer than a window
/// takes. There is no OFFSET, which would count again from the beginning, and no list longer than a window.
///
/// The other indexes must not be taken: that of the states has the whole queue in one of its ranges, that of the domains all
/// mail of a large provider, and both would be read for each window, the second for each message of it. So states are written
/// as what they are not, and a domain, which is in lower case already, once more as such: neither has an index then, in H2 or
/// in PostgreSQL, and what is left is the primary key, from the window's beginning to its end.
///
/// **Recipients** have rows only when something is known of one of them ([Expansion]). Until then the envelope lies in the
/// message's row as bytes, of which SQL makes nothing. So a search for a recipient asks for messages with such a row *or* with an
/// envelope, [#ENVELOPES] at a time, and reads those envelopes here. Tried or untried makes no difference to who asks: a
/// message fits when a recipient who still waits for it fits all patterns at once. An envelope that cannot be read fits nothing;
/// who lists the queue sets its message aside.
///
/// What the operator typed goes into statements as values only. In patterns `%`, `_` and the escape character are escaped, so
/// that of all characters the star alone stands for others.
final class Finder {
    static final int WINDOW = 20_000;
    /// Each may have 16 KiB.
    static final int ENVELOPES = 500;

    private static final String LIKE = " like ? escape '!'";

    private record Window(long after, long end, boolean more) {}

    private record Candidates(List<QueueId> fitting, int rows, long last) {}

    private record Question(String sql, List<Object> values, boolean readsEnvelopes) {}

    private final MessageReader reader;
    private final Search search;
    private final long nowMillis;

    /// For one search.
    Finder(MessageReader reader, Search search, long nowMillis) {
        this.reader = reader;
        this.search = search;
        this.nowMillis = nowMillis;
    }

    Register.Found find(Optional<QueueId> after, int limit) throws RegisterException {
        Window window = window(after.map(QueueId::value).orElse(0L));
        Question question = question();
        int most = Math.min(limit, WINDOW) + 1;
        int pageRows = question.readsEnvelopes() ? ENVELOPES : most;
        List<QueueId> found = new ArrayList<>();
        long from = window.after();
        Candidates page;
        do {
            page = candidates(question, from, window.end(), pageRows);
            found.addAll(page.fitting());
            from = page.last();
        } while (page.rows() == pageRows && found.size() < most);
        if (found.size() >= most) {
            List<QueueId> shown = List.copyOf(found.subList(0, most - 1));
            return new Register.Found(shown, Optional.of(shown.getLast()));
        }
        return new Register.Found(found, window.more() ? Optional.of(new QueueId(window.end())) : Optional.empty());
    }

    private Window window(long after) throws RegisterException {
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
                    query.setInt(2, WINDOW);
                }, rows -> {
                    rows.next();
                    return new Window(after, Math.max(after, rows.getLong(1)), rows.getInt(2) == WINDOW);
                });
    }

    private Question question() {
        QueueFilter filter = search.filter();
        boolean byRecipient = !filter.recipient().isEmpty();
        List<Object> values = new ArrayList<>();
        StringBuilder sql = new StringBuilder("select m.id").append(byRecipient ? ", m.envelope" : "")
                // Not both: H2 would read the whole range for a few ids in it.
                .append(" from message m where ")
                .append(search.among().isPresent() ? "m.id = any(?)" : "m.id > ? and m.id <= ?");
        sql.append(" and m.state < " + MessageStatus.CORRUPT);
        filter.state().ifPresent(state -> sql.append(switch (state) {
            case HELD -> " and m.state <> " + MessageStatus.QUEUED;
            case ACTIVE, DEFERRED -> " and m.state <> " + MessageStatus.HELD;
        }));
        filter.sender().ifPresent(sender -> sender(sender, sql, values));
        filter.olderThanMillis().ifPresent(age -> bound(" and m.created_millis <= ?", nowMillis - age, sql, values));
        filter.youngerThanMillis().ifPresent(age -> bound(" and m.created_millis > ?", nowMillis - age, sql, values));
        if (filter.attempts() > 0) {
            bound(" and m.attempts >= ?", filter.attempts(), sql, values);
        }
        if (byRecipient) {
            sql.append(" and (m.envelope is not null or exists (select 1 from recipient r where r.message_id = m.id"
                    + " and r.state = " + RecipientStatus.OPEN.code);
            filter.recipient().forEach(pattern -> {
                bound(" and r.local_part" + LIKE, escaped(pattern.localPart()), sql, values);
                bound(" and lower(r.domain_key)" + LIKE, escaped(pattern.domain()), sql, values);
            });
            sql.append("))");
        }
        return new Question(sql.append(" order by m.id limit ?").toString(), values, byRecipient);
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

    private Candidates candidates(Question question, long after, long end, int limit) throws RegisterException {
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
                if (!search.except().contains(id) && (!question.readsEnvelopes() || isForOne(rows))) {
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

    /// Where the recipients have rows, the statement has looked at them.
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
