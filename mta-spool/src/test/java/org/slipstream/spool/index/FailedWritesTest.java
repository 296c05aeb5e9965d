package org.slipstream.spool.index;

import org.h2.store.fs.FileBaseDefault;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.QueueName;
import org.slipstream.spool.log.EnvelopeCodec;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.Place;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.StoredLetter;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The register's disk is full while others read. H2 2.4.240 does not survive that in two ways ([EmbeddedDatabase]); the writer comes
/// back each time, and finds what it had synced.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedWritesTest {
    private static final int FAILURES = Boolean.getBoolean("slipstream.long") ? 24 : 5;
    private static volatile int writesLeft = Integer.MAX_VALUE;

    static {
        FilePath.register(new FullDisk());
    }

    private static final int ATTEMPTS = 2_000;

    @TempDir
    Path directory;
    private volatile boolean reading = true;
    private boolean madeAgain;
    private long lastSeq;

    /// Before: the rollback released the version twice, and the next statement on the connection spun indefinitely.
    @Test
    void theWriterComesBackWhenTheDatabaseDiesInTheMiddleOfItsTransaction() throws Exception {
        QueueIndex filled = IndexDatabase.open(directory, FullDisk.SCHEME, 2);
        write(filled, letters(2_000));
        filled.close();
        QueueIndex register = IndexDatabase.open(directory, FullDisk.SCHEME, 2);
        // A read begins the transaction. Then the database dies, and the next read finds its file closed.
        List<LogRecord> changes = new AbstractList<>() {
            @Override
            public LogRecord get(int index) {
                if (index == 0) {
                    return new LogRecord.KeepHost(
                            new org.slipstream.spool.log.HostRecord("h", "k", "n", 1, 2, 3, "w", "a"));
                }
                somebodyMeetsTheFullDisk();
                return new LogRecord.Remove(new QueueId(1_000));
            }

            @Override
            public int size() {
                return 2;
            }
        };
        assertThatThrownBy(() -> write(register, changes)).isInstanceOf(IndexException.class);
        assertThat(register.recover().lastId()).isEqualTo(2_000);
        write(register, letters(1));
        register.sync();
        register.close();
    }

    /// Before: the writer's dead session took the readers' new database out of H2's list, and the file stayed locked.
    @Test
    void theWriterComesBackAlthoughAReaderHasOpenedTheDatabaseFirst() throws Exception {
        QueueIndex register = IndexDatabase.open(directory, FullDisk.SCHEME, 2);
        write(register, letters(1));
        register.sync();
        register.page(Optional.empty(), 1);
        somebodyMeetsTheFullDisk();
        readAtLast(register);
        assertThatThrownBy(() -> write(register, letters(1))).isInstanceOf(IndexException.class);
        assertThat(comeBack(register).lastId()).isEqualTo(1);
        readAtLast(register);
        write(register, letters(1));
        register.sync();
        register.close();
    }

    private void somebodyMeetsTheFullDisk() {
        try (Connection other = DriverManager.getConnection("jdbc:h2:" + FullDisk.SCHEME + ":"
                + directory.toAbsolutePath().resolve("register") + ";DB_CLOSE_ON_EXIT=FALSE;DB_CLOSE_DELAY=-1", "sa",
                "");
                Statement statement = other.createStatement()) {
            statement.execute("update standing set last_offset = last_offset");
            writesLeft = 0;
            statement.execute("checkpoint sync");
        } catch (SQLException full) {
            assertThat(writesLeft).as("%s", full).isZero();
        } finally {
            writesLeft = Integer.MAX_VALUE;
        }
    }

    private void write(QueueIndex index, List<LogRecord> records) throws IndexException {
        index.apply(records, new Position(1, lastSeq), lastSeq);
    }

    private static void readAtLast(QueueIndex register) {
        boolean read = false;
        while (!read) {
            try {
                register.page(Optional.empty(), 1);
                read = true;
            } catch (IndexException closed) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void theWriterComesBackFromEachFullDiskAlthoughOthersRead() throws Exception {
        long seed = new Random().nextLong();
        Random chance = new Random(seed);
        QueueIndex register = IndexDatabase.open(directory, FullDisk.SCHEME, 2);
        List<Thread> readers = IntStream.range(0, 2)
                .mapToObj(_ -> Thread.ofPlatform().daemon().start(() -> read(register))).toList();
        long safe = 0;
        int failures = 0;
        while (failures < FAILURES) {
            // H2 writes when enough has gathered, so the disk gets full in any statement, in a commit, in a sync.
            writesLeft = chance.nextInt(6);
            try {
                for (int group = chance.nextInt(20); group >= 0; group--) {
                    write(register, letters(chance.nextInt(1, 300)));
                }
                register.sync();
                safe = lastSeq;
            } catch (IndexException full) {
                failures++;
                writesLeft = Integer.MAX_VALUE;
                lastSeq = comeBack(register).lastId();
                safe = madeAgain ? 0 : safe;
                madeAgain = false;
                assertThat(lastSeq).as("seed " + seed).isGreaterThanOrEqualTo(safe);
            }
        }
        reading = false;
        for (Thread reader : readers) {
            reader.join();
        }
        write(register, letters(1));
        register.sync();
        assertThat(register.totals().messages()).isEqualTo(lastSeq);
        register.close();
    }

    /// As the index thread does it: again, until it succeeds. What the full disk has left may make no sense; then the index is made again.
    private QueueIndex.Standing comeBack(QueueIndex register) {
        IndexException last = new IndexException("never tried", new SQLException());
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                return register.recover();
            } catch (IndexException again) {
                last = again;
                if (IndexDamage.isBehind(again)) {
                    madeAgain |= makeAgain(register);
                }
            }
        }
        throw new AssertionError("the index does not come back", last);
    }

    private static boolean makeAgain(QueueIndex register) {
        try {
            register.makeAgain();
            return true;
        } catch (IndexException again) {
            return false;
        }
    }

    private void read(QueueIndex register) {
        while (reading) {
            try {
                register.page(Optional.empty(), 200);
            } catch (IndexException closed) {
                // The next one may succeed.
            }
        }
    }

    private List<LogRecord> letters(int count) {
        Envelope envelope = Envelope.of(Optional.of(Address.of("ann@example.org")),
                Collections.nCopies(20, Address.of("somebody.with.a.long.name@department.example.net")));
        byte[] bytes = EnvelopeCodec.encode(envelope);
        List<LogRecord> letters = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long seq = ++lastSeq;
            letters.add(new LogRecord.Stored(new StoredLetter(0, new QueueId(seq), 1, 100, envelope),
                    new Place(1, seq, false), bytes, false));
        }
        return letters;
    }

    /// H2 makes the objects.
    public static final class FullDisk extends FilePathWrapper {
        static final String SCHEME = "full";

        @Override
        public String getScheme() {
            return SCHEME;
        }

        @Override
        public FileChannel open(String mode) throws IOException {
            return new Channel(super.open(mode));
        }
    }

    private static final class Channel extends FileBaseDefault {
        private final FileChannel real;

        Channel(FileChannel real) {
            this.real = real;
        }

        private static void need() throws IOException {
            if (writesLeft <= 0) {
                throw new IOException("No space left on device");
            }
            writesLeft--;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return real.read(target, position);
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            need();
            return real.write(source, position);
        }

        @Override
        public void force(boolean metadata) throws IOException {
            need();
        }

        @Override
        public long size() throws IOException {
            return real.size();
        }

        @Override
        protected void implTruncate(long size) throws IOException {
            if (size < real.size()) {
                real.truncate(size);
            }
        }

        @Override
        public FileLock tryLock(long position, long size, boolean shared) throws IOException {
            return real.tryLock(position, size, shared);
        }

        @Override
        protected void implCloseChannel() throws IOException {
            real.close();
        }
    }
}
