package org.slipstream.spool.register;

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
import org.slipstream.spool.box.EnvelopeCodec;
import org.slipstream.spool.box.Place;

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
    private static final int FAILURES = 12;
    private static volatile int writesLeft = Integer.MAX_VALUE;

    static {
        FilePath.register(new FullDisk());
    }

    @TempDir
    Path directory;
    private volatile boolean reading = true;
    private long lastSeq;

    /// Before: the rollback released the version twice, and the next statement on the connection spun indefinitely.
    @Test
    void theWriterComesBackWhenTheDatabaseDiesInTheMiddleOfItsTransaction() throws Exception {
        Register filled = RegisterDatabase.open(directory, FullDisk.SCHEME, 2);
        filled.write(letters(2_000));
        filled.close();
        Register register = RegisterDatabase.open(directory, FullDisk.SCHEME, 2);
        // A read begins the transaction. Then the database dies, and the next read finds its file closed.
        List<Change> changes = new AbstractList<>() {
            @Override
            public Change get(int index) {
                if (index == 0) {
                    return new Change.Claim(QueueName.INCOMING, 0, 10, 0, 0, Long.MAX_VALUE);
                }
                somebodyMeetsTheFullDisk();
                return new Change.Remove(new QueueId(1_000));
            }

            @Override
            public int size() {
                return 2;
            }
        };
        assertThatThrownBy(() -> register.write(changes)).isInstanceOf(RegisterException.class);
        assertThat(register.recover().lastSeq()).isEqualTo(2_000);
        register.write(letters(1));
        register.barrier();
        register.close();
    }

    /// Before: the writer's dead session took the readers' new database out of H2's list, and the file stayed locked.
    @Test
    void theWriterComesBackAlthoughAReaderHasOpenedTheDatabaseFirst() throws Exception {
        Register register = RegisterDatabase.open(directory, FullDisk.SCHEME, 2);
        register.write(letters(1));
        register.barrier();
        register.page(Optional.empty(), 1);
        somebodyMeetsTheFullDisk();
        readAtLast(register);
        assertThatThrownBy(() -> register.write(letters(1))).isInstanceOf(RegisterException.class);
        assertThat(comeBack(register).lastSeq()).isEqualTo(1);
        readAtLast(register);
        register.write(letters(1));
        register.barrier();
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

    private static void readAtLast(Register register) {
        boolean read = false;
        while (!read) {
            try {
                register.page(Optional.empty(), 1);
                read = true;
            } catch (RegisterException closed) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void theWriterComesBackFromEachFullDiskAlthoughOthersRead() throws Exception {
        long seed = new Random().nextLong();
        Random chance = new Random(seed);
        Register register = RegisterDatabase.open(directory, FullDisk.SCHEME, 2);
        List<Thread> readers = IntStream.range(0, 2)
                .mapToObj(_ -> Thread.ofPlatform().daemon().start(() -> read(register))).toList();
        long safe = 0;
        int failures = 0;
        while (failures < FAILURES) {
            // H2 writes when enough has gathered, so the disk gets full in any statement, in a commit, in a sync.
            writesLeft = chance.nextInt(6);
            try {
                for (int group = chance.nextInt(20); group >= 0; group--) {
                    register.write(letters(chance.nextInt(1, 300)));
                }
                register.barrier();
                safe = lastSeq;
            } catch (RegisterException full) {
                failures++;
                writesLeft = Integer.MAX_VALUE;
                lastSeq = comeBack(register).lastSeq();
                assertThat(lastSeq).as("seed " + seed).isGreaterThanOrEqualTo(safe);
            }
        }
        reading = false;
        for (Thread reader : readers) {
            reader.join();
        }
        register.write(letters(1));
        register.barrier();
        assertThat(register.totals().messages()).isEqualTo(lastSeq);
        register.close();
    }

    /// As the writer does it: again, until it succeeds.
    private static Register.Standing comeBack(Register register) {
        while (true) {
            try {
                return register.recover();
            } catch (RegisterException again) {
                Thread.onSpinWait();
            }
        }
    }

    private void read(Register register) {
        while (reading) {
            try {
                register.page(Optional.empty(), 200);
            } catch (RegisterException closed) {
                // The next one may succeed.
            }
        }
    }

    private List<Change> letters(int count) {
        Envelope envelope = Envelope.of(Optional.of(Address.of("ann@example.org")),
                Collections.nCopies(20, Address.of("somebody.with.a.long.name@department.example.net")));
        byte[] bytes = EnvelopeCodec.encode(envelope);
        List<Change> letters = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long seq = ++lastSeq;
            letters.add(new Change.Enter(new QueueId(seq), seq, new Place(1, seq, false), 100, 1, envelope, bytes));
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
