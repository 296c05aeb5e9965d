package org.slipstream.server;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.settings.SettingsSource;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

class OpenFilesTest {
    @TempDir
    Path home;

    private Config config(String... settings) {
        return ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), List.of(settings))).config();
    }

    @Test
    void aLimitBelowWhatTheSettingsAllowIsNamedWithBothFigures() {
        long needed = OpenFiles.needed(config());
        assertThat(needed).as("two ports by default").isBetween(2_000L, 3_000L);
        assertThat(OpenFiles.warning(config(), OptionalLong.of(needed))).isEmpty();
        assertThat(OpenFiles.warning(config(), OptionalLong.of(needed - 1)))
                .hasValueSatisfying(words -> assertThat(words)
                        .contains("limit=" + (needed - 1), "needed=" + needed, "ulimit -n", "limits.connections"));
        assertThat(OpenFiles.warning(config(), OptionalLong.empty())).as("unlimited").isEmpty();
    }

    @Test
    void eachPortCounts() {
        long two = OpenFiles.needed(config("limits.connections=5000"));
        assertThat(two - OpenFiles.needed(config("limits.connections=4000"))).isEqualTo(2_000);
        assertThat(two - OpenFiles.needed(config("limits.connections=5000", "listen.submission=off"))).isEqualTo(5_000);
        assertThat(OpenFiles.needed(config("queue.lanes=700"))).isGreaterThan(OpenFiles.needed(config()));
    }

    @Test
    void theSystemsTableIsRead() {
        String table = """
                Limit                     Soft Limit           Hard Limit           Units
                Max processes             unlimited            unlimited            processes
                Max open files            1024                 524288               files
                """;
        assertThat(OpenFiles.limit(table)).hasValue(1024);
        assertThat(OpenFiles.limit(table.replace("1024  ", "unlimited  "))).isEmpty();
        assertThat(OpenFiles.limit("")).isEmpty();
    }
}
