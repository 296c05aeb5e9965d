package org.slipstream.config;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/// The file `shards` of a home folder.
class ShardStoreTest {
    private static final String HEAD = "slipstream-shards 1\n";

    @TempDir
    Path home;
    private ShardStore store;
    private Path spool;

    @BeforeEach
    void make() {
        store = ShardStore.in(home);
        spool = home.resolve("spool");
    }

    private StoredShard shard(int number, ShardMode mode, boolean closed) {
        return new StoredShard(number, mode, closed, number == 1 ? spool : home.resolve("spool-" + number));
    }

    @Test
    @Tag("IM-08")
    void numbersModesAndFoldersSurviveARestart() throws IOException {
        List<StoredShard> shards = List.of(shard(1, ShardMode.NORMAL, false), shard(2, ShardMode.DISABLED, false),
                new StoredShard(3, ShardMode.DRAINED, true, Path.of("/disk two/spool-3")));
        store.write(shards, 1, spool);
        assertThat(ShardStore.in(home).read()).isEqualTo(shards);
        assertThat(store.keeper()).as("the first open one").contains(1);
        store.write(shards, 2, spool);
        assertThat(ShardStore.in(home).read()).isEqualTo(shards);
        assertThat(store.keeper()).contains(2);
        assertThat(home.resolve(ShardStore.NAME)).content().contains("count 3", "shard 2 open disabled spool-2",
                "shard 3 closed drained /disk two/spool-3");
        assertThat(home.resolve(ShardStore.NAME + ".new")).doesNotExist();
    }

    @Test
    void oneShardInTheFolderOfTheSpoolNeedsNoFile() throws IOException {
        store.write(List.of(shard(1, ShardMode.NORMAL, false)), 1, spool);
        assertThat(home).isEmptyDirectory();
        assertThat(store.read()).isEmpty();
        store.write(List.of(shard(1, ShardMode.DISABLED, false)), 1, spool);
        store.write(List.of(shard(1, ShardMode.NORMAL, false)), 1, spool);
        assertThat(store.read()).as("a file that exists is corrected").containsExactly(
                shard(1, ShardMode.NORMAL, false));
    }

    @Test
    void theHomeFolderMayMove() throws IOException {
        store.write(List.of(shard(1, ShardMode.NORMAL, false), shard(2, ShardMode.NORMAL, false)), 1, spool);
        Path moved = Files.createDirectory(home.resolve("moved"));
        Files.move(home.resolve(ShardStore.NAME), moved.resolve(ShardStore.NAME));
        assertThat(ShardStore.in(moved).read()).extracting(StoredShard::folder)
                .containsExactly(moved.resolve("spool"), moved.resolve("spool-2"));
    }

    @ParameterizedTest
    @CsvSource({"count 1|shard 1 open normal spool, line 1 is not",
            "slipstream-shards 2|count 0, line 1 is not \"slipstream-shards 1\"",
            "slipstream-shards 1|count 2|shard 1 open normal spool, line 3 ends a file with 1 shards",
            "slipstream-shards 1|shard 1 open normal spool, 'its line \"count\" names none'",
            "slipstream-shards 1|count 1|shard 1 open asleep spool, 'line 3 has the mode \"asleep\"'",
            "slipstream-shards 1|count 1|shard 65 open normal spool, line 3 has the number 65",
            "slipstream-shards 1|count 1|shard 0 open normal spool, line 3 has the number 0",
            "slipstream-shards 1|count 1|shard 1 normal spool, line 3 has not the form",
            "slipstream-shards 1|count 2|shard 1 open normal a|shard 1 open normal b, line 4 names shard 1 again",
            "slipstream-shards 1|count 2|shard 1 open normal a|shard 2 open normal ./a, line 4 has the folder of shard 1",
            "'', names none"})
    void aDamagedFileIsRefusedWithItsPlaceAndTheWayOut(String lines, String sentence) throws IOException {
        Files.writeString(home.resolve(ShardStore.NAME), lines.replace('|', '\n') + "\n");
        assertThatIOException().isThrownBy(store::read).withMessageContaining(sentence)
                .withMessageContaining(home.resolve(ShardStore.NAME).toString())
                .withMessageContaining("move the file away");
    }

    @Test
    void theRecordsAreInAnOpenShard() throws IOException {
        Files.writeString(home.resolve(ShardStore.NAME),
                HEAD + "count 2\nrecords 2\nshard 1 open normal spool\nshard 2 closed drained spool-2\n");
        assertThatIOException().isThrownBy(store::keeper).withMessageContaining("line 3 names no open shard");
    }

    @Test
    void commentsAndEmptyLinesCountAsLines() {
        assertThatIOException().isThrownBy(() -> {
            Files.writeString(home.resolve(ShardStore.NAME), "# mine\n\n" + HEAD + "count 1\nshard x\n");
            store.read();
        }).withMessageContaining("line 5 ");
    }

    @Test
    void aFileThatCannotBeReadIsNotAnAbsentOne() throws IOException {
        Files.createDirectory(home.resolve(ShardStore.NAME));
        assertThatIOException().isThrownBy(store::read).withMessageContaining("cannot be read");
    }

    @Test
    void aFolderOfTwoLinesIsRefusedAndTheOldFileStays() throws IOException {
        List<StoredShard> sound = List.of(shard(2, ShardMode.NORMAL, false));
        store.write(sound, 1, spool);
        assertThatIOException().isThrownBy(
                () -> store.write(List.of(new StoredShard(2, ShardMode.NORMAL, false, Path.of("/a\nb"))), 2, spool));
        assertThat(store.read()).isEqualTo(sound);
    }
}
