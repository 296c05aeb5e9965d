package org.slipstream.cli;

import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Version;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;

/// `completion`: prints the script with which a shell completes the commands.
@Command(name = "completion", mixinStandardHelpOptions = true, versionProvider = Version.class,
        header = "Prints a completion script for bash and zsh.", optionListHeading = "%nOptions:%n",
        exitCodeListHeading = Exit.HEADING, exitCodeList = {
                Exit.DONE_TEXT},
        footerHeading = "%nExamples:%n", footer = {"  source <(mta completion)",
                "  mta completion > ~/.local/share/bash-completion/completions/mta"})
final class CompletionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    CompletionCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        mta.world().out().print(AutoComplete.bash("mta", spec.root().commandLine()));
        return Exit.DONE;
    }
}
