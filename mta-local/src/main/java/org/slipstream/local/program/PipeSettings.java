package org.slipstream.local.program;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.time.Duration;
import java.util.List;

/// The program of a transport of the kind `pipe`: keys of `[transport.NAME]`.
///
/// @param command the program by its whole path, and its arguments
/// @param user of the program, or `user:group`; empty: that of the server
/// @param timeLimit until the program is killed with its children
@SettingsSection("transport")
public record PipeSettings(
        @Setting(value = "", form = "argument",
                doc = "The program by its whole path, and its arguments. No shell reads them; they may have names such"
                        + " as `${recipient}` in them (docs/pipe.md).") List<String> command,
        @Setting(value = "", form = "user",
                doc = "The user of the program, or `user:group`; without it, the user of the server.") String user,
        @Setting(value = "1000s", min = "1s", max = "1d",
                doc = "The program is killed with its children after this time, and the mail is tried"
                        + " again.") Duration timeLimit) {
    public PipeSettings {
        command = List.copyOf(command);
    }
}
