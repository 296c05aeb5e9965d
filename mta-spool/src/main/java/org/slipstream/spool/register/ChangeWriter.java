package org.slipstream.spool.register;

import org.slipstream.core.Envelope;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.spool.box.EnvelopeCodec;
import org.slipstream.spool.box.Place;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Executes changes on one connection, in one transaction per call. Belongs to the writer thread.
///
/// **Batches without disorder.** Statements are collected by kind and sent kind by kind, in the order of [Kind]: inserts
/// of a hundred messages go in one batch. Changes of different messages may pass each other on the way; that is not
/// observable, because the transaction shows all of them or none. Changes of the *same* message must not, so when one
/// arrives whose kind is sent earlier than something that already waits for this message, everything that waits is sent
/// first. In the life of a message (outcome, then report, then next attempt or removal) that hardly ever happens: the order
/// of kinds is the order of that life. Claims look at all messages, and so does "everything due now": they also send first.
final class ChangeWriter implements AutoCloseable {
    private enum Kind {
        ENTER_MESSAGE(
                """
                insert into message (id, seq, box_segment, box_offset, own_file, size_bytes, created_millis, next_millis,
                 state, attempts, delay_notified, recipients, sender_local, sender_domain, body_type, smtp_utf8,
                 envelope_id, dsn_return) values (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, false, ?, ?, ?, ?, ?, ?, ?)"""), ENTER_RECIPIENT(
                        """
                insert into recipient (message_id, number, local_part, domain, domain_key, original, notify_bits, state,
                 at_millis) values (?, ?, ?, ?, ?, ?, ?, 0, 0)"""), OUTCOME("""
                update recipient set state = ?, reply_code = ?, reply_status = ?, reply_text = ?, remote = ?, at_millis = ?
                 where message_id = ? and number = ?"""), ATTEMPT(
                                "update message set attempts = attempts + 1 where id = ?"), FAILURES_REPORTED(
                                        "update recipient set state = 3 where message_id = ? and state = 2"), DELAY_REPORTED(
                                                "update message set delay_notified = true where id = ?"), NEXT_ATTEMPT(
                                                        "update message set next_millis = ? where id = ?"), HOLD(
                                                                "update message set state = ? where id = ? and state <> 2"), SET_ASIDE(
                                                                        "update message set state = 2 where id = ?"), REMOVE_RECIPIENTS(
                                                                                "delete from recipient where message_id = ?"), REMOVE_MESSAGE(
                                                                                        "delete from message where id = ?");

        final String sql;

        Kind(String sql) {
            this.sql = sql;
        }
    }

    private static final class Batch {
        final PreparedStatement statement;
        int waiting;

        Batch(PreparedStatement statement) {
            this.statement = statement;
        }

        void add() throws SQLException {
            statement.addBatch();
            waiting++;
        }
    }

    private final Connection connection;
    private final Map<Kind, Batch> batches = new EnumMap<>(Kind.class);
    private final Map<Long, Kind> latest = new HashMap<>();
    private final List<Long> removals = new ArrayList<>();
    private final PreparedStatement places;
    private final PreparedStatement advance;
    private final ClaimWriter claims;
    private final HostWriter hosts;
    private Map<QueueId, Place> freed = new LinkedHashMap<>();
    private Register.Standing standing;

    /// @param connection without auto-commit
    ChangeWriter(Connection connection, Register.Standing standing) throws SQLException {
        this.connection = connection;
        this.standing = standing;
        for (Kind kind : Kind.values()) {
            batches.put(kind, new Batch(connection.prepareStatement(kind.sql)));
        }
        places = connection
                .prepareStatement("select id, box_segment, box_offset, own_file from message where id = any(?)");
        advance = connection.prepareStatement(
                "update standing set last_seq = ?, last_id = ?, last_segment = ?, last_offset = ? where one = 1");
        claims = new ClaimWriter(connection);
        hosts = new HostWriter(connection);
    }

    Register.Written write(List<Change> changes) throws SQLException {
        try {
            List<Register.Claims> answers = new ArrayList<>();
            Register.Standing reached = standing;
            for (Change change : changes) {
                reached = reached(reached, change);
                if (change instanceof Change.Claim claim) {
                    send();
                    answers.add(claims.claim(claim));
                } else {
                    add(change);
                }
            }
            send();
            hosts.send();
            advance(reached);
            connection.commit();
            standing = reached;
            return new Register.Written(freed, answers);
        } catch (SQLException | RuntimeException e) {
            forget();
            throw e;
        } finally {
            freed = new LinkedHashMap<>();
        }
    }

