package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.settings.DefaultFile;
import org.slipstream.settings.SettingsSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class DefaultFileTest {
    private static final String MACHINE = "mail.example.org";

    @TempDir
    Path home;

    @Test
    void theWrittenFileMeansTheDefaults() throws IOException {
        ReadResult defaults = ConfigReader.read(SettingsSource.in(home), MACHINE, List.of());
        assertThat(defaults).isInstanceOf(ReadResult.Accepted.class);
        Files.writeString(home.resolve("mta.toml"), DefaultFile.render(ServerSchema.SERVER, MACHINE));
        assertThat(ConfigReader.read(SettingsSource.in(home), MACHINE, List.of())).isEqualTo(defaults);
    }

    @Test
    void everyDefaultInTheFileIsTheOneInEffect() throws IOException {
        ReadResult defaults = ConfigReader.read(SettingsSource.in(home), MACHINE, List.of());
        String uncommented = DefaultFile.render(ServerSchema.SERVER, MACHINE).replaceAll("(?m)^#(?=[a-z\"])", "");
        assertThat(uncommented.lines().filter(line -> line.matches("[a-z0-9-]+ = .*")))
                .hasSize((int) ServerSchema.SERVER.keys().stream().filter(key -> !key.isExpert()).count());
        Files.writeString(home.resolve("mta.toml"), uncommented);
        assertThat(ConfigReader.read(SettingsSource.in(home), "another.example", List.of())).usingRecursiveComparison()
                .as("except for the places of the settings").ignoringFields("config.written").isEqualTo(defaults);
    }

    /// Keys of experts, and no section that has only such.
    @Test
    void theFileHasWhatOperatorsChange() {
        String file = DefaultFile.render(ServerSchema.SERVER, MACHINE);
        assertThat(file).doesNotContain("failed-percent")
                .doesNotContainPattern("(?m)^\\[(scheduler|placement|concurrency)]")
                .contains("#message-size =", "docs/configuration.md");
        assertThat(ServerSchema.SERVER.expertKeys()).hasSizeBetween(80, 110);
    }

    /// The file of a new server. After a change of keys or words, check the difference and store it
    /// again: `mvn -pl mta-config test -Dtest=DefaultFileTest -Dslipstream.golden=write`.
    @Test
    void theFileLooksAsItDid() throws IOException {
        Path golden = Path.of("src/test/resources/golden/mta.toml");
        String rendered = DefaultFile.render(ServerSchema.SERVER, MACHINE);
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.createDirectories(golden.getParent());
            Files.writeString(golden, rendered);
        }
        assertThat(rendered).isEqualTo(Files.readString(golden));
    }

    @Test
    void theFirstStartWritesItAndNoLaterStartChangesIt() throws IOException {
        Path fresh = home.resolve("new/home");
        assertThat(DefaultFile.writeIfMissing(fresh.resolve(SettingsSource.FILE), ServerSchema.SERVER, MACHINE))
                .isTrue();
        assertThat(ConfigReader.read(SettingsSource.in(fresh), List.of())).isInstanceOf(ReadResult.Accepted.class);
        Files.writeString(fresh.resolve("mta.toml"), "# mine");
        assertThat(DefaultFile.writeIfMissing(fresh.resolve(SettingsSource.FILE), ServerSchema.SERVER, MACHINE))
                .isFalse();
        assertThat(fresh.resolve("mta.toml")).hasContent("# mine");
        try (var files = Files.list(fresh)) {
            assertThat(files).as("nothing is left behind").hasSize(1);
        }
    }
}
