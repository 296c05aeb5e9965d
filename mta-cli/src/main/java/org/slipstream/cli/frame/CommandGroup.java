package org.slipstream.cli.frame;

/// A command with others below it. Alone it has nothing to do, so it prints its help.
public interface CommandGroup extends MtaAction {
    @Override
    default int run(MtaCommand mta) {
        mta.world().err().print(mta.chosen().getUsageMessage());
        return Exit.USAGE;
    }
}
