package org.slipstream.server.cli;

/// Exit codes and their description in `--help`.
final class Exit {
    static final int DONE = 0;
    static final int NO = 1;
    static final int USAGE = 2;
    static final int CONFIGURATION = 78;
    static final int UNREACHABLE = 4;
    static final int CANNOT_START = 5;
    static final int INTERNAL = 70;

    static final String DONE_TEXT = " 0:done";
    static final String NO_TEXT = " 1:the command ran with a negative result: no such message, mail refused";
    static final String USAGE_TEXT = " 2:wrong usage";
    static final String CONFIGURATION_TEXT = "78:the configuration has mistakes";
    static final String UNREACHABLE_TEXT = " 4:no server is running, or it cannot be reached";
    static final String CANNOT_START_TEXT = " 5:the server cannot start: port in use, spool in use or newer, folder not"
            + " writable";
    static final String INTERNAL_TEXT = "70:internal error; -v shows more";
    static final String HEADING = "%nExit codes:%n";

    private Exit() {}
}
