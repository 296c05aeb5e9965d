package org.slipstream.cli.frame;

import java.util.List;

/// The shards that are missing in an answer, for standard error.
public final class MissingShards {
    public static final String EXIT_TEXT = " 1:a shard did not answer, and its messages are missing";

    private MissingShards() {}

    /// @param faults each names its shard; a fault may be there for each page
    /// @return the exit code of the command
    public static int tell(MtaCommand mta, List<String> faults) {
        faults.stream().distinct().forEach(fault -> mta.world().err().println("mta: left out: " + fault));
        return faults.isEmpty() ? Exit.DONE : Exit.NO;
    }
}
