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
import org.slipstream.spool.log.EnvelopeCodec;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.RecordPlace;
import org.slipstream.spool.log.StoredMessage;

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
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The index's disk is full while others read. H2 2.4.240 does not survive that in two ways
/// ([EmbeddedDatabase]); the writer recovers each time, and finds its synced data.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedWritesTest {
    private static final int FAILURES = Boolean.getBoolean("slipstream.long") ? 24 : 5;
    private static volatile int writesLeft = Integer.MAX_VALUE;

    static {
        FilePath.register(new FullDisk());
    }

    @TempDir
    Path directory;
    private volatile boolean reading = true;
    private boolean madeAgain;
    private long lastSeq;

    /// Before: the rollback released the version twice, and the next statement on the connection
    /// spun indefinitely.
    @Test
    void theWriterComesBackWhenTheDatabaseDiesInTheMiddleOfItsTransaction() throws Exception {
        QueueIndex filled = IndexDatabase.open(directory, FullDisk.SCHEME, 2);
        write(filled, messages(2_000));
        filled.close();
        QueueIndex index = IndexDatabase.open(directory, FullDisk.SCHEME, 2);
        // A read begins the transaction. Then the database dies, and the next read finds its file
        // closed.
        List<LogRecord> changes = new AbstractList<>() {
            @Override
            public LogRecord get(int index) {
                if (index == 0) {
                    return new LogRecord.KeepHost(
                            new org.slipstream.spool.log.HostRecord("h", "k", "n", 1, 2, 3, "w", "a"));
                }
                aReaderMeetsTheFullDisk();
                return new LogRecord.Remove(new QueueId(1_000));
            }

            @Override
            public int size() {
                return 2;
            }
        };
        assertThatThrownBy(() -> write(index, changes)).isInstanceOf(IndexException.class);
        assertThat(index.recover().lastId()).isEqualTo(2_000);
        write(index, messages(1));
        index.sync();
        index.close();
    }

    /// Before: the writer's dead session removed the readers' new database from H2's list, and the
    /// file stayed locked.
    @Test
    void theWriterComesBackAlthoughAReaderHasOpenedTheDatabaseFirst() throws Exception {
        QueueIndex index = IndexDatabase.open(directory, FullDisk.SCHEME, 2);
        write(index, messages(1));
        index.sync();
        index.page(Optional.empty(), 1);
        aReaderMeetsTheFullDisk();
        readAtLast(index);
        assertThatThrownBy(() -> write(index, messages(1))).isInstanceOf(IndexException.class);
        assertThat(comeBack(index).lastId()).isEqualTo(1);
        readAtLast(index);
        write(index, messages(1));
        index.sync();
        index.close();
    }

    private void aReaderMeetsTheFullDisk() {
        try (Connection other = DriverManager.getConnection("jdbc:h2:" + FullDisk.SCHEME + ":"
                + directory.toAbsolutePath().resolve("index") + ";DB_CLOSE_ON_EXIT=FALSE;DB_CLOSE_DELAY=-1", "sa",
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

    private static void readAtLast(QueueIndex index) {
        boolean read = false;
        while (!read) {
            try {
                index.page(Optional.empty(), 1);
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
        QueueIndex index = IndexDatabase.open(directory, FullDisk.SCHEME, 2);
        List<Thread> readers = IntStream.range(0, 2)
                .mapToObj(_ -> Thread.ofPlatform().daemon().start(() -> read(index))).toList();
        long safe = 0;
        int failures = 0;
        while (failures < FAILURES) {
            // H2 writes when enough has gathered, so the disk gets full in any statement, in a
            // commit, in a sync.
            writesLeft = chance.nextInt(6);
            try {
                for (int group = chance.nextInt(20); group >= 0; group--) {
                    write(index, messages(chance.nextInt(1, 300)));
                }
                index.sync();
                safe = lastSeq;
            } catch (IndexException full) {
                failures++;
                writesLeft = Integer.MAX_VALUE;
                lastSeq = comeBack(index).lastId();
                safe = madeAgain ? 0 : safe;
                madeAgain = false;
                assertThat(lastSeq).as("seed " + seed).isGreaterThanOrEqualTo(safe);
            }
        }
        reading = false;
        for (Thread reader : readers) {
            reader.join();
        }
        write(index, messages(1));
        index.sync();
        assertThat(index.totals().messages()).isEqualTo(lastSeq);
        index.close();
    }

    /// As the index thread does it: again, until it succeeds. The rest on the full disk may be
    /// unreadable; then the index is rebuilt.
    private QueueIndex.Standing comeBack(QueueIndex index) {
        while (true) {
            try {
                return index.recover();
            } catch (IndexException again) {
                if (IndexDamage.isBehind(again)) {
                    madeAgain |= makeAgain(index);
                }
            }
        }
    }

    private static boolean makeAgain(QueueIndex index) {
        try {
            index.makeAgain();
            return true;
        } catch (IndexException again) {
            return false;
        }
    }

    private void read(QueueIndex index) {
        while (reading) {
            try {
                index.page(Optional.empty(), 200);
            } catch (IndexException closed) {
                // The next one may succeed.
            }
        }
    }

    private List<LogRecord> messages(int count) {
        Envelope envelope = Envelope.of(Optional.of(Address.of("ann@example.org")),
                Collections.nCopies(20, Address.of("somebody.with.a.long.name@department.example.net")));
        byte[] bytes = EnvelopeCodec.encode(envelope);
        List<LogRecord> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long seq = ++lastSeq;
            messages.add(new LogRecord.Stored(new StoredMessage(new QueueId(seq), 1, 100, envelope),
                    new RecordPlace(1, seq, false), bytes, false));
        }
        return messages;
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
