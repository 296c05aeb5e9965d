package org.slipstream.cli;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.sendmail.SendmailManual;
import org.slipstream.config.ProgramVersion;
import org.slipstream.config.ServerSchema;
import org.slipstream.core.FailureWords;
import org.slipstream.settings.RoffPage;
import org.slipstream.settings.SettingsManual;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SequencedMap;

/// `man`: writes the manual pages, for the packages. Two runs of one build write equal bytes.
@Command(hidden = true, header = "Writes the manual pages.",
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT},
        footer = "  mta man --to target/man && man -l target/man/mta.1")
final class ManualCommand implements MtaAction {
    @Option(names = "--to", paramLabel = "DIR", required = true, description = "the folder for the pages")
    private Path folder = Path.of("");

    @Option(names = "--date", paramLabel = "DATE", description = "the date in the pages (default: that of the build)")
    private String date = ProgramVersion.date();

    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) {
        SequencedMap<String, RoffPage> pages = new CommandManual(date).pages(spec.root().commandLine());
        pages.putAll(SendmailManual.pages(date));
        pages.put("mta.toml.5", SettingsManual.page(ServerSchema.SERVER, date));
        try {
            Files.createDirectories(folder);
            for (Map.Entry<String, RoffPage> page : pages.entrySet()) {
                Files.writeString(folder.resolve(page.getKey()), page.getValue().toString(), StandardCharsets.US_ASCII);
            }
        } catch (IOException trouble) {
            throw new CommandFailure(Exit.NO, "mta: the pages cannot be written to " + folder + ": "
                    + FailureWords.of(trouble), trouble);
        }
        mta.world().out().println(pages.size() + " pages in " + folder);
        return Exit.DONE;
    }
}
