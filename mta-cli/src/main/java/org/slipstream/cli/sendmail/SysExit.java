package org.slipstream.cli.sendmail;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Exit codes of `sysexits.h`, which callers of `sendmail` examine.
public final class SysExit {
    public static final int OK = 0;
    public static final int USAGE = 64;
    public static final int DATA_ERROR = 65;
    public static final int NO_INPUT = 66;
    public static final int UNAVAILABLE = 69;
    public static final int SOFTWARE = 70;
    public static final int IO_ERROR = 74;
    public static final int TEMPORARY_FAILURE = 75;
    public static final int NO_PERMISSION = 77;
    public static final int CONFIGURATION = 78;

    /// The codes with their meaning here.
    static final SortedMap<Integer, String> MEANINGS = new TreeMap<>(Map.of(OK, "The message is on disk.",
            USAGE, "Wrong usage, or no recipient.", DATA_ERROR, "An address or the header cannot be read.",
            NO_INPUT, "Standard input cannot be read.",
            UNAVAILABLE, "The server does not run, or refused the request.", SOFTWARE, "A fault of the program.",
            IO_ERROR, "The dialogue of -bs broke off.",
            TEMPORARY_FAILURE, "A local problem, such as a full disk. The message is not queued; try again later.",
            NO_PERMISSION, "The maildrop cannot be written.", CONFIGURATION, "The settings have mistakes."));

    private SysExit() {}
}
