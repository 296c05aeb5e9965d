package org.slipstream.spool.postgres;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;
import org.slipstream.spool.log.LargeContents;
import org.slipstream.spool.log.LogStore;
import org.slipstream.spool.log.NotOwnerException;
import org.slipstream.spool.log.UndecidedException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The log in PostgreSQL: a group is a transaction, and its octets are pages of at most 1 MiB in a ring of tables
/// ([PageTables]).
///
/// **Ownership.** The first statement of each transaction is an update of the shard's row that names the epoch.
/// When it finds no row, another node has claimed the shard since, and nothing was written. The lock of the row
/// puts a claim and a group of the former owner in order.
///
/// **A group whose commit is in doubt** ([CommitInDoubtException]). The row has the end of the log, written with
/// the group. So a later update of the row decides: it waits for the lock of the old transaction, it is confirmed
/// by the standby itself, and the end that it returns says whether the group is in. Only then the group counts as
/// committed, or as failed. When the database does not answer in time, the group has failed for its clients; the
/// next transaction that begins or settles a segment removes what may be there of it.
///
/// A group that fits into a page, which nearly all do, is one statement and one round trip beside its commit.
public final class PageStore implements LogStore {
    private static final Logger log = LoggerFactory.getLogger(PageStore.class);
    static final int PAGE_BYTES = 1 << 20;
    /// A client waits for its reply meanwhile.
    private static final Duration DECIDE = Duration.ofSeconds(12);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /// The segment that is open to append to.
    private static final class Tip {
        final long segment;
        final int ring;
        long committed;
        long sent;
        Optional<byte[]> page = Optional.empty();
        Optional<Connection> transaction = Optional.empty();
        Optional<IOException> failed = Optional.empty();

        Tip(long segment, int ring, long length) {
            this.segment = segment;
            this.ring = ring;
            committed = length;
            sent = length;
        }
    }

    /// Octets of a failed group may be in the segment from there on.
    ///
    /// @param moved messages of other spools in the group
    private record Doubt(long segment, long from, Set<QueueId> moved) {}

    /// Of the group that is appended now ([LogStore#moves]).
    private record Moves(Set<QueueId> in, Set<QueueId> withdrawn) {
        static final Moves NONE = new Moves(Set.of(), Set.of());
    }

    private final LogDatabase database;
    private final int shard;
    private final long epoch;
    private final PageTables tables;
    private final ContentRows contents;
    private final Duration lease;
    private final Duration decide;
    private final Runnable atClose;
    private final Runnable lost;
    private Optional<Tip> tip = Optional.empty();
    private Moves moves = Moves.NONE;
    private final Set<Doubt> doubts = new LinkedHashSet<>();

    private PageStore(LogClaim claim, Duration lease, Duration decide, Runnable atClose) {
        database = claim.database();
        shard = claim.shard();
        epoch = claim.epoch();
        this.lease = lease;
        this.decide = decide;
        this.atClose = atClose;
        lost = claim.lost();
        tables = new PageTables(shard);
        contents = new ContentRows(database, shard, epoch);
    }

    /// Opens the log of a shard that this node owns.
    ///
    /// @param lease for which [#danger] keeps the claim; zero: its owner does that
    /// @param atClose runs when the store is closed
    public static PageStore open(LogClaim claim, Duration lease, Runnable atClose) throws IOException {
        return open(claim, lease, DECIDE, atClose);
    }

    /// @param decide limit for the answer whether a group is in
    static PageStore open(LogClaim claim, Duration lease, Duration decide, Runnable atClose) throws IOException {
        try {
            claim.database().define(MovedMessages.TABLES + new PageTables(claim.shard()).definition());
        } catch (SQLException e) {
            throw failure(e);
        }
        return new PageStore(claim, lease, decide, atClose);
    }

    /// Only reads.
    public static PageStore toLook(LogDatabase database, int shard, Runnable atClose) {
        return new PageStore(new LogClaim(database, shard, 0), Duration.ZERO, DECIDE, atClose);
    }

