package org.slipstream.spool.index;

import org.jspecify.annotations.Nullable;
import org.slipstream.core.Address;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.spool.log.DamagedMessageException;
import org.slipstream.spool.log.EnvelopeCodec;

import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/// Decodes rows. A row that cannot be decoded is an IllegalArgumentException here and damage for
/// the caller.
final class Rows {
    /// Columns of a summary, alias `m` for message. The three counts are computed, not stored, so
    /// they cannot contradict the recipients. A recipient in an unknown state is not counted, so
    /// its message is set aside; it must not pass for finished. An untried message has no recipient
    /// rows: all its recipients are open.
    static final String SUMMARY_COLUMNS = """
            m.id, m.size_bytes, m.created_millis, m.next_millis, m.state, m.attempts, m.delay_reports, m.recipients,
            m.sender_local, m.sender_domain,
            case when m.envelope is not null then m.recipients else
             (select count(*) from recipient r where r.message_id = m.id and r.state between 0 and 3)
             end as recipient_rows,
            case when m.envelope is not null then m.recipients else
             (select count(*) from recipient r where r.message_id = m.id and r.state = 0) end as open_rows,
            case when m.envelope is not null then 0 else
             (select count(*) from recipient r where r.message_id = m.id and r.state = 2) end as failed_rows,
            m.envelope, m.options, m.origin,
            m.ending, m.ending_reason, m.reroute, m.priority, m.hold_author, m.hold_millis, m.hold_reason""";

    private Rows() {}

    static QueueId id(ResultSet row) throws SQLException {
        return new QueueId(row.getLong("id"));
    }

    /// Needs [#SUMMARY_COLUMNS].
    static MessageSummary summary(ResultSet row) throws SQLException {
        int recipients = row.getInt("recipients");
        int rows = row.getInt("recipient_rows");
        if (recipients < 1 || rows != recipients) {
            throw new IllegalArgumentException(rows + " of " + recipients + " recipients");
        }
        return new MessageSummary(id(row), sender(row), row.getLong("created_millis"), row.getLong("size_bytes"),
                recipients, row.getInt("open_rows"), row.getInt("failed_rows"), row.getInt("attempts"),
                row.getInt("state") == MessageStatus.HELD, row.getInt("delay_reports"), options(row),
                InstructionRows.read(row));
    }

    private static DeliveryOptions options(ResultSet row) throws SQLException {
        byte[] bytes = row.getBytes("options");
        try {
            return InstructionRows.with(row,
                    bytes == null ? DeliveryOptions.NONE : EnvelopeCodec.decodeOptions(ByteBuffer.wrap(bytes)));
        } catch (DamagedMessageException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    static Origin origin(ResultSet row) throws SQLException {
        byte[] bytes = row.getBytes("origin");
        try {
            return bytes == null ? Origin.UNKNOWN : EnvelopeCodec.decodeOrigin(ByteBuffer.wrap(bytes));
        } catch (DamagedMessageException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static Optional<Address> sender(ResultSet row) throws SQLException {
        String localPart = row.getString("sender_local");
        String domain = row.getString("sender_domain");
        if (localPart == null && domain == null) {
            return Optional.empty();
        }
        return Optional.of(address(localPart, domain));
    }

    private static Address address(@Nullable String localPart, @Nullable String domain) {
        if (localPart == null || domain == null) {
            throw new IllegalArgumentException("half an address");
        }
        if (!Address.isDomain(domain)) {
            throw new IllegalArgumentException("no domain: " + domain);
        }
        return new Address(localPart, domain);
    }

    /// The recipients of an untried message; empty when they have rows.
    static Optional<List<Recipient>> untried(ResultSet row) throws SQLException {
        byte[] bytes = row.getBytes("envelope");
        if (bytes == null) {
            return Optional.empty();
        }
        List<Recipient> recipients = decoded(bytes).recipients();
        if (recipients.size() != row.getInt("recipients")) {
            throw new IllegalArgumentException(recipients.size() + " recipients in the envelope");
        }
        return Optional.of(recipients);
    }

    static Envelope decoded(byte[] bytes) {
        try {
            return EnvelopeCodec.decode(ByteBuffer.wrap(bytes));
        } catch (DamagedMessageException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    static Recipient recipient(ResultSet row) throws SQLException {
        return new Recipient(row.getInt("number"), address(row.getString("local_part"), row.getString("domain")),
                Optional.ofNullable(row.getString("original")), EnvelopeCodec.notifyOn(row.getInt("notify_bits")));
    }

    static RecipientState indexedRecipient(ResultSet row) throws SQLException {
        return new RecipientState(recipient(row), RecipientStatus.of(row.getInt("recipient_state")),
                outcome(row), row.getLong("at_millis"), reason(row));
    }

    private static Optional<QueuePhase.Code> reason(ResultSet row) throws SQLException {
        return Optional.ofNullable(row.getString("reason")).flatMap(QueuePhase.Code::of);
    }

    private static Optional<Outcome> outcome(ResultSet row) throws SQLException {
        int code = row.getInt("reply_code");
        if (row.wasNull()) {
            return Optional.empty();
        }
        Optional<EnhancedStatus> status = Optional.ofNullable(row.getString("reply_status")).map(EnhancedStatus::of);
        String text = row.getString("reply_text");
        String remote = row.getString("remote");
        if (text == null || remote == null) {
            throw new IllegalArgumentException("half an outcome");
        }
        return Optional.of(Outcome.of(new Reply(code, status, List.of(text.split("\n", -1))), remote));
    }
}
