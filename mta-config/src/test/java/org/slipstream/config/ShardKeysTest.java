package org.slipstream.config;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.qmgr.shard.ShardRules;
import org.slipstream.qmgr.shard.ShardRules.Growth;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/// The section `[shard]`, and the mistakes in it.
class ShardKeysTest {
    @TempDir
    Path home;

    private ReadResult read(String text, String... overrides) throws IOException {
        Files.writeString(home.resolve(SettingsSource.FILE), text);
        return ConfigReader.read(SettingsSource.in(home), "box.example.net", List.of(overrides));
    }

    private Config config(String text, String... overrides) throws IOException {
        ReadResult result = read(text, overrides);
        assertThat(result).as(() -> String.valueOf(result)).isInstanceOf(ReadResult.Accepted.class);
        return ((ReadResult.Accepted) result).config();
    }

    @Test
    void withoutASettingThereIsOneShardInTheFolderOfTheSpool() throws IOException {
        Config config = config("");
        assertThat(config.shard().first()).containsExactly(1);
        assertThat(config.shard().folder(config.spool().directory(), 1)).isEqualTo(home.resolve("spool"));
        assertThat(config.shard().rules()).isEqualTo(new ShardRules(Growth.STATIC, 20, 90));
    }

    @Test
    @Tag("IM-01")
    void numbersBeginAtTheStartAndFoldersAreBesideTheSpool() throws IOException {
        Config config = config("[spool]\ndirectory = \"queue\"\n", "shard.start=3", "shard.count=2");
        assertThat(config.shard().first()).containsExactly(3, 4);
        assertThat(config.shard().folder(config.spool().directory(), 3)).isEqualTo(home.resolve("queue-3"));
    }

    @Test
    @Tag("IM-01")
    void theFoldersOfTheSettingsAreUsedInTurn() throws IOException {
        Config config = config("[shard]\nfolders = [\"/disk2\", \"disk3\"]\n");
        assertThat(List.of(1, 2, 3, 4).stream()
                .map(shard -> config.shard().folder(config.spool().directory(), shard)).toList()).containsExactly(
                        home.resolve("spool"), Path.of("/disk2/spool-2"), home.resolve("disk3/spool-3"),
                        Path.of("/disk2/spool-4"));
    }

    @ParameterizedTest
    @CsvSource({"static, STATIC", "dynamic, DYNAMIC", "keep-count, KEEP_COUNT"})
    @Tag("IM-03")
    void theModeIsOneOfThree(String word, Growth growth) throws IOException {
        assertThat(config("", "shard.mode=" + word, "shard.maximum=5", "shard.load=70").shard().rules())
                .isEqualTo(new ShardRules(growth, 5, 70));
    }

    @Test
    @Tag("IM-21")
    void aShardMayHaveLimitsOfItsOwnAndZeroHoldsASide() throws IOException {
        assertThat(config("").lanesOfShard(1)).isEmpty();
        assertThat(config("[shard]\nlocal-lanes = 10\nremote-lanes = 0\n").lanesOfShard(1))
                .containsExactly(Map.entry("smtp", 0), Map.entry("lmtp", 0), Map.entry("local", 10),
                        Map.entry("discard", 0));
        assertThat(config("[shard]\nlocal-lanes = 10\n[transport.relay]\nkind = \"smtp\"\n[transport.lists]\n"
                + "kind = \"local\"\n", "shard.local-lanes=auto", "shard.remote-lanes=7").lanesOfShard(1))
                .containsOnlyKeys("smtp", "lmtp", "discard", "relay").containsEntry("relay", 7);
    }

    @Test
    void aNodeOfAClusterNeedsADatabaseAndAName() throws IOException {
        assertThat(String.valueOf(read("[cluster]\nnode = \"a\"\n")))
                .contains("a node of a cluster has its messages in a PostgreSQL");
        assertThat(String.valueOf(read("[cluster]\nnode = \"a b\"\n"))).contains("a name of letters, digits");
        assertThat(config("[cluster]\nnode = \"a\"\n", "spool.engine=postgresql",
                "spool.database=jdbc:postgresql://db.example/x").cluster().node()).contains("a");
    }

