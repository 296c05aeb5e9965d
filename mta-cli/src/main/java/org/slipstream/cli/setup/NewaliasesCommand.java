package org.slipstream.cli.setup;

import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.config.Config;
import org.slipstream.core.Address;
import picocli.CommandLine.Command;

import java.util.List;
import java.util.stream.Collectors;

/// `newaliases`: checks the aliases. Slipstream has no file to rebuild.
@Command(header = "Checks the aliases and counts them.",
        description = "The server reads its aliases itself, so nothing is rebuilt.",
        exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.CONFIGURATION_TEXT}, footer = "  mta newaliases")
public final class NewaliasesCommand implements MtaAction {
    @Override
    public int run(MtaCommand mta) {
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
