package org.slipstream.cli;

import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `completion`: prints the script with which a shell completes the commands.
@Command(header = "Prints a completion script for bash and zsh.", exitCodeList = Exit.DONE_TEXT,
        footer = {"  source <(mta completion)", "  mta completion > ~/.local/share/bash-completion/completions/mta"})
final class CompletionCommand implements MtaAction {
    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) {
        mta.world().out().print(AutoComplete.bash("mta", spec.root().commandLine()));
        return Exit.DONE;
    }
}
