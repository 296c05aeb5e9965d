package org.slipstream.server.sendmail;

/// Exit codes of `sysexits.h`, which callers of `sendmail` examine.
public final class SysExit {
    public static final int OK = 0;
    public static final int USAGE = 64;
    public static final int DATA_ERROR = 65;
    public static final int NO_INPUT = 66;
    public static final int NO_USER = 67;
    public static final int UNAVAILABLE = 69;
    public static final int SOFTWARE = 70;
    public static final int IO_ERROR = 74;
    public static final int TEMPORARY_FAILURE = 75;
    public static final int NO_PERMISSION = 77;
    public static final int CONFIGURATION = 78;

    private SysExit() {}
}
