package org.slipstream.events.account;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.util.Optional;

/// A section `[account."name"]`: what differs for one user, or for one domain (`@shop.example`). Absent keys are those
/// of `[accounts]`.
@SettingsSection("account")
public record AccountClause(
        @Setting(value = "", min = "0",
                doc = "Recipients within a minute; 0: no cap.") Optional<Integer> perMinute,
        @Setting(value = "", min = "0", doc = "Recipients within an hour; 0: no cap.") Optional<Integer> perHour,
        @Setting(value = "", min = "0", doc = "Recipients within a day; 0: no cap.") Optional<Integer> perDay,
        @Setting(value = "", min = "1",
                doc = "Recipients in an hour that are usual.") Optional<Integer> usualPerHour) {
    static final AccountClause NONE = new AccountClause(Optional.empty(), Optional.empty(), Optional.empty(),
            Optional.empty());
}
