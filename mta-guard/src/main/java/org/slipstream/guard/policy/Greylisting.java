package org.slipstream.guard.policy;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.time.Duration;

/// Greylisting in `[policy]`.
///
/// @param window how long a first attempt is remembered
/// @param keep how long a client that came back is known, after its last mail
/// @param remembered number of senders in memory
@SettingsSection("policy")
public record Greylisting(
        @Setting(key = "greylisting", value = "false",
                doc = "Defer the first message of a sender. A mail server comes back, many spam programs do not."
                        + " Delays honest mail. Kept in memory only.") boolean on,
        @Setting(key = "greylist-delay", value = "5m", min = "1ms", max = "1d",
                doc = "A sender that comes back sooner is deferred again.") Duration delay,
        @Setting(key = "greylist-window", value = "1d", min = "1ms", expert = true,
                doc = "A sender that comes back later counts as new.") Duration window,
        @Setting(key = "greylist-keep", value = "35d", min = "1ms", expert = true,
                doc = "How long after its last mail a sender that came back is known.") Duration keep,
        @Setting(key = "greylist-remembered", value = "100000", min = "100", max = "10000000", expert = true,
                doc = "Senders in memory, some 200 bytes each. The one that was unused longest is forgotten"
                        + " first.") int remembered) {}