    private void add(Change change) throws SQLException {
        switch (change) {
            case Change.Enter enter -> enter(enter);
            case Change.Outcomes outcomes -> outcomes(outcomes);
            case Change.FailuresReported(QueueId id) -> addForId(Kind.FAILURES_REPORTED, id);
            case Change.DelayReported(QueueId id) -> addForId(Kind.DELAY_REPORTED, id);
            case Change.NextAttempt(QueueId id, long atMillis) -> addForId(Kind.NEXT_ATTEMPT, atMillis, id);
            case Change.Hold(QueueId id, boolean held) ->
                addForId(Kind.HOLD, held ? MessageStatus.HELD : MessageStatus.QUEUED, id);
            case Change.SetAside(QueueId id) -> addForId(Kind.SET_ASIDE, id);
            case Change.Remove(QueueId id) -> {
                ordered(Kind.REMOVE_MESSAGE, id);
                removals.add(id.value());
            }
            case Change.Withdraw(List<QueueId> ids) -> withdraw(ids);
            case Change.WithdrawRange(long first, long last) -> withdraw(first, last);
            case Change.MakeDue makeDue -> makeDue(makeDue);
            case Change.Hosts changed -> hosts.add(changed);
            case Change.Claim _ -> throw new IllegalStateException("a claim is answered, not added");
        }
    }

    /// Sends what waits when the new change must not pass it.
    private PreparedStatement ordered(Kind kind, QueueId id) throws SQLException {
        Kind before = latest.put(id.value(), kind);
        if (before != null && before.compareTo(kind) > 0) {
            send();
            latest.put(id.value(), kind);
        }
        return batches.get(kind).statement;
    }

    private void addForId(Kind kind, QueueId id) throws SQLException {
        PreparedStatement statement = ordered(kind, id);
        statement.setLong(1, id.value());
        batches.get(kind).add();
    }

    private void addForId(Kind kind, long value, QueueId id) throws SQLException {
        PreparedStatement statement = ordered(kind, id);
        statement.setLong(1, value);
        statement.setLong(2, id.value());
        batches.get(kind).add();
    }

    private void enter(Change.Enter enter) throws SQLException {
        Envelope envelope = enter.envelope();
        PreparedStatement message = batches.get(Kind.ENTER_MESSAGE).statement;
        message.setLong(1, enter.id().value());
        message.setLong(2, enter.seq());
        message.setLong(3, enter.place().segment());
        message.setLong(4, enter.place().offset());
        message.setBoolean(5, enter.place().ownFile());
        message.setLong(6, enter.sizeBytes());
        message.setLong(7, enter.createdMillis());
        message.setLong(8, enter.createdMillis());
        message.setInt(9, envelope.recipients().size());
        message.setString(10, envelope.sender().map(sender -> sender.localPart()).orElse(null));
        message.setString(11, envelope.sender().map(sender -> sender.domain()).orElse(null));
        message.setInt(12, EnvelopeCodec.code(envelope.body()));
        message.setBoolean(13, envelope.smtpUtf8());
        message.setString(14, envelope.envelopeId().orElse(null));
        message.setInt(15, EnvelopeCodec.code(envelope.returns()));
        batches.get(Kind.ENTER_MESSAGE).add();
        for (Recipient recipient : envelope.recipients()) {
            enter(enter.id(), recipient);
        }
    }

    private void enter(QueueId id, Recipient recipient) throws SQLException {
        PreparedStatement row = batches.get(Kind.ENTER_RECIPIENT).statement;
        row.setLong(1, id.value());
        row.setInt(2, recipient.number());
        row.setString(3, recipient.address().localPart());
        row.setString(4, recipient.address().domain());
        row.setString(5, recipient.address().domainKey());
        row.setString(6, recipient.original().orElse(null));
        row.setInt(7, EnvelopeCodec.bits(recipient.notifyOn()));
        batches.get(Kind.ENTER_RECIPIENT).add();
    }

