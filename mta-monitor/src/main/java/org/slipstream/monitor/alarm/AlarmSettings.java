package org.slipstream.monitor.alarm;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// The section `[alarm]`.
///
/// @param oldest empty: the age of mail is no trouble
@SettingsSection("alarm")
public record AlarmSettings(
        @Setting(value = "",
                doc = "Program that is started for each trouble of `mta status` and for its end. It gets no argument,"
                        + " and the facts as JSON on its standard input (docs/observing.md). Relative to the"
                        + " home folder. Empty: none.") Optional<Path> command,
        @Setting(value = "", form = "web-page",
                doc = "Address (`https://…`) that gets the same JSON by POST. Its answer is 2xx; redirects are not"
                        + " followed. Empty: none.") Optional<URI> webhook,
        @Setting(value = "off", none = "off", min = "1m",
                doc = "Mail that waits for longer, and that no operator holds, is a trouble. Shorter than"
                        + " `queue.lifetime`. `off`: its age is none.") Optional<Duration> oldest) {}
