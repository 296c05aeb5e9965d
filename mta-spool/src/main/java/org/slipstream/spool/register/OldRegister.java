package org.slipstream.spool.register;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import org.h2.jdbcx.JdbcDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.spool.box.EnvelopeCodec;
import org.slipstream.spool.box.LetterBox;
import org.slipstream.spool.box.Place;
import org.slipstream.spool.register.Register.Registered;
import org.slipstream.spool.register.Register.RegisteredRecipient;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import static java.util.stream.Collectors.partitioningBy;

/// What a register that was set aside can still tell the one that was made anew from the box.
///
/// The box knows letters, who has had them, and what is held. It does not know when a message is due next, whether its sender was told
/// of the delay, and what was learnt about hosts. Without that nothing is lost, but every deferred message is tried at once and every
/// sender is told once more. So the old file is opened for reading and its tables are read row by row, for as long as rows come.
/// Much damage keeps H2 from opening a file at all, and then nothing comes.
///
/// And the box does not know a letter whose own record is damaged or missing. The old register does: such a message is entered as set
/// aside, with its sender, its recipients and what became of them, so that an operator can see it and its sender can be told.
///
/// The rows may be wrong: H2 has no checksum over what its pages hold. Hence nothing is taken that could do harm: a time further away
/// than a message ever waits for its next attempt is left out, and that message is due at once.
public final class OldRegister {
    private static final Logger LOG = LoggerFactory.getLogger(OldRegister.class);
    private static final long LONGEST_WAIT_MILLIS = TimeUnit.DAYS.toMillis(1);
    /// Segments are numbered from 1; no box gets here, and a damaged row may.
    private static final long MOST_SEGMENTS = 1L << 40;
    private static final int BATCH = 1000;
    private static final Register.Doubt NO_DOUBT = new Register.Doubt(Long.MAX_VALUE, Long.MAX_VALUE);

    private final Register target;
    private final long sweptUpTo;
    private final Set<Long> segments;
    private final MessageReader reader;
    private final List<Change> waiting = new ArrayList<>();
    private final List<Row> unsure = new ArrayList<>();
    private final Set<QueueId> lost = new HashSet<>();
    private long carried;

    private OldRegister(Register target, LetterBox box, HikariDataSource file) {
        this.target = target;
        sweptUpTo = box.sweptUpTo();
        segments = box.segments();
        reader = new MessageReader(file);
    }

    private interface Reading {
        void of(ResultSet row) throws SQLException, RegisterException;
    }

    /// What the old register says of where a letter lies.
    private record Row(QueueId id, long seq, Place place, boolean setAside) {}

    /// @param file the old register, under its new name
    /// @param target has been filled from the box
    /// @return messages that only the old register knows; they are set aside in the target
    public static Set<QueueId> carryOver(Path file, Register target, LetterBox box, long nowMillis)
            throws RegisterException {
        try (HikariDataSource pool = RegisterDatabase.pool(source(file), 2, 0);
                Connection open = pool.getConnection()) {
            OldRegister old = new OldRegister(target, box, pool);
            old.carryOver(open, nowMillis);
            target.barrier();
            LOG.info("event=old-register-read file={} carried={} lost={}", file, old.carried, old.lost.size());
            return old.lost;
        } catch (SQLException | PoolInitializationException e) {
            LOG.info("event=old-register-not-read file={} error=\"{}\"", file, e.toString());
            return Set.of();
        }
    }

    private void carryOver(Connection open, long nowMillis) throws RegisterException {
        read(open, "select id, next_millis from message where next_millis > " + nowMillis + " and next_millis <= "
                + (nowMillis + LONGEST_WAIT_MILLIS),
                row -> add(new Change.NextAttempt(new QueueId(row.getLong(1)), row.getLong(2))));
        read(open, "select id from message where delay_notified",
                row -> add(new Change.DelayReported(new QueueId(row.getLong(1)))));
        read(open, HostRows.ALL, row -> add(new Change.KeepHost(HostRows.readOne(row))));
        send();
        Register.Doubt doubt = doubt();
        read(open, "select id, seq, box_segment, box_offset, own_file, state from message order by id",
                row -> consider(doubt, row));
        enterUnknown();
    }

