package org.slipstream.server.shard;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.config.ShardSettings;
import org.slipstream.config.StoredShard;
import org.slipstream.core.SettingsRecords;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIOException;

/// The folders of shards that are missing, and those that no shard has.
class ShardFoldersTest {
    @TempDir
    Path home;

    private ShardFolders folders(Path... others) {
        return new ShardFolders(SettingsRecords.with(SettingsRecords.defaults(ShardSettings.class), "folders",
                List.of(others)), home.resolve("spool"));
    }

    private StoredShard shard(int number, ShardMode mode, boolean closed) {
        return new StoredShard(number, mode, closed, home.resolve("spool-" + number));
    }

    private Path spool(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("version"), "slipstream-spool 9\n");
        return folder;
    }

    @Test
    void aMissingFolderIsADiskThatIsNotMounted() throws IOException {
        assertThatIOException().isThrownBy(() -> folders().require(List.of(shard(2, ShardMode.NORMAL, false))))
                .withMessageContaining("shard 2 is missing").withMessageContaining("is its disk mounted?");
        Files.createDirectory(home.resolve("spool-2"));
        assertThatCode(() -> folders().require(List.of(shard(1, ShardMode.NORMAL, false),
                shard(2, ShardMode.NORMAL, false), shard(3, ShardMode.DRAINED, true)))).doesNotThrowAnyException();
    }

    @Test
    void spoolsThatNoShardHasAreFound() throws IOException {
        Path disk = home.resolve("disk");
        spool(home.resolve("spool"));
        spool(home.resolve("spool-2"));
        Path third = spool(home.resolve("spool-3"));
        Path fourth = spool(disk.resolve("spool-4"));
        Files.createDirectory(home.resolve("spool-5"));
        spool(home.resolve("spool-old"));
        spool(home.resolve("spool-06"));
        assertThat(folders(disk, home.resolve("gone")).unknown(List.of(shard(2, ShardMode.NORMAL, false))))
                .containsExactly(fourth, third);
    }
}