    /// Claims a shard for a server without a cluster, as a node does: the former owner's lease has ended, or it was
    /// this one.
    ///
    /// @return the epoch
    public static long claim(LogDatabase database, int shard, String owner, Duration lease) throws IOException {
        try {
            OptionalLong epoch = database.transaction(on -> {
                try (PreparedStatement made = on
                        .prepareStatement("insert into shard (number) values (?) on conflict do nothing")) {
                    made.setInt(1, shard);
                    made.executeUpdate();
                }
                try (PreparedStatement claim = on.prepareStatement("update shard set epoch = epoch + 1, owner = ?,"
                        + " lease_until = clock_timestamp() + ? * interval '1 ms' where number = ?"
                        + " and (lease_until is null or lease_until < clock_timestamp() or owner = ?)"
                        + " returning epoch")) {
                    claim.setString(1, owner);
                    claim.setLong(2, lease.toMillis());
                    claim.setInt(3, shard);
                    claim.setString(4, owner);
                    return number(claim);
                }
            });
            if (epoch.isEmpty()) {
                throw new InUseException(shard, database.place());
            }
            return epoch.getAsLong();
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    /// Holds a claim without a cluster for another time. @return false when the shard has another owner
    public static boolean renew(LogDatabase database, int shard, long epoch, Duration lease) throws IOException {
        try {
            return database.transaction(on -> {
                try (PreparedStatement renewal = on.prepareStatement("update shard set lease_until ="
                        + " clock_timestamp() + ? * interval '1 ms' where number = ? and epoch = ?")) {
                    renewal.setLong(1, lease.toMillis());
                    renewal.setInt(2, shard);
                    renewal.setLong(3, epoch);
                    return renewal.executeUpdate() == 1;
                }
            });
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    /// The large contents of this log.
    public LargeContents contents() {
        return contents;
    }

    private static OptionalLong number(PreparedStatement query) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
        }
    }

    static boolean isWithoutSchema(SQLException e) {
        return "42P01".equals(e.getSQLState()) || "3F000".equals(e.getSQLState());
    }

    static IOException failure(SQLException e) {
        return new IOException("the database of the message log: " + String.valueOf(e.getMessage()).strip(), e);
    }

    static final class LostShardException extends SQLException {
        private static final long serialVersionUID = 1L;
    }

    /// The first statement of each change.
    private void requireOwner(Connection on, String change) throws SQLException {
        try (PreparedStatement update = on
                .prepareStatement("update shard set " + change + " where number = ? and epoch = ?")) {
            update.setInt(1, shard);
            update.setLong(2, epoch);
            if (epoch == 0 || update.executeUpdate() == 0) {
                throw new LostShardException();
            }
        }
    }

    private static String end(long segment, long length) {
        return "segment = " + segment + ", length = " + length;
    }

    private IOException translated(SQLException e) {
        return e instanceof LostShardException ? notOwner() : failure(e);
    }

    private NotOwnerException notOwner() {
        lost.run();
        try {
            return new NotOwnerException(epoch, read("select epoch from shard where number = " + shard).orElse(0));
        } catch (IOException e) {
            return new NotOwnerException(epoch, 0);
        }
    }

    private interface Change {
        void on(Connection connection) throws SQLException;
    }

    /// @param end of the log after the change, or `epoch = epoch`
    private void change(String end, Change change) throws IOException {
        try {
            database.transaction(on -> {
                requireOwner(on, end);
                change.on(on);
                return true;
            });
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    interface PageQuery<T> {
        T of(PreparedStatement query) throws SQLException;
    }

    /// @param missing the result without a schema, for a look
    private <T> T query(String sql, T missing, PageQuery<T> with) throws IOException {
        try {
            return database.read(on -> {
                try (PreparedStatement query = on.prepareStatement(sql)) {
                    return with.of(query);
                }
            });
        } catch (SQLException e) {
            if (epoch == 0 && isWithoutSchema(e)) {
                return missing;
            }
            throw failure(e);
        }
    }

    private OptionalLong read(String sql, long... parameters) throws IOException {
        return query(sql, OptionalLong.empty(), query -> {
            for (int i = 0; i < parameters.length; i++) {
                query.setLong(i + 1, parameters[i]);
            }
            return number(query);
        });
    }

    @Override
    public SortedSet<Long> segments() throws IOException {
        return query("select number from segment where shard = " + shard, new TreeSet<>(), query -> {
            SortedSet<Long> numbers = new TreeSet<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    numbers.add(rows.getLong(1));
                }
            }
            return numbers;
        });
    }

    private OptionalLong ring(long segment) throws IOException {
        return read("select ring from segment where shard = ? and number = ?", shard, segment);
    }

    @Override
    public long size(long segment) throws IOException {
        OptionalLong ring = ring(segment);
        return ring.isEmpty() ? 0 : length(segment, (int) ring.getAsLong());
    }

    /// The row of the shard tells of pages that are missing at the end.
    private long length(long segment, int ring) throws IOException {
        long stated = read("select length from shard where number = ? and segment = ?", shard, segment).orElse(0);
        return Math.max(stated, read(lastPage(ring), segment).orElse(0));
    }

    private String lastPage(int ring) {
        return "select at + octet_length(bytes) from " + tables.table(ring)
                + " where segment = ? order by at desc limit 1";
    }

    @Override
    public OpenSegment open(long segment) throws IOException {
        OptionalLong ring = ring(segment);
        if (ring.isEmpty()) {
            throw new NoSuchFileException("segment " + segment + " in " + database.place());
        }
        int table = (int) ring.getAsLong();
        return new PagedSegment(this::query, tables.table(table), segment, length(segment, table));
    }

    /// Runs a query, and closes it.
    interface Queries {
        <T> T query(String sql, T missing, PageQuery<T> with) throws IOException;
    }

    @Override
    public Set<String> marks() throws IOException {
        return query("select name from mark where shard = " + shard, Set.of(), query -> {
            Set<String> names = new HashSet<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    names.add(rows.getString(1));
                }
            }
            return names;
        });
    }

