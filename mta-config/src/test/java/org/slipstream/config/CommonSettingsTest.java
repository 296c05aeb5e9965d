package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.cluster.SettingPrints;
import org.slipstream.settings.SettingsSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// The nodes of a cluster compare their settings, and not what belongs to one machine.
class CommonSettingsTest {
    @TempDir
    Path home;

    private SettingPrints of(String... lines) {
        List<String> all = new ArrayList<>(List.of("spool.engine=postgresql", "spool.database=jdbc:postgresql://db/x"));
        all.addAll(List.of(lines));
        return switch (ConfigReader.read(SettingsSource.in(home), all)) {
            case ReadResult.Accepted(Config config) -> CommonSettings.of(config);
            case ReadResult.Rejected(var problems) -> throw new AssertionError(problems);
        };
    }

    @Test
    void namesAndAddressesOfOneMachineAreLeftOut() {
        assertThat(of("hostname=a.example", "cluster.node=a", "cluster.listen=10.0.0.1:2526",
                "listen.smtp=10.0.0.1:25", "source.out.address-v4=192.0.2.1",
                "smtp-client.source-address-v4=192.0.2.1"))
                .isEqualTo(of("hostname=b.example", "cluster.node=b", "cluster.listen=10.0.0.2:2526",
                        "listen.smtp=10.0.0.2:25", "source.out.address-v4=192.0.2.2",
                        "smtp-client.source-address-v4=192.0.2.2"));
    }

    @Test
    void othersCountAlsoThoseWithFreeNamesAndADefaultThatIsWrittenIsNoDifference() {
        assertThat(of("limits.hops=40").byKey()).containsOnlyKeys("limits.hops", "spool.engine", "spool.database");
        assertThat(of("limits.hops=40")).isNotEqualTo(of("limits.hops=41"));
        assertThat(of("routes.\"far.example\"=smtp:192.0.2.1:25"))
                .isNotEqualTo(of("routes.\"far.example\"=smtp:192.0.2.2:25"));
        assertThat(of("limits.hops=" + standardHops())).isEqualTo(of());
    }

    private String standardHops() {
        ReadResult.Accepted read = (ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), List.of());
        return read.config().written().settings().stream().filter(each -> each.key().equals("limits.hops")).findFirst()
                .orElseThrow().standard();
    }

    @Test
    void theContentOfAFileThatASettingNamesCounts() throws IOException {
        Path file = Files.writeString(home.resolve("aliases"), "info: ann@far.example\n");
        String setting = "local.alias-files=aliases";
        SettingPrints before = of(setting);
        assertThat(of(setting)).isEqualTo(before);
        Files.writeString(file, "info: bob@far.example\n");
        SettingPrints after = of(setting);
        assertThat(after.byKey().keySet()).isEqualTo(before.byKey().keySet());
        assertThat(after).isNotEqualTo(before);
        assertThat(after.byKey().get("local.alias-files")).isEqualTo(before.byKey().get("local.alias-files"));
    }
}
