package org.slipstream.cli.setup;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.config.HostName;
import org.slipstream.config.postfix.PostfixImport;
import org.slipstream.config.postfix.PostfixImport.ImportLine;
import org.slipstream.config.postfix.PostfixImport.ImportReport;
import org.slipstream.config.postfix.SystemUsers;
import org.slipstream.core.text.Controls;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// `import-postfix`: settings from a `main.cf`.
@Command(header = "Writes a mta.toml from the main.cf of a Postfix.",
        description = "Reads main.cf, the master.cf beside it, and the tables that they name, and changes none of them. Each"
                + " line of the result names the line that it comes from. Standard error has a sentence for"
                + " each line that has no setting here, with the reason and a way out. The result is checked as"
                + " mta check does.",
        parameterListHeading = "%nParameters:%n",
        exitCodeList = {Exit.DONE_TEXT, " 1:the result is there, and some lines have no setting or a mistake",
                Exit.USAGE_TEXT, "78:main.cf cannot be read, or the result is not accepted"},
        footer = {"  mta import-postfix /etc/postfix/main.cf",
                "  mta import-postfix /etc/postfix/main.cf --to /etc/slipstream/mta.toml",
                "  mta import-postfix main.cf --json | jq -r '.notMapped[].name'"})
public final class ImportPostfixCommand implements MtaAction {
    @Parameters(paramLabel = "MAIN.CF", description = "the file, such as /etc/postfix/main.cf")
    private Path file = Path.of("");

    @Option(names = "--master", paramLabel = "FILE", description = "the services (default: master.cf beside MAIN.CF)")
    private Optional<Path> master = Optional.empty();

    @Option(names = "--users", paramLabel = "FILE", defaultValue = "/etc/passwd",
            description = "the users who have mailboxes, in the form of ${DEFAULT-VALUE}")
    private Path users = Path.of("");

    @Option(names = "--to", paramLabel = "FILE",
            description = "write this file, and those that it names beside it (default: standard output)")
    private Optional<Path> to = Optional.empty();

    @Option(names = "--force", description = "replace files that exist")
    private boolean force;

    @Option(names = "--json", description = "list as JSON what has a setting and what has none, in place of mta.toml")
    private boolean json;

    @Override
    public int run(MtaCommand mta) {
        PostfixImport imported = read();
        try {
            ImportReport report = imported.report(imported.check());
            if (to.isPresent()) {
                write(mta, imported, to.get().toAbsolutePath().normalize());
            }
            print(mta, imported, report);
            return !report.problems().isEmpty() ? Exit.CONFIGURATION : report.isComplete() ? Exit.DONE : Exit.NO;
        } catch (IOException disk) {
            throw new CommandFailure(Exit.NO, "mta: the result cannot be written: " + disk, disk);
        }
    }

    private PostfixImport read() {
        try {
            return new PostfixImport(file, master, SystemUsers.names(users), HostName.ofMachine());
        } catch (IOException unreadable) {
            throw new CommandFailure(Exit.CONFIGURATION, "mta: " + unreadable.getMessage(), unreadable);
        }
    }

    private void write(MtaCommand mta, PostfixImport imported, Path target) throws IOException {
        Path folder = Optional.ofNullable(target.getParent()).orElseThrow();
        List<Path> files = imported.fileNames().stream().map(folder::resolve).collect(Collectors.toList());
        files.add(target);
        files.stream().filter(each -> !force && Files.exists(each)).findFirst().ifPresent(ImportPostfixCommand::refuse);
        imported.writeFiles(folder);
        for (String name : imported.fileNames()) {
            ServerOwner.give(mta.home(), folder.resolve(name));
        }
        Files.write(target, imported.toml(Optional.of(folder)).getBytes(StandardCharsets.UTF_8));
    }

    private static void refuse(Path file) {
        throw new CommandFailure(Exit.USAGE, "mta: " + file + " exists; name another file, or add --force");
    }

    private void print(MtaCommand mta, PostfixImport imported, ImportReport report) {
        PrintStream out = mta.world().out();
        if (json) {
            out.println(RecordJson.write(report));
            return;
        }
        if (to.isEmpty()) {
            out.print(imported.toml(Optional.empty()));
        }
        PrintStream err = mta.world().err();
        report.mistakes().forEach(line -> err.println(sentence(line)));
        report.notMapped().forEach(line -> err.println(sentence(line)));
        if (!report.notNeeded().isEmpty()) {
            err.println("Not needed here: " + report.notNeeded().stream().map(ImportLine::name)
                    .collect(Collectors.joining(", ")));
        }
        if (to.isEmpty() && !report.files().isEmpty()) {
            err.println("With --to FILE these files are written beside it: " + String.join(", ", report.files()));
        }
        report.problems().forEach(problem -> err.println(Controls.replaced(problem)));
        err.println(report.mapped().size() + " settings, " + report.notMapped().size() + " remarks, "
                + report.mistakes().size() + " mistakes" + to.map(written -> "; written to " + written).orElse(""));
    }

    private static String sentence(ImportLine line) {
        return Controls.replaced(line.place() + ": " + (line.name().isEmpty() ? "" : line.name() + ": ") + line.text());
    }
}
