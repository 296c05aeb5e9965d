package org.slipstream.events.stream;

import org.slipstream.core.DataSize;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.time.Duration;

/// The section `[events]`: what programs can learn of mail.
///
/// @param keep zero: no events are written
/// @param size of the files of a shard; the oldest events go first
@SettingsSection(value = "events", restart = "its files are open")
public record EventSettings(
        @Setting(value = "0s",
                doc = "For how long `mta events` and programs find what became of each message, in `events/` of the"
                        + " spool's directory; longer while a subscriber has not read it. `0s`: no events are written,"
                        + " and those on disk are deleted at the next start.") Duration keep,
        @Setting(value = "1GiB", min = "1MiB",
                doc = "Size of the events on disk, for each shard. Beyond it the oldest are deleted, also those that a"
                        + " subscriber has not read. As much of the message log is kept at most while events cannot be"
                        + " written. 1 GiB holds about two million events.") DataSize size) {
    public boolean isOn() {
        return keep.isPositive();
    }
}
