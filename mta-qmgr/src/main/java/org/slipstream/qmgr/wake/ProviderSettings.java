package org.slipstream.qmgr.wake;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;

import java.util.List;
import java.util.Optional;

/// The settings of a provider: a section `[provider.NAME]`. Its hosts add to those that the program knows
/// ([org.slipstream.core.ProviderTable]); the limits hold for all its domains together.
@SettingsSection("provider")
public record ProviderSettings(
        @Setting(value = "", form = "provider-host",
                doc = "Names of MX hosts, or suffixes such as `.example.org`, that belong to the provider, with those"
                        + " that the program knows. The longest one counts.") List<String> hosts,
        @Setting(value = "", form = "block",
                doc = "Addresses of its hosts, where their names are not enough.") List<String> addresses,
        @Setting(value = "true",
                doc = "`false`: the provider is not known, and its mail is like any other.") boolean known,
        @Setting(value = "", max = "100000",
                doc = "Connections to all domains of the provider. `0`: their mail waits.") Optional<Integer> lanes,
        @Setting(value = "",
                doc = "Deliveries to all domains of the provider that may start in any period of this"
                        + " length.") Optional<Rate> rate,
        @Setting(value = "", min = "1", max = "100000",
                doc = "Deliveries of one sender domain to the provider at a time.") Optional<Integer> senderLanes,
        @Setting(value = "",
                doc = "Deliveries of one sender domain to the provider that may start in any period of this"
                        + " length.") Optional<Rate> senderRate) {

    /// No limits.
    public static final ProviderSettings NONE = SettingsRecords.defaults(ProviderSettings.class);

    public ProviderSettings {
        hosts = List.copyOf(hosts);
        addresses = List.copyOf(addresses);
    }

    public ProviderSettings withLanes(int count) {
        return SettingsRecords.with(this, "lanes", Optional.of(count));
    }

    public ProviderSettings withRate(Rate other) {
        return SettingsRecords.with(this, "rate", Optional.of(other));
    }

    boolean limitsSenders() {
        return senderLanes.isPresent() || senderRate.isPresent();
    }
}
