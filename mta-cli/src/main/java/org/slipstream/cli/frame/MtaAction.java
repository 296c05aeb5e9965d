package org.slipstream.cli.frame;

/// A command of `mta`: the work that it does when its arguments have been read.
public interface MtaAction {
    /// @param mta the common options, and the surroundings of the process
    /// @return the exit code
    int run(MtaCommand mta) throws Exception;
}
