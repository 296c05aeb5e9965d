package org.slipstream.cli.setup;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Version;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/// `report`: the texts of reports to senders. No server is needed.
@Command(name = "report", mixinStandardHelpOptions = true, versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND", header = "Shows the texts of reports to senders.",
        optionListHeading = "%nOptions:%n", commandListHeading = "%nCommands:%n", exitCodeListHeading = Exit.HEADING,
        exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT},
        footerHeading = "%nExamples:%n", footer = {
                "  mta report template delayed > var/templates/delayed.txt    a file to start from"})
public final class ReportCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    public ReportCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        CommandLine line = spec.commandLine();
        mta.world().err().print(line.getUsageMessage());
        return Exit.USAGE;
    }

    /// `report template`: prints a template that comes with the program.
    @Command(name = "template", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Prints the text of a report, as a file to start from.", descriptionHeading = "%n",
            description = {
                    "A file of the same name in the folder templates of the home replaces it; docs/reports.md names"
                            + " the variables. Without a name, all names."},
            optionListHeading = "%nOptions:%n", parameterListHeading = "%nParameters:%n",
            exitCodeListHeading = Exit.HEADING, exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT},
            footerHeading = "%nExamples:%n", footer = {
                    "  mta report template", "  mta report template failed > var/templates/failed.txt"})
    public static final class TemplateCommand implements Callable<Integer> {
        @Parameters(paramLabel = "NAME", arity = "0..1",
                description = "the kind of report, such as failed")
        private String name = "";

        private final MtaCommand mta;

        public TemplateCommand(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
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
