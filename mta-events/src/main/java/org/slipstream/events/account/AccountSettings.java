package org.slipstream.events.account;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

/// The section `[accounts]`: how much each user and each sender's domain may send. A cap of 0 is none.
@SettingsSection("accounts")
public record AccountSettings(
        @Setting(value = "off",
                doc = "The treatment of a user whose mail becomes unlike before (docs/accounts.md). `alarm`: it is"
                        + " told. `hold`: it is told, and further mail of the user is accepted and put on hold until"
                        + " `mta user release`.") AccountWatch watch,
        @Setting(value = "100", min = "1",
                doc = "Recipients in an hour that are usual for each user, whatever was before.") int usualPerHour,
        @Setting(value = "0", min = "0",
                doc = "Recipients that a user may send to within a minute; 0: no cap.") int userPerMinute,
        @Setting(value = "0", min = "0", doc = "The same within an hour.") int userPerHour,
        @Setting(value = "0", min = "0", doc = "The same within a day.") int userPerDay,
        @Setting(value = "0", min = "0",
                doc = "Recipients of mail with a sender of one domain within a minute; 0: no cap.") int domainPerMinute,
        @Setting(value = "0", min = "0", doc = "The same within an hour.") int domainPerHour,
        @Setting(value = "0", min = "0", doc = "The same within a day.") int domainPerDay) {

    /// The treatment of a user whose mail becomes unlike before.
    public enum AccountWatch {
        OFF, ALARM, HOLD
    }
}
