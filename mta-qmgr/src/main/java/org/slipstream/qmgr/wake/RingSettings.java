package org.slipstream.qmgr.wake;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.util.Optional;

/// The settings of a ring: destinations that share a limit of connections (ZMailer's `maxring`), and a rate.
@SettingsSection("ring")
public record RingSettings(
        @Setting(value = "20", max = "100000",
                doc = "Connections of all destinations of the ring. `0`: their mail waits.") int lanes,
        @Setting(value = "",
                doc = "Deliveries to all destinations of the ring together that may start in any period of this"
                        + " length.") Optional<Rate> rate) {
    public static final int MOST = 100_000;

    /// Without a rate.
    public RingSettings(int lanes) {
        this(lanes, Optional.empty());
    }
}
