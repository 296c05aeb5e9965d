package org.slipstream.spool.index;

import com.zaxxer.hikari.HikariDataSource;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.spool.index.QueueIndex.DamagedMessage;
import org.slipstream.spool.log.EnvelopeCodec;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Queries to the index. Each is one statement, so that it sees one state of the rows while the
/// writer continues. A message read in two statements would look damaged when it is removed between
/// them.
final class MessageReader {
    private static final String WITH_RECIPIENTS = "select " + Rows.SUMMARY_COLUMNS + """
            , m.body_type, m.smtp_utf8, m.envelope_id, m.dsn_return,
             p.number, p.local_part, p.domain, p.original, p.notify_bits, p.state as recipient_state,
             p.reply_code, p.reply_status, p.reply_text, p.remote, p.at_millis, p.reason
             from %s m left join recipient p on p.message_id = m.id %s order by m.id, p.number""";
    private static final String ONE = WITH_RECIPIENTS.formatted("message", "where m.id = ?");
    private static final String PAGE = WITH_RECIPIENTS
            .formatted("(select * from message where id > ? and state < 2 order by id limit ?)", "");
    private static final String SET_ASIDE = WITH_RECIPIENTS
            .formatted("(select * from message where id > ? and state = 2 order by id limit ?)", "");
    private static final String WHOLE = WITH_RECIPIENTS.formatted("message", "where m.id = any(?)");
    private static final String SOME = WITH_RECIPIENTS.formatted("message", "where m.id = any(?) and m.state < 2");

    interface Parameters {
        void fill(PreparedStatement query) throws SQLException;
    }

    interface ResultReader<T> {
        T read(ResultSet rows) throws SQLException;
    }

    private final HikariDataSource pool;

    MessageReader(HikariDataSource pool) {
        this.pool = pool;
    }

    <T> T query(String sql, Parameters parameters, ResultReader<T> result) throws IndexException {
        try (Connection connection = pool.getConnection()) {
            try {
                return query(connection, sql, parameters, result);
            } catch (SQLException e) {
                // The pool would lend the connection for half a second before it checks whether it
                // is alive.
                pool.evictConnection(connection);
                throw e;
            }
        } catch (SQLException e) {
            throw new IndexException("cannot read the index", e);
        }
    }

