package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.DataSize;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;
import org.slipstream.qmgr.place.PlacementSettings;
import org.slipstream.qmgr.settings.QueueSettings;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.DefaultFile;
import org.slipstream.settings.Overrides;
import org.slipstream.settings.Problem;
import org.slipstream.settings.Schema;
import org.slipstream.settings.SchemaSection;
import org.slipstream.settings.SettingEntry;
import org.slipstream.settings.SettingsSource;
import org.slipstream.settings.TomlSource;
import org.slipstream.settings.Values;
import org.slipstream.smtpin.auth.GuessGuard;
import org.slipstream.smtpin.protocol.Limits;
import org.slipstream.smtpout.ClientSettings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A setting is one annotated component. It needs no other change.
class SchemaTest {
    @TempDir
    Path home;

    /// The section as it was.
    @SettingsSection("parcels")
    public record Before(@Setting(value = "1s", doc = "First wait.") Duration firstWait,
            @Setting(value = "9s", doc = "Last wait.") Duration lastWait) {}

    /// The section with one more line, and its neighbours in another order.
    @SettingsSection("parcels")
    public record After(@Setting(value = "9s", doc = "Last wait.") Duration lastWait,
            @Setting(value = "64KiB", min = "1KiB",
                    doc = "Largest parcel.") DataSize largestParcel,
            @Setting(value = "1s", doc = "First wait.") Duration firstWait) {}

    private static Schema schema(Class<? extends Record> type) {
        SequencedMap<String, SchemaSection> sections = new LinkedHashMap<>();
        sections.put("parcels", new SchemaSection.Declared("How parcels wait."));
        return new Schema(sections, List.of(type), MailForms.ALL);
    }

    private record Reading<R>(R settings, List<String> problems) {}

    private <R extends Record> Reading<R> read(Class<R> type, String text, String... overrides) {
        Complaints complaints = new Complaints();
        List<SettingEntry> entries = new ArrayList<>(TomlSource.read(schema(type), "mta.toml", text, complaints));
        entries.addAll(new Overrides(schema(type), complaints).ofCommandLine(List.of(overrides)));
        Values values = new Values(schema(type), home, entries, "mx.example", complaints);
        return new Reading<>(values.record(type), complaints.inOrder().stream().map(Problem::toString).toList());
    }

    @Test
    void oneMoreComponentIsRead() {
        String text = "[parcels]\nfirst-wait = \"2s\"\nlargest-parcel = \"1MiB\"\n";
        assertThat(read(After.class, text).settings())
                .isEqualTo(new After(Duration.ofSeconds(9), DataSize.ofMebibytes(1), Duration.ofSeconds(2)));
        assertThat(read(After.class, text, "parcels.largest-parcel=2048").settings().largestParcel())
                .isEqualTo(DataSize.ofKibibytes(2));
        assertThat(read(Before.class, text).problems())
                .containsExactly("mta.toml:3: unknown key \"parcels.largest-parcel\"");
    }

    @Test
    void oneMoreComponentIsChecked() {
        assertThat(read(After.class, "[parcels]\nlargest-parcel = \"1\"\nlargest-parcl = 3\n").problems())
                .containsExactly(
                        "mta.toml:2: parcels.largest-parcel = \"1\" is not a size such as \"128KiB\", \"25MiB\" or \"64MB\", or a number of"
                                + " bytes, at least 1KiB",
                        "mta.toml:3: unknown key \"parcels.largest-parcl\"; did you mean \"largest-parcel\"?");
    }

    @Test
    void oneMoreComponentIsWrittenAndDocumented() {
        assertThat(DefaultFile.render(schema(After.class), "mx.example"))
                .contains("# How parcels wait.\n[parcels]\n", "# Largest parcel.\n#largest-parcel = \"64KiB\"\n");
        assertThat(ConfigurationPageTest.table(schema(After.class)))
                .contains("| `parcels.largest-parcel` | `\"64KiB\"` | a size such as", "| Largest parcel. |");
    }

    /// The defaults of modules and their tests are those of a server without a file.
    @Test
    void anEmptyFileMeansTheDefaultsOfTheModules() {
        Config config = ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), List.of())).config();
        assertThat(config.limits()).isEqualTo(Limits.standard());
        assertThat(config.queue()).isEqualTo(QueueSettings.defaults());
        assertThat(config.transports().common()).isEqualTo(TransportSettings.defaults());
        assertThat(config.placement()).isEqualTo(PlacementSettings.defaults());
        assertThat(config.smtpClient()).isEqualTo(ClientSettings.defaults());
        assertThat(config.submission().guesses()).isEqualTo(GuessGuard.GuessSettings.standard());
    }

    @Test
    void aKeyIsDeclaredOnceAndInASectionThatExists() {
        assertThatThrownBy(
                () -> new Schema(new LinkedHashMap<>(Map.of("parcels", new SchemaSection.Declared(""))),
                        List.of(Before.class, After.class), MailForms.ALL))
                .hasMessageContaining("parcels.last-wait");
        assertThatThrownBy(() -> new Schema(new LinkedHashMap<>(), List.of(Before.class), MailForms.ALL))
                .hasMessageContaining("parcels.first-wait");
    }

    @Test
    void everySettingHasASentence() {
        assertThat(ServerSchema.SERVER.keys())
                .allSatisfy(key -> assertThat(key.doc()).as(key.dotted()).endsWith(".").doesNotContain("\n"));
    }
}
