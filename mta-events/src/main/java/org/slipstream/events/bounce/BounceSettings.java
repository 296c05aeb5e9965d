package org.slipstream.events.bounce;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/// The section `[bounces]`: what refused mail means for mail that comes later.
@SettingsSection("bounces")
public record BounceSettings(
        @Setting(value = "",
                doc = "File of further bounce classes, relative to the home folder: lines `class | code | status |"
                        + " words | example`; docs/bounces.md.") Optional<Path> classes,
        @Setting(value = "0", min = "0", max = "100",
                doc = "The number of refusals that say that an address does not exist, without a delivery between them,"
                        + " after which mail to it is suppressed. 0: only an operator suppresses.") int suppressAfter,
        @Setting(value = "90d", min = "1h", max = "3650d",
                doc = "For how long an address is suppressed that `suppress-after` found.") Duration suppressFor,
        @Setting(value = "refuse",
                doc = "The treatment of a suppressed recipient in an SMTP session. `refuse`: 550 5.7.1. `report`: it is"
                        + " accepted, and the sender gets a report that it was not"
                        + " delivered.") SuppressedRecipient suppressedRecipient) {

    /// The treatment of a suppressed recipient in an SMTP session.
    public enum SuppressedRecipient {
        REFUSE, REPORT;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
