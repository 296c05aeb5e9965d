package org.slipstream.cli.setup;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.util.Map;
import java.util.Optional;

/// `report`: the texts of reports to senders. No server is needed.
@Command(synopsisSubcommandLabel = "COMMAND", header = "Shows the texts of reports to senders.",
        exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT},
        footer = "  mta report template delayed > var/templates/delayed.txt    a file to start from")
public final class ReportCommand implements CommandGroup {
    /// `report template`: prints a template that comes with the program.
    @Command(header = "Prints the text of a report, as a file to start from.",
            description = "A file of the same name in the folder templates of the home replaces it; docs/reports.md names"
                    + " the variables. Without a name, all names.",
            parameterListHeading = "%nParameters:%n",
            exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT},
            footer = {"  mta report template", "  mta report template failed > var/templates/failed.txt"})
    public static final class TemplateCommand implements MtaAction {
        @Parameters(paramLabel = "NAME", arity = "0..1",
                description = "the kind of report, such as failed")
        private String name = "";

        @Override
        public int run(MtaCommand mta) {
            Map<String, String> templates = mta.world().stopped().reportTemplates();
            if (name.isEmpty()) {
                templates.keySet().forEach(mta.world().out()::println);
            } else {
                mta.world().out().print(Optional.ofNullable(templates.get(name))
                        .orElseThrow(() -> new CommandFailure(Exit.USAGE, "mta: there is no report called " + name
                                + "; known are " + String.join(", ", templates.keySet()))));
            }
            return Exit.DONE;
        }
    }
}
