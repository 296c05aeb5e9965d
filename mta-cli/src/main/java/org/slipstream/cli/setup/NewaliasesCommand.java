package org.slipstream.cli.setup;

import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Version;
import org.slipstream.config.Config;
import org.slipstream.core.Address;
import picocli.CommandLine.Command;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/// `newaliases`: checks the aliases. Slipstream has no file to rebuild.
@Command(name = "newaliases", mixinStandardHelpOptions = true, versionProvider = Version.class,
        header = "Checks the aliases and counts them.",
        description = "The server reads its aliases itself, so nothing is rebuilt.",
        optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.CONFIGURATION_TEXT},
        footerHeading = "%nExamples:%n", footer = {"  mta newaliases"})
public final class NewaliasesCommand implements Callable<Integer> {
    private final MtaCommand mta;

    public NewaliasesCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        Config config = LoadedConfig.read(mta.settings(), List.of());
        List<String> targets = config.aliases().values().stream()
                .map(each -> each.stream().map(Address::toString).collect(Collectors.joining(", "))).toList();
        int longest = targets.stream().mapToInt(String::length).max().orElse(0);
        int total = config.aliases().keySet().stream().mapToInt(String::length).sum()
                + targets.stream().mapToInt(String::length).sum();
        mta.world().out().println(mta.settings().file() + ": " + targets.size() + " aliases, longest " + longest
                + " bytes, " + total + " bytes total");
        return Exit.DONE;
    }
}