    @Test
    @Tag("IM-21")
    void aSingleShardMayHaveLimitsOfItsOwn() throws IOException {
        Config config = config("[shard]\nlocal-lanes = 10\nremote-lanes = 20\n[shard.\"2\"]\nremote-lanes = 3\n"
                + "[shard.\"3\"]\nlocal-lanes = 0\n", "shard.3.remote-lanes=auto");
        assertThat(config.lanesOfShard(1)).containsEntry("local", 10).containsEntry("smtp", 20);
        assertThat(config.lanesOfShard(2)).containsEntry("local", 10).containsEntry("smtp", 3);
        assertThat(config.lanesOfShard(3)).containsOnly(Map.entry("local", 0));
        assertThat(List.of(config.lanesOfShard(2, false, 3), config.lanesOfShard(3, false, 3)))
                .as("the limit of the load").containsExactly(3, 34);
    }

    @ParameterizedTest
    @CsvSource({"2, remote = 3, the keys local-lanes and remote-lanes", "65, remote-lanes = 3, its number from 1 to 64",
            "x, remote-lanes = 3, its number from 1 to 64", "2, remote-lanes = -1, a whole number from 0 to 100000"})
    void aMistakeInTheSectionOfAShardHasItsPlace(String number, String line, String sentence) throws IOException {
        assertThat(((ReadResult.Rejected) read("[shard.\"" + number + "\"]\n" + line + "\n")).problems().stream()
                .map(Problem::toString).collect(Collectors.joining("\n"))).contains("mta.toml:2", sentence);
    }

    @ParameterizedTest
    @CsvSource({"100, , 1, 100", "100, 20, 1, 100", "100, , 2, 50", "100, , 3, 34", "100, 20, 3, 20", "10, 20, 3, 10",
            "100, 0, 3, 0"})
    @Tag("IM-04")
    void theLoadIsAgainstTheLimitOfTheShardOrItsShare(int server, Integer own, int shards, int limit) {
        assertThat(ShardSettings.share(server, Optional.ofNullable(own), shards)).isEqualTo(limit);
    }

    @Test
    @Tag("IM-04")
    void theLimitOfASideIsTheSumOverItsTransportsWithRoutes() throws IOException {
        String limits = "[transport.smtp]\nlanes = 100\n[transport.lmtp]\nlanes = 10\n[transport.local]\nlanes = 7\n"
                + "[transport.relay]\nkind = \"smtp\"\nlanes = 30\n[transport.lists]\nkind = \"local\"\nlanes = 3\n"
                + "[transport.unused]\nkind = \"lmtp\"\nlanes = 1000\n";
        Config plain = config(limits);
        assertThat(List.of(plain.lanesOfShard(1, true, 1), plain.lanesOfShard(1, false, 1))).containsExactly(7, 100);
        Config routed = config(limits
                + "[local]\ndomains = [\"c.example\"]\n[routes]\n\"a.example\" = \"relay\"\n\"b.example\" = \"lmtp:127.0.0.1:24\"\n"
                + "\"c.example\" = \"lists\"\n");
        assertThat(List.of(routed.lanesOfShard(1, true, 1), routed.lanesOfShard(1, false, 1))).containsExactly(10, 140);
        assertThat(routed.lanesOfShard(1, false, 2)).as("the share of one of two").isEqualTo(70);
        Config store = config("[transport.lmtp]\nlanes = 10\n[local]\ndelivery = \"lmtp:127.0.0.1:24\"\n[routes]\n"
                + "\"*\" = \"discard\"\n[transport.discard]\nlanes = 5\n");
        assertThat(List.of(store.lanesOfShard(1, true, 1), store.lanesOfShard(1, false, 1))).as("Dovecot and no SMTP")
                .containsExactly(0, 15);
    }

    @ParameterizedTest
    @CsvSource({"count = 30, shard.count (30) is more than shard.maximum (20)",
            "maximum = 65, a whole number from 1 to 64", "count = 0, a whole number from 1 to 64",
            "start = 50, allow a shard 69", "start = 50, set shard.maximum = 15",
            "remote-lanes = \"off\", a whole number from 0 to 100000",
            "load = 101, a whole number from 1 to 100", "mode = \"dynamik\", did you mean \"dynamic\"?",
            "'folders = [\"/a\", \"/a\"]', shard.folders names a folder twice"})
    void aMistakeHasItsPlaceAndTheWayOut(String line, String sentence) throws IOException {
        assertThat(((ReadResult.Rejected) read("[shard]\n" + line + "\n")).problems().stream()
                .map(Problem::toString).collect(Collectors.joining("\n"))).contains("mta.toml:2", sentence);
    }
}
