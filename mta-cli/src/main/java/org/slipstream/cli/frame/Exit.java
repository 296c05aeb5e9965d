package org.slipstream.cli.frame;

import picocli.CommandLine.Model.UsageMessageSpec;

import java.util.Map;

/// Exit codes and their description in `--help`.
public final class Exit {
    public static final int DONE = 0;
    public static final int NO = 1;
    public static final int USAGE = 2;
    public static final int CONFIGURATION = 78;
    public static final int UNREACHABLE = 4;
    public static final int CANNOT_START = 5;
    public static final int INTERNAL = 70;

    public static final String DONE_TEXT = " 0:done";
    public static final String NO_TEXT = " 1:the command ran with a negative result: no such message, mail refused";
    public static final String USAGE_TEXT = " 2:wrong usage";
    public static final String CONFIGURATION_TEXT = "78:the configuration has mistakes";
    public static final String UNREACHABLE_TEXT = " 4:no server is running, or it cannot be reached";
    public static final String CANNOT_START_TEXT = " 5:the server cannot start: port in use, spool in use or newer, folder not"
            + " writable";
    public static final String INTERNAL_TEXT = "70:internal error; -v shows more";

    private Exit() {}

    /// The exit codes of a command that asks the server, unless it names its own.
    public static Map<String, String> ofRequests() {
        return UsageMessageSpec.keyValuesMap(DONE_TEXT, NO_TEXT, USAGE_TEXT, UNREACHABLE_TEXT);
    }
}
