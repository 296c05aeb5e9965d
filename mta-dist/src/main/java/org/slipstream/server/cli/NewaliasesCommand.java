package org.slipstream.server.cli;

import org.slipstream.core.Address;
import org.slipstream.server.config.Config;
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
final class NewaliasesCommand implements Callable<Integer> {
    private final MtaCommand mta;

    NewaliasesCommand(MtaCommand mta) {
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
