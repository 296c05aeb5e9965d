package org.slipstream.spool.history;

import org.slipstream.core.DataSize;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.time.Duration;

/// The section `[history]`: for how long `mta trace` knows a message.
///
/// @param keep zero: no history is written
/// @param size of all files together; the oldest events go first
@SettingsSection(value = "history", restart = "its files are open")
public record HistorySettings(
        @Setting(value = "7d",
                doc = "For how long the events of a message are kept for `mta trace`, in `history/` of the spool's"
                        + " directory. `0s`: no history is written, and the one on disk is deleted at the next"
                        + " start.") Duration keep,
        @Setting(value = "64MiB", min = "1MiB",
                doc = "Size of the history on disk; the oldest events are deleted first. 64 MiB hold about 100,000"
                        + " messages.") DataSize size) {
    public boolean isOn() {
        return keep.isPositive();
    }
}
