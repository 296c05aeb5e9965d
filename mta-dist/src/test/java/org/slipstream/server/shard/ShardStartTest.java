package org.slipstream.server.shard;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.config.ShardSettings;
import org.slipstream.config.StoredShard;
import org.slipstream.core.SettingsRecords;
import org.slipstream.qmgr.shard.ConcurrencyInUse;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/// The shards of a start, as arithmetic. `2n` is an open normal shard 2, `d` disabled, `x` drained;
/// in capitals it is closed.
class ShardStartTest {
    private static final Path SPOOL = Path.of("/home/spool");

    private static ShardStart start(int first, int count, int maximum) {
        return new ShardStart(SettingsRecords.with(SettingsRecords.defaults(ShardSettings.class),
                Map.of("start", first, "count", count, "maximum", maximum)), SPOOL);
    }

    private static ShardMode mode(String text) {
        return switch (text.toLowerCase(java.util.Locale.ROOT).charAt(text.length() - 1)) {
            case 'n' -> ShardMode.NORMAL;
            case 'd' -> ShardMode.DISABLED;
            default -> ShardMode.DRAINED;
        };
    }

    private static int number(String text) {
        return Integer.parseInt(text.substring(0, text.length() - 1));
    }

    private static List<String> words(String text) {
        return text == null || text.isBlank() ? List.of() : Arrays.asList(text.split(" "));
    }

    private static List<StoredShard> stored(String text) {
        return words(text).stream()
                .map(each -> new StoredShard(number(each), mode(each),
                        Character.isUpperCase(each.charAt(each.length() - 1)), Path.of("/disk/spool-" + number(each))))
                .toList();
    }

    private static List<Integer> numbers(List<StoredShard> shards) {
        return shards.stream().map(StoredShard::number).toList();
    }

    @ParameterizedTest
    @CsvSource({"1, 1, '', 1", "1, 3, '', 1 2 3", "5, 2, '', 5 6", "1, 1, 1n 2n 3d, 1 2 3", "1, 3, 1n 2N, 1 2 3",
            "1, 2, 1n 2X, 1", "1, 3, 1n 2X 3n, 1 3", "1, 3, 1n 2X, 1 3", "7, 1, 1n, 1", "1, 1, 1n 2x, 1 2"})
    @Tag("IM-01")
    void theShardsOfTheLastRunAreOpenedAndThoseOfTheSettings(int first, int count, String stored, String open) {
        assertThat(numbers(start(first, count, 20).toOpen(stored(stored)))).containsExactlyElementsOf(
                words(open).stream().map(Integer::valueOf).toList());
    }

    @Test
    void aFolderIsWhereItWasOpenedAndThatOfShardOneWhereTheSettingsSay() {
        assertThat(start(1, 3, 20).toOpen(stored("1n 2n"))).extracting(StoredShard::folder)
                .containsExactly(SPOOL, Path.of("/disk/spool-2"), Path.of("/home/spool-3"));
    }

    @Test
    void theFoldersOfTheSettingsAreUsedInTurn() {
        ShardSettings settings = SettingsRecords.with(SettingsRecords.defaults(ShardSettings.class),
                Map.of("count", 4, "folders", List.of(Path.of("/a"), Path.of("/b"))));
        assertThat(new ShardStart(settings, SPOOL).toOpen(List.of())).extracting(StoredShard::folder).containsExactly(
                SPOOL, Path.of("/a/spool-2"), Path.of("/b/spool-3"), Path.of("/a/spool-4"));
    }

    private static List<ShardLoad> loads(String text) {
        List<ShardLoad> loads = new ArrayList<>();
        for (String each : words(text)) {
            boolean empty = each.endsWith("-");
            String shard = empty ? each.substring(0, each.length() - 1) : each;
            loads.add(new ShardLoad(number(shard), ConcurrencyInUse.NONE, ConcurrencyInUse.NONE, mode(shard), empty));
        }
        return loads;
    }

    /// A shard with `-` is empty.
    @ParameterizedTest
    @CsvSource({"1, 1n 2n 3n- 4n-, 3 4", "1, 1n- 2n- 3n-, 2 3", "2, 1n- 2n- 3n-, 3", "1, 1n- 2n 3n-, 3",
            "1, 1n- 2n- 3n, ''", "3, 1n- 2n-, ''", "1, 1n 2d- 3n-, 3", "1, 1n 2n 3d-, ''", "3, 1n 2x- 3n, 2",
            "1, 1n 2x 3n-, 3", "1, 1x- 2n, ''", "1, 1n 2x- 3x-, 2 3"})
    @Tag("IM-08")
    void emptyShardsFromTheTopAreClosedAtAStart(int count, String opened, String closed) {
        assertThat(start(1, count, 20).toClose(loads(opened))).containsExactlyInAnyOrderElementsOf(
                words(closed).stream().map(Integer::valueOf).toList());
    }

    @ParameterizedTest
    @CsvSource({"1n, 2", "1n 2n, 3", "1n 2N, 2", "1n 2X, 3", "1n 2D, 3", "1n 3n, 4", "1n 3n 4n 5n, 2",
            "1n 2X 3n 4n 5n, ",
            "1n 2n 3n 4n 5n, "})
    void theNextShardIsAboveTheHighestOrAFreeNumber(String stored, Integer next) {
        assertThat(start(1, 1, 5).next(stored(stored)).map(StoredShard::number).orElse(null)).isEqualTo(next);
    }

    @Test
    void aShardThatOpensAgainHasItsOwnFolder() {
        assertThat(start(1, 1, 5).next(stored("1n 2N"))).hasValueSatisfying(shard -> {
            assertThat(shard.folder()).isEqualTo(Path.of("/disk/spool-2"));
            assertThat(shard.closed()).isFalse();
        });
    }
}
