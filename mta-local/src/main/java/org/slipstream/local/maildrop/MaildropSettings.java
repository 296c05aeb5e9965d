package org.slipstream.local.maildrop;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.time.Duration;

/// The section `[maildrop]`: mail of `sendmail` and of programs that call it.
///
/// @param accepts false: the folder is not read
/// @param atOnce files that are taken at the same time
/// @param scanInterval for files that no event announced, and for those that could not be taken
@SettingsSection("maildrop")
public record MaildropSettings(
        @Setting(key = "accept", value = "true", restart = "the folder is watched or not",
                doc = "Take the mail that `sendmail` leaves in the folder `maildrop/` of the home folder. `false`: it"
                        + " stays there.") boolean accepts,
        @Setting(value = "<hostname>", form = "domain",
                doc = "Domain of addresses without one, such as `root`, in mail that `sendmail`"
                        + " leaves.") String domain,
        @Setting(value = "4", min = "1", max = "100", restart = "the threads have started", expert = true,
                doc = "Files that are taken at the same time.") int atOnce,
        @Setting(value = "30s", min = "100ms", max = "1h", restart = "the threads have started", expert = true,
                doc = "How often the folder is read without being told of a new file, and when a file that could not"
                        + " be taken is tried again.") Duration scanInterval) {}