    private static DataSource source(Path file) {
        String path = file.toAbsolutePath().toString();
        JdbcDataSource source = new JdbcDataSource();
        source.setUser("sa");
        source.setPassword("");
        source.setURL("jdbc:h2:file:" + path.substring(0, path.length() - ".mv.db".length())
                + ";ACCESS_MODE_DATA=r;IFEXISTS=TRUE;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"
                + ";DB_CLOSE_ON_EXIT=FALSE;TRACE_LEVEL_FILE=0");
        return source;
    }

    /// As far as rows come; what follows a page that cannot be read stays where it is.
    private void read(Connection connection, String query, Reading reading) throws RegisterException {
        try (PreparedStatement statement = connection.prepareStatement(query);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                reading.of(rows);
            }
        } catch (SQLException | RuntimeException e) {
            LOG.debug("event=old-register-not-read query=\"{}\" error=\"{}\"", query, e.toString());
        }
    }

    private void add(Change change) throws RegisterException {
        waiting.add(change);
        if (waiting.size() >= BATCH) {
            send();
        }
    }

    private void send() throws RegisterException {
        if (!waiting.isEmpty()) {
            target.write(waiting);
            carried += waiting.size();
            waiting.clear();
        }
    }

    private Register.Doubt doubt() {
        try {
            return reader.query("select safe_seq, doubt_from_id from standing", _ -> {},
                    rows -> rows.next() ? new Register.Doubt(rows.getLong(1), rows.getLong(2)) : NO_DOUBT);
        } catch (RegisterException | RuntimeException e) {
            return NO_DOUBT;
        }
    }

    private void consider(Register.Doubt doubt, ResultSet row) throws SQLException, RegisterException {
        long segment = row.getLong(3);
        Row read = new Row(new QueueId(row.getLong(1)), row.getLong(2),
                new Place(segment < 0 || segment > MOST_SEGMENTS ? 0 : segment, row.getLong(4), row.getBoolean(5)),
                row.getInt(6) == MessageStatus.CORRUPT);
        boolean finished = read.place().segment() <= sweptUpTo;
        boolean inDoubt = read.seq() > doubt.safeSeq() && read.id().value() >= doubt.fromId()
                && segments.contains(read.place().segment());
        if (read.setAside() || !finished && !inDoubt) {
            unsure.add(read);
        }
        if (unsure.size() >= BATCH) {
            enterUnknown();
        }
    }

    private void enterUnknown() throws RegisterException {
        Set<QueueId> known = target.known(unsure.stream().map(Row::id).toList());
        for (Row row : unsure) {
            if (!known.contains(row.id())) {
                enter(row);
            }
        }
        unsure.clear();
        send();
    }

    private void enter(Row row) throws RegisterException {
        try {
            Optional<Registered> message = reader.message(row.id());
            if (message.isPresent()) {
                waiting.addAll(changes(row, message.get()));
                lost.add(row.id());
            }
        } catch (RegisterException | DamagedRowsException | RuntimeException e) {
            LOG.warn(
                    "event=message-lost queue={} reason=\"only the old register names it, and its rows make no sense: {}\"",
                    row.id(), e.getMessage());
        }
    }

    /// What became of recipients comes in the order of a message's life: what was reported, that it was, and the rest.
    private static List<Change> changes(Row row, Registered message) {
        QueueId id = row.id();
        Envelope envelope = message.envelope();
        List<Change> changes = new ArrayList<>();
        changes.add(new Change.Enter(id, 0, row.place(), message.summary().sizeBytes(),
                message.summary().createdMillis(), envelope, EnvelopeCodec.encode(envelope)));
        Map<Boolean, List<RegisteredRecipient>> tried = message.recipients().stream()
                .filter(each -> each.last().isPresent())
                .collect(partitioningBy(each -> each.status() == RecipientStatus.FAILED_AND_REPORTED));
        if (!tried.get(true).isEmpty()) {
            tried.get(true).forEach(each -> changes.add(outcome(id, each)));
            changes.add(new Change.FailuresReported(id));
        }
        tried.get(false).forEach(each -> changes.add(outcome(id, each)));
        if (message.summary().delayNotified()) {
            changes.add(new Change.DelayReported(id));
        }
        changes.add(new Change.SetAside(id));
        return changes;
    }

    private static Change outcome(QueueId id, RegisteredRecipient recipient) {
        return new Change.Noted(id, new RecipientOutcome(recipient.recipient().number(), recipient.last().get()),
                recipient.atMillis());
    }
}
