package org.slipstream.qmgr.wake;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

/// The settings of a ring: destinations that share a limit of connections (ZMailer's `maxring`).
@SettingsSection("ring")
public record RingSettings(
        @Setting(value = "20", max = "100000",
                doc = "Connections of all destinations of the ring. `0`: their mail waits.") int lanes) {}
