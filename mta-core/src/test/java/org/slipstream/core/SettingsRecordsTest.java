package org.slipstream.core;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SettingsRecordsTest {
    enum Mode {
        ROUND_ROBIN, FIFO
    }

    @SettingsSection("part")
    record Part(@Setting(value = "64MB", doc = "A size.") DataSize largestSize,
            @Setting(section = "other", value = "never", none = "never", doc = "A time.") Optional<Duration> expiry) {}

    @SettingsSection("whole")
    record Whole(@Setting(value = "7", doc = "A count.") int sourceAddressV4,
            @Setting(key = "own-name", value = "true", doc = "A flag.") boolean flag, Part part,
            @Setting(value = "round-robin", doc = "A word.") Mode mode,
            @Setting(value = "a, b", doc = "Texts.") List<String> names,
            @Setting(value = "mail", doc = "A path.") Path folder) {}

    record WithoutDeclaration(int count) {}

    @Test
    void keysComeFromComponentsAndSectionsFromRecords() {
        assertThat(SettingsRecords.declared(Whole.class)).extracting(DeclaredSetting::dotted).containsExactly(
                "whole.source-address-v4",
                "whole.own-name", "part.largest-size", "other.expiry", "whole.mode", "whole.names", "whole.folder");
    }

    @Test
    void defaultsAreThoseOfTheDeclarations() {
        assertThat(SettingsRecords.defaults(Whole.class))
                .isEqualTo(new Whole(7, true, new Part(DataSize.of(64_000_000), Optional.empty()),
                        Mode.ROUND_ROBIN, List.of("a", "b"), Path.of("mail")));
    }

    @Test
    void aCopyDiffersInTheNamedComponentsOnly() {
        Part part = SettingsRecords.defaults(Part.class);
        assertThat(SettingsRecords.with(part, "largestSize", DataSize.ZERO))
                .isEqualTo(new Part(DataSize.ZERO, Optional.empty()));
        assertThatThrownBy(() -> SettingsRecords.with(part, "size", DataSize.ZERO)).hasMessageContaining("[size]");
    }

    @Test
    void aComponentWithoutADeclarationIsRefused() {
        assertThatThrownBy(() -> SettingsRecords.declared(WithoutDeclaration.class))
                .hasMessageContaining("count has no @Setting");
    }
}
