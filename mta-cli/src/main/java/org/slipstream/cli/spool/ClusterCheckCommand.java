package org.slipstream.cli.spool;

import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.FindingsReport;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cluster.SettingsCheck;
import org.slipstream.core.CheckFinding;
import org.slipstream.spool.postgres.DatabaseCheck;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// `cluster check`: the database of the log, asked by this command and not by the server. The rows of the nodes are
/// in it as well.
@Command(header = "Checks the settings of the database that mail depends on, and compares those of the nodes.",
        description = "It asks the database of spool.database and changes nothing. The server need not run. The nodes"
                + " that are alive have told the database what their settings are.",
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CONFIGURATION_TEXT},
        footer = {"  mta cluster check", "  mta cluster check --json | jq '.findings[] | select(.level != \"ok\")'"})
public final class ClusterCheckCommand implements MtaAction {
    private static final CheckFinding NO_DATABASE = new CheckFinding("engine", CheckFinding.Level.UNKNOWN,
            "spool.database names no database: the log is in files, and there is nothing to check", Optional.empty());

    @Option(names = "--json", description = "as JSON")
    private boolean json;

    @Override
    public int run(MtaCommand mta) {
        List<CheckFinding> findings = LoadedConfig.read(mta.settings(), List.of()).spool().database()
                .map(ClusterCheckCommand::findings).orElse(List.of(NO_DATABASE));
        return FindingsReport.print(mta, json, "the database", findings);
    }

    private static List<CheckFinding> findings(String url) {
        List<CheckFinding> database = DatabaseCheck.run(url);
        return database.stream().anyMatch(each -> each.level() == CheckFinding.Level.NO_ANSWER)
                ? database
                : Stream.concat(database.stream(), SettingsCheck.run(url).stream()).toList();
    }
}
