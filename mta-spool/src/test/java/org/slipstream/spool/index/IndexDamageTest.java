package org.slipstream.spool.index;

import org.h2.api.ErrorCode;
import org.h2.message.DbException;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.Position;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.concurrent.ExecutionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/// Which failures cause a new index, and which only prevent a start.
class IndexDamageTest {
    @TempDir
    Path directory;

    private static MVStoreException store(int code, Throwable cause) {
        return DataUtils.newMVStoreException(code, "as H2 says it", cause);
    }

    private static boolean isDamage(Throwable h2) {
        return IndexDamage.isBehind(new IndexException("cannot read", DbException.convert(h2).getSQLException()));
    }

    @ParameterizedTest
    @ValueSource(ints = {DataUtils.ERROR_FILE_CORRUPT, DataUtils.ERROR_SERIALIZATION, DataUtils.ERROR_CHUNK_NOT_FOUND,
            DataUtils.ERROR_BLOCK_NOT_FOUND, DataUtils.ERROR_TRANSACTION_CORRUPT, DataUtils.ERROR_UNKNOWN_DATA_TYPE})
    void errorsOfTheStoreAboutItsFileAreDamage(int code) {
        assertThat(isDamage(store(code, null))).isTrue();
        assertThat(isDamage(store(DataUtils.ERROR_CLOSED, store(code, null)))).as("closed because of it").isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {DataUtils.ERROR_WRITING_FAILED, DataUtils.ERROR_CLOSED, DataUtils.ERROR_FILE_LOCKED,
            DataUtils.ERROR_UNSUPPORTED_FORMAT, DataUtils.ERROR_TRANSACTION_LOCKED})
    void errorsOfTheStoreAboutItsEnvironmentAreNoDamage(int code) {
        assertThat(isDamage(store(code, null))).isFalse();
        assertThat(isDamage(store(DataUtils.ERROR_INTERNAL, new ExecutionException(store(code, null))))).isFalse();
    }

    @Test
    void aFullDiskIsNoneHoweverDeepItLies() {
        MVStoreException full = store(DataUtils.ERROR_WRITING_FAILED, new IOException("No space left on device"));
        assertThat(isDamage(full)).isFalse();
        assertThat(isDamage(store(DataUtils.ERROR_INTERNAL, new ExecutionException(
                store(DataUtils.ERROR_INTERNAL, new ExecutionException(full)))))).isFalse();
    }

    @Test
    void aFileClosedByAnInterruptIsNone() {
        assertThat(isDamage(store(DataUtils.ERROR_READING_FAILED, new ClosedByInterruptException()))).isFalse();
        assertThat(isDamage(store(DataUtils.ERROR_INTERNAL, new InterruptedException()))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {ErrorCode.LOCK_TIMEOUT_1, ErrorCode.DEADLOCK_1, ErrorCode.CONCURRENT_UPDATE_1,
            ErrorCode.STATEMENT_WAS_CANCELED})
    void aLockOrACancelledStatementIsNone(int code) {
        assertThat(isDamage(DbException.get(code, "message"))).isFalse();
    }

    @Test
    void whatTheTableDoesNotKnowIsASuspicionAndNoCertainty() {
        IndexException unknown = new IndexException("cannot read",
                DbException.convert(new IllegalStateException("page")).getSQLException());
        assertThat(IndexDamage.isBehind(unknown)).isTrue();
        assertThat(IndexDamage.isCertain(unknown)).isFalse();
        assertThat(IndexDamage.isCertain(new IndexException("cannot read",
                DbException.convert(store(DataUtils.ERROR_FILE_CORRUPT, null)).getSQLException()))).isTrue();
    }

    @Test
    void noMemoryIsNone() {
        assertThat(isDamage(new OutOfMemoryError("heap"))).isFalse();
    }

    @Test
    void aFileThatEndsTooEarlyIsDamage() {
        assertThat(isDamage(store(DataUtils.ERROR_READING_FAILED, new EOFException()))).isTrue();
    }

    @Test
    void aFailureWhileDecodingPagesIsDamage() {
        for (Throwable decoding : List.of(new ArrayIndexOutOfBoundsException(7), new IllegalStateException("page"),
                new AssertionError("map"), new NullPointerException())) {
            assertThat(isDamage(store(DataUtils.ERROR_INTERNAL, decoding))).as("%s", decoding).isTrue();
            assertThat(isDamage(decoding)).as("%s", decoding).isTrue();
        }
    }

    @Test
    void aFullDiskUnderTheLogIsNotTheIndexsFault() {
        assertThat(IndexDamage.isBehind(new IOException("No space left on device"))).isFalse();
        assertThat(IndexDamage.isBehind(new IllegalStateException("a mistake of our own"))).isFalse();
    }

    @Test
    void aDatabaseThatWasClosedUnderUsIsNone() throws Exception {
        QueueIndex index = IndexDatabase.open(directory, 1);
        index.sync();
        try (Connection other = DriverManager.getConnection("jdbc:h2:file:" + directory.resolve("index"), "sa",
                "")) {
            other.createStatement().execute("shutdown immediately");
        } catch (java.sql.SQLException alsoClosed) {
            // It closes our connection, too.
        }
        Throwable failure = catchThrowable(index::standing);
        assertThat(failure == null || !IndexDamage.isBehind(failure)).as("%s", failure).isTrue();
        failure = catchThrowable(() -> index.apply(List.of(new LogRecord.ForgetHost("a", "b")), Position.START, 0));
        assertThat(failure).isInstanceOf(IndexException.class);
        assertThat(IndexDamage.isBehind(failure)).as("%s", failure).isFalse();
        index.close();
    }

    @Test
    void aFileThatIsNoDatabaseIsDamage() throws Exception {
        Files.write(directory.resolve(IndexDatabase.FILE_NAME), new byte[20_000]);
        Throwable failure = catchThrowable(() -> IndexDatabase.open(directory, 1));
        assertThat(IndexDamage.isBehind(failure)).as("%s", failure).isTrue();
    }

    @Test
    void aCatalogueThatIsNoSqlAnyMoreIsDamage() throws Exception {
        IndexDatabase.open(directory, 1).close();
        Path file = directory.resolve(IndexDatabase.FILE_NAME);
        byte[] bytes = Files.readAllBytes(file);
        byte[] from = "CREATE INDEX".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        for (int at = 0; at < bytes.length - from.length; at++) {
            if (java.util.Arrays.equals(bytes, at, at + from.length, from, 0, from.length)) {
                bytes[at + 1] = 'B';
            }
        }
        Files.write(file, bytes);
        Throwable failure = catchThrowable(() -> IndexDatabase.open(directory, 1).close());
        assertThat(failure).isNotNull();
        assertThat(IndexDamage.isBehind(failure)).as("%s", failure).isTrue();
    }
}