    private void outcomes(Change.Outcomes change) throws SQLException {
        PreparedStatement row = ordered(Kind.OUTCOME, change.id());
        boolean deferred = false;
        for (RecipientOutcome each : change.outcomes()) {
            Outcome outcome = each.outcome();
            deferred |= outcome instanceof Outcome.Deferred;
            row.setInt(1, RecipientStatus.after(outcome).code);
            row.setInt(2, outcome.reply().code());
            row.setString(3, outcome.reply().status().map(Object::toString).orElse(null));
            // PostgreSQL takes no NUL in a text; it says nothing in a reply either.
            row.setString(4, String.join("\n", outcome.reply().lines()).replace('\0', ' '));
            row.setString(5, outcome.remote().replace('\0', ' '));
            row.setLong(6, change.atMillis());
            row.setLong(7, change.id().value());
            row.setInt(8, each.number());
            batches.get(Kind.OUTCOME).add();
        }
        if (deferred) {
            // Not by addForId: outcomes and the count of attempts do not disturb each other.
            Batch attempts = batches.get(Kind.ATTEMPT);
            attempts.statement.setLong(1, change.id().value());
            attempts.add();
        }
    }

    private void withdraw(List<QueueId> ids) throws SQLException {
        send();
        for (QueueId id : ids) {
            delete(id.value());
        }
        send(Kind.REMOVE_RECIPIENTS);
        send(Kind.REMOVE_MESSAGE);
    }

    private void withdraw(long first, long last) throws SQLException {
        send();
        try (PreparedStatement rows = connection.prepareStatement("select id from message where seq between ? and ?")) {
            rows.setLong(1, first);
            rows.setLong(2, last);
            try (ResultSet ids = rows.executeQuery()) {
                while (ids.next()) {
                    delete(ids.getLong(1));
                }
            }
        }
        send(Kind.REMOVE_RECIPIENTS);
        send(Kind.REMOVE_MESSAGE);
    }

    private void makeDue(Change.MakeDue change) throws SQLException {
        send();
        StringBuilder sql = new StringBuilder("update message set next_millis = ? where next_millis > ?");
        if (change.id().isPresent()) {
            sql.append(" and id = ?");
        }
        if (change.domain().isPresent()) {
            sql.append(" and id in (select message_id from recipient where domain_key = ? and state = 0)");
        }
        try (PreparedStatement update = connection.prepareStatement(sql.toString())) {
            int index = 1;
            update.setLong(index++, change.nowMillis());
            update.setLong(index++, change.nowMillis());
            if (change.id().isPresent()) {
                update.setLong(index++, change.id().get().value());
            }
            if (change.domain().isPresent()) {
                update.setString(index++, change.domain().get().toLowerCase(java.util.Locale.ROOT));
            }
            update.executeUpdate();
        }
    }

    private void send() throws SQLException {
        remove();
        for (Kind kind : Kind.values()) {
            send(kind);
        }
        latest.clear();
    }

    private void send(Kind kind) throws SQLException {
        Batch batch = batches.get(kind);
        if (batch.waiting > 0) {
            batch.waiting = 0;
            batch.statement.executeBatch();
        }
    }

    /// One query for all removals of a group: their places.
    private void remove() throws SQLException {
        if (removals.isEmpty()) {
            return;
        }
        Array ids = connection.createArrayOf("bigint", removals.toArray());
        places.setArray(1, ids);
        try (ResultSet rows = places.executeQuery()) {
            while (rows.next()) {
                freed.put(new QueueId(rows.getLong(1)),
                        new Place(rows.getLong(2), rows.getLong(3), rows.getBoolean(4)));
            }
        }
        ids.free();
        for (long id : removals) {
            delete(id);
        }
        removals.clear();
    }

    private void delete(long id) throws SQLException {
        Batch recipients = batches.get(Kind.REMOVE_RECIPIENTS);
        recipients.statement.setLong(1, id);
        recipients.add();
        Batch message = batches.get(Kind.REMOVE_MESSAGE);
        message.statement.setLong(1, id);
        message.add();
    }

    private static Register.Standing reached(Register.Standing before, Change change) {
        return change instanceof Change.Enter enter
                ? new Register.Standing(Math.max(before.lastSeq(), enter.seq()),
                        Math.max(before.lastId(), enter.id().value()), enter.place().segment(), enter.place().offset())
                : before;
    }

    private void advance(Register.Standing reached) throws SQLException {
        if (!reached.equals(standing)) {
            advance.setLong(1, reached.lastSeq());
            advance.setLong(2, reached.lastId());
            advance.setLong(3, reached.segment());
            advance.setLong(4, reached.offset());
            advance.executeUpdate();
        }
    }

    private void forget() {
        try {
            removals.clear();
            latest.clear();
            for (Batch batch : batches.values()) {
                batch.waiting = 0;
                batch.statement.clearBatch();
            }
            hosts.forget();
            connection.rollback();
        } catch (SQLException e) {
            // The connection is of no use any more; whoever called will take a new one.
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
