package org.slipstream.dist.cli;

import org.slipstream.dist.config.ConfigReader;
import org.slipstream.dist.users.UserFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/// `check`: everything that is wrong with the settings.
@Command(name = "check", mixinStandardHelpOptions = true, versionProvider = Version.class, header = "Reads the settings as the server would and tells every mistake.", descriptionHeading = "%n", description = {
        "One line for each mistake, with its line in mta.toml or in the file of users and what was probably meant. Nothing is started or"
                + " written."}, optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                        Exit.DONE_TEXT, Exit.USAGE_TEXT,
                        Exit.CONFIGURATION_TEXT}, footerHeading = "%nExamples:%n", footer = {"  ./mta check",
                                "  ./mta --home /srv/mail check --set hostname=mail.example.org"})
final class CheckCommand implements Callable<Integer> {
    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "a setting that is stronger than mta.toml; may be repeated")
    private List<String> overrides = List.of();

    private final MtaCommand mta;

    CheckCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        Settings.read(mta.home(), overrides);
        List<String> mistakes = UserFile.in(mta.home()).mistakes();
        if (!mistakes.isEmpty()) {
            throw new CommandFailure(Exit.CONFIGURATION, String.join(System.lineSeparator(), mistakes));
        }
        Path file = mta.home().resolve(ConfigReader.FILE);
        mta.world().out().println(Files.exists(file)
                ? file + ": no mistakes"
                : "there is no " + file
                        + "; the defaults hold");
        return Exit.DONE;
    }
}