    static <T> T query(Connection connection, String sql, Parameters parameters, ResultReader<T> result)
            throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            parameters.fill(query);
            try (ResultSet rows = query.executeQuery()) {
                return result.read(rows);
            }
        }
    }

    List<Recipient> openRecipients(QueueId id, int after, int limit) throws IndexException, DamagedRowsException {
        try {
            // Rows of recipients are never removed while the message exists; the message may get
            // them between the two queries.
            Optional<List<Recipient>> untried = after == 0 ? complete(id) : untried(id);
            if (untried.isPresent()) {
                return untried.get().stream().filter(each -> each.number() > after).limit(limit).toList();
            }
            return query("select number, local_part, domain, original, notify_bits from recipient"
                    + " where message_id = ? and number > ? and state = 0 order by number limit ?", query -> {
                        query.setLong(1, id.value());
                        query.setInt(2, after);
                        query.setInt(3, limit);
                    }, rows -> {
                        List<Recipient> recipients = new ArrayList<>();
                        while (rows.next()) {
                            recipients.add(Rows.recipient(rows));
                        }
                        return recipients;
                    });
        } catch (IllegalArgumentException e) {
            throw new DamagedRowsException(id, String.valueOf(e.getMessage()));
        }
    }

    private Optional<List<Recipient>> complete(QueueId id) throws IndexException {
        return query("select " + Rows.SUMMARY_COLUMNS + " from message m where m.id = ?",
                query -> query.setLong(1, id.value()), rows -> {
                    if (!rows.next()) {
                        return Optional.empty();
                    }
                    Rows.summary(rows);
                    return Rows.untried(rows);
                });
    }

    private Optional<List<Recipient>> untried(QueueId id) throws IndexException {
        return query("select recipients, envelope from message where id = ? and envelope is not null",
                query -> query.setLong(1, id.value()), rows -> rows.next() ? Rows.untried(rows) : Optional.empty());
    }

    Optional<MessageDetails> message(QueueId id) throws IndexException, DamagedRowsException {
        QueueIndex.MessagePage page = query(ONE, query -> query.setLong(1, id.value()), MessageReader::messagePage);
        if (!page.damaged().isEmpty()) {
            throw new DamagedRowsException(id, page.damaged().getFirst().what());
        }
        return page.messages().stream().findFirst();
    }

    QueueIndex.MessagePage page(Optional<QueueId> after, int limit) throws IndexException {
        return page(PAGE, after, limit);
    }

    QueueIndex.MessagePage setAside(Optional<QueueId> after, int limit) throws IndexException {
        return page(SET_ASIDE, after, limit);
    }

    private QueueIndex.MessagePage page(String sql, Optional<QueueId> after, int limit) throws IndexException {
        return query(sql, query -> {
            query.setLong(1, after.map(QueueId::value).orElse(0L));
            query.setInt(2, limit);
        }, MessageReader::messagePage);
    }

    QueueIndex.MessagePage messages(List<QueueId> ids) throws IndexException {
        return messages(SOME, ids);
    }

    QueueIndex.MessagePage whole(List<QueueId> ids) throws IndexException {
        return messages(WHOLE, ids);
    }

    private QueueIndex.MessagePage messages(String sql, List<QueueId> ids) throws IndexException {
        Object[] values = ids.stream().map(QueueId::value).toArray();
        return query(sql, query -> query.setArray(1, query.getConnection().createArrayOf("bigint", values)),
                MessageReader::messagePage);
    }

    /// Rows of one message follow each other; each also carries the message's columns.
    private static QueueIndex.MessagePage messagePage(ResultSet rows) throws SQLException {
        List<MessageDetails> messages = new ArrayList<>();
        List<DamagedMessage> damaged = new ArrayList<>();
        boolean more = rows.next();
        while (more) {
            long id = rows.getLong("id");
            try {
                Building message = new Building(rows);
                do {
                    message.add(rows);
                    more = rows.next();
                } while (more && rows.getLong("id") == id);
                messages.add(message.toDetails());
            } catch (IllegalArgumentException e) {
                damaged.add(new DamagedMessage(new QueueId(id), String.valueOf(e.getMessage())));
                while (more && rows.getLong("id") == id) {
                    more = rows.next();
                }
            }
        }
        return new QueueIndex.MessagePage(messages, damaged);
    }

    private static final class Building {
        private final MessageSummary summary;
        private final long nextMillis;
        private final BodyType body;
        private final boolean smtpUtf8;
        private final Optional<String> envelopeId;
        private final DsnReturn returns;
        private final Origin origin;
        private final Optional<List<Recipient>> untried;
        private final List<RecipientState> recipients = new ArrayList<>();

        Building(ResultSet row) throws SQLException {
            summary = Rows.summary(row);
            nextMillis = row.getLong("next_millis");
            body = EnvelopeCodec.bodyType(row.getInt("body_type"));
            smtpUtf8 = row.getBoolean("smtp_utf8");
            envelopeId = Optional.ofNullable(row.getString("envelope_id"));
            returns = EnvelopeCodec.dsnReturn(row.getInt("dsn_return"));
            origin = Rows.origin(row);
            untried = Rows.untried(row);
            untried.ifPresent(all -> all.forEach(each -> recipients
                    .add(new RecipientState(each, RecipientStatus.OPEN, Optional.empty(), 0,
                            Optional.empty()))));
        }

        void add(ResultSet row) throws SQLException {
            // Without recipient rows the outer join yields one row of nulls.
            if (untried.isEmpty()) {
                recipients.add(Rows.indexedRecipient(row));
            }
        }

        MessageDetails toDetails() {
            var envelope = new Envelope(summary.sender(), body, smtpUtf8, envelopeId, returns,
                    recipients.stream().map(RecipientState::recipient).toList(), summary.options(), origin);
            return new MessageDetails(summary, envelope, nextMillis, recipients);
        }
    }
}