    @Override
    public void mark(String before, String name) throws IOException {
        change("epoch = epoch", on -> {
            update(on, "delete from mark where shard = ? and name = ?", before);
            update(on, "insert into mark (shard, name) values (?, ?) on conflict do nothing", name);
        });
    }

    @Override
    public void unmark(String name) throws IOException {
        change("epoch = epoch", on -> update(on, "delete from mark where shard = ? and name = ?", name));
    }

    private void update(Connection on, String sql, String name) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            statement.setInt(1, shard);
            statement.setString(2, name);
            statement.executeUpdate();
        }
    }

    private static void update(Connection on, String sql) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            statement.executeUpdate();
        }
    }

    @Override
    public boolean isClaimedSince() throws IOException {
        return epoch != 0 && read("select epoch from shard where number = " + shard).orElse(0) > epoch;
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public void begin(long segment, ByteBuffer first) throws IOException {
        abandon();
        byte[] page = taken(first, first.remaining());
        int[] ring = {0};
        try {
            database.transaction(on -> {
                requireOwner(on, "epoch = epoch");
                removeDoubts(on);
                requireOwner(on, end(segment, page.length));
                ring[0] = tables.next(on);
                update(on, "insert into segment (shard, number, ring) values (" + shard + ", " + segment + ", "
                        + ring[0] + ")");
                insert(on, segment, ring[0], 0, page);
                return true;
            });
        } catch (CommitInDoubtException e) {
            doubts.add(new Doubt(segment, 0, Set.of()));
            if (!isIn(segment, page.length, e)) {
                throw failure(e);
            }
        } catch (SQLException e) {
            throw translated(e);
        }
        doubts.clear();
        tip = Optional.of(new Tip(segment, ring[0], page.length));
    }

    /// Removes what may be there of a failed group. The lock of the shard's row is held, so the group's own
    /// transaction has ended.
    private void removeDoubts(Connection on) throws SQLException {
        for (Doubt failed : doubts) {
            for (int ring = 0; ring < PageTables.RING; ring++) {
                update(on, "delete from " + tables.table(ring) + " where segment = " + failed.segment()
                        + " and at >= " + failed.from());
            }
            update(on, "update shard set length = least(length, " + failed.from() + ") where number = " + shard
                    + " and segment = " + failed.segment());
            MovedMessages.remove(on, failed.moved());
            if (failed.from() == 0) {
                update(on, "delete from segment where shard = " + shard + " and number = " + failed.segment());
            }
        }
    }

    private static byte[] taken(ByteBuffer octets, int length) {
        byte[] bytes = new byte[length];
        octets.get(bytes);
        return bytes;
    }

    private void insert(Connection on, long segment, int ring, long at, byte[] page) throws SQLException {
        try (PreparedStatement insert = on.prepareStatement(
                "insert into " + tables.table(ring) + " (segment, at, bytes) values (?, ?, ?)")) {
            insert.setLong(1, segment);
            insert.setLong(2, at);
            insert.setBytes(3, page);
            insert.executeUpdate();
        }
    }

    private Tip sound() throws IOException {
        Tip open = tip.orElseThrow(() -> new IOException("no segment was begun"));
        if (open.failed.isPresent()) {
            throw open.failed.get();
        }
        return open;
    }

    @Override
    public void append(ByteBuffer octets) throws IOException {
        if (epoch == 0) {
            throw notOwner();
        }
        Tip open = sound();
        try {
            while (octets.hasRemaining()) {
                // The last page of a group goes with its commit.
                send(open);
                open.page = Optional.of(taken(octets, Math.min(PAGE_BYTES, octets.remaining())));
            }
        } catch (SQLException e) {
            throw failed(open, translated(e));
        }
    }

    private static IOException failed(Tip open, IOException why) {
        open.failed = Optional.of(why);
        return why;
    }

    private void send(Tip open) throws SQLException {
        if (open.page.isEmpty()) {
            return;
        }
        byte[] page = open.page.get();
        if (open.transaction.isEmpty()) {
            open.transaction = Optional.of(database.connect());
            insertFirst(open.transaction.get(), open, page);
        } else {
            insert(open.transaction.get(), open.segment, open.ring, open.sent, page);
        }
        open.sent += page.length;
        open.page = Optional.empty();
    }

    /// The update of the shard's row and the insertion are one statement.
    private void insertFirst(Connection on, Tip open, byte[] page) throws SQLException {
        try (PreparedStatement insert = on.prepareStatement("with owned as (update shard set segment = ?, length = ?"
                + " where number = ? and epoch = ? returning number) insert into " + tables.table(open.ring)
                + " (segment, at, bytes) select ?, ?, ? from owned")) {
            insert.setLong(1, open.segment);
            insert.setLong(2, open.sent + page.length);
            insert.setInt(3, shard);
            insert.setLong(4, epoch);
            insert.setLong(5, open.segment);
            insert.setLong(6, open.sent);
            insert.setBytes(7, page);
            if (insert.executeUpdate() == 0) {
                throw new LostShardException();
            }
        }
    }

    @Override
    public void moves(Set<QueueId> in, Set<QueueId> withdrawn) {
        moves = new Moves(Set.copyOf(in), Set.copyOf(withdrawn));
    }

    @Override
    public void commit() throws IOException {
        if (epoch == 0) {
            throw notOwner();
        }
        Tip open = sound();
        boolean isOnePage = open.transaction.isEmpty();
        if (isOnePage && open.page.isEmpty()) {
            return;
        }
        try {
            send(open);
            Connection on = open.transaction.orElseThrow();
            if (!isOnePage) {
                requireOwner(on, end(open.segment, open.sent));
            }
            contents.requireNamed(on);
            MovedMessages.remove(on, moves.withdrawn());
            MovedMessages.add(on, moves.in(), shard, epoch);
            LogDatabase.commit(on);
        } catch (CommitInDoubtException e) {
            decide(open, e);
        } catch (SQLException e) {
            throw failed(open, translated(e));
        } catch (IOException e) {
            throw failed(open, e);
        }
        release(open);
        open.committed = open.sent;
        moves = Moves.NONE;
    }

    private void decide(Tip open, CommitInDoubtException why) throws IOException {
        Doubt group = new Doubt(open.segment, open.committed, moves.in());
        doubts.add(group);
        boolean in;
        try {
            in = isIn(open.segment, open.sent, why);
        } catch (IOException unknown) {
            throw failed(open, new UndecidedException(unknown));
        }
        doubts.remove(group);
        if (!in) {
            throw failed(open, failure(why));
        }
    }

    private static void release(Tip open) {
        open.transaction.ifPresent(on -> {
            LogDatabase.rollback(on);
            LogDatabase.close(on);
        });
        open.transaction = Optional.empty();
    }

    /// Whether a transaction is in that ended the log there. Returns when that is certain, and durable.
    private boolean isIn(long segment, long length, CommitInDoubtException why) throws IOException {
        log.warn("event=commit-in-doubt shard={} error=\"{}\"", shard, why.getMessage());
        tip.ifPresent(PageStore::release);
        long until = System.nanoTime() + decide.toNanos();
        while (true) {
            try {
                boolean in = database.transaction(on -> {
                    requireOwner(on, "epoch = epoch");
                    try (PreparedStatement end = on.prepareStatement("select 1 from shard where number = " + shard
                            + " and segment = " + segment + " and length = " + length)) {
                        return number(end).isPresent();
                    }
                });
                log.info("event=commit-decided shard={} committed={}", shard, in);
                return in;
            } catch (LostShardException _) {
                throw notOwner();
            } catch (SQLException e) {
                if (System.nanoTime() - until >= 0) {
                    throw failure(e);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    @Override
    public void abandon() {
        tip.ifPresent(PageStore::release);
        tip = Optional.empty();
        moves = Moves.NONE;
    }

    @Override
    public long settle(long segment) throws IOException {
        OptionalLong ring = ring(segment);
        long[] length = {0};
        change("epoch = epoch", on -> {
            removeDoubts(on);
            if (ring.isPresent()) {
                try (PreparedStatement last = on.prepareStatement(lastPage((int) ring.getAsLong()))) {
                    last.setLong(1, segment);
                    length[0] = number(last).orElse(0);
                }
            }
        });
        doubts.clear();
        if (ring.isEmpty() || length[0] == 0) {
            throw new NoSuchFileException("segment " + segment + " in " + database.place());
        }
        return length[0];
    }

    @Override
    public void mend(long segment, ByteBuffer first) throws IOException {
        byte[] octets = taken(first, first.remaining());
        OptionalLong ring = ring(segment);
        change("epoch = epoch", on -> {
            try (PreparedStatement overlay = on.prepareStatement("update " + tables.table((int) ring.orElse(0))
                    + " set bytes = overlay(bytes placing ? from 1) where segment = ? and at = 0")) {
                overlay.setBytes(1, octets);
                overlay.setLong(2, segment);
                overlay.executeUpdate();
            }
        });
    }

    @Override
    public void delete(long segment) throws IOException {
        change("epoch = epoch",
                on -> update(on, "delete from segment where shard = " + shard + " and number = " + segment));
        try {
            change("epoch = epoch", tables::truncateEmpty);
        } catch (NotOwnerException e) {
            throw e;
        } catch (IOException e) {
            // With the next segment.
            log.info("event=pages-not-truncated shard={} error=\"{}\"", shard, e.getMessage());
        }
    }

    /// They lie among the pages of the segment, under its negative number, and go with them when their table is
    /// truncated. No standby is waited for.
    @Override
    public void addHints(long segment, boolean first, ByteBuffer chunk) throws IOException {
        OptionalLong ring = ring(segment);
        if (epoch == 0 || ring.isEmpty()) {
            return;
        }
        String table = tables.table((int) ring.getAsLong());
        byte[] octets = taken(chunk, chunk.remaining());
        try {
            database.transaction(on -> {
                update(on, "set local synchronous_commit = off");
                if (first) {
                    update(on, "delete from " + table + " where segment = " + -segment);
                }
                try (PreparedStatement insert = on.prepareStatement("insert into " + table
                        + " (segment, at, bytes) select ?, coalesce((select max(at) + 1 from " + table
                        + " where segment = ?), 0), ? from shard where number = ? and epoch = ?")) {
                    insert.setLong(1, -segment);
                    insert.setLong(2, -segment);
                    insert.setBytes(3, octets);
                    insert.setInt(4, shard);
                    insert.setLong(5, epoch);
                    return insert.executeUpdate();
                }
            });
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    @Override
    public ByteBuffer hints(long segment, long most) throws IOException {
        OptionalLong ring = ring(segment);
        if (ring.isEmpty()) {
            return ByteBuffer.allocate(0);
        }
        String of = " from " + tables.table((int) ring.getAsLong()) + " where segment = " + -segment;
        if (read("select coalesce(sum(octet_length(bytes)), 0)" + of).orElse(0) > most) {
            return ByteBuffer.allocate(0);
        }
        return query("select bytes" + of + " order by at", ByteBuffer.allocate(0), query -> {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    all.writeBytes(rows.getBytes(1));
                }
            }
            return ByteBuffer.wrap(all.toByteArray());
        });
    }

    @Override
    public Optional<String> danger() throws IOException {
        if (!lease.isZero() && !renew(database, shard, epoch, lease)) {
            throw notOwner();
        }
        try {
            return database.danger();
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    /// Another server need not wait for the end of the lease.
    @Override
    public void close() {
        abandon();
        try {
            if (!lease.isZero()) {
                renew(database, shard, epoch, Duration.ZERO);
            }
        } catch (IOException e) {
            log.info("event=lease-not-ended shard={} error=\"{}\"", shard, e.getMessage());
        }
        atClose.run();
    }
}
