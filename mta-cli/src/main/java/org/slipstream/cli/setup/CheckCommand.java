package org.slipstream.cli.setup;

import org.slipstream.admin.operations.ConfigurationOperations.RestartView;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.ServerStarter;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.core.text.Controls;
import org.slipstream.events.bounce.BounceClass;
import org.slipstream.guard.preflight.KnownReplies;
import org.slipstream.settings.Problem;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// `check`: reports all mistakes in the settings.
@Command(header = "Checks the settings like a start and reports every mistake.",
        description = {
                "One line for each mistake, with its place and the remedy. Everything that a start reads is checked:"
                        + " settings, certificates, logins at smart hosts, users, folders, the queue index's database."
                        + " Nothing is started or written, and a port that is in use is no mistake, because a running"
                        + " server holds its ports.",
                "When a server runs, settings that it takes only at its next start are listed."},
        exitCodeList = {Exit.DONE_TEXT,
                " 1:the server would start, but some mail would not be delivered; or the domain or message lacks"
                        + " something; or the reply is not known",
                Exit.USAGE_TEXT, Exit.CONFIGURATION_TEXT},
        footer = {"  mta check", "  mta --home /srv/mail check --set hostname=mail.example.org",
                "  mta check --dns example.org --address 192.0.2.25", "  mta check --mail newsletter.eml",
                "  mta check --to me@provider.example", "  mta check --reply '550 5.7.26 Unauthenticated email'"})
public final class CheckCommand implements MtaAction {
    @Option(names = "--set", paramLabel = "KEY=VALUE",
            description = "a setting that overrides mta.toml; may be repeated")
    private List<String> overrides = List.of();

    @Option(names = "--json", description = "as JSON")
    private boolean json;

    @Option(names = "--reply", paramLabel = "TEXT",
            description = "the bounce class of a reply, and the meaning of those of large providers, such as 550 5.7.515")
    private Optional<String> reply = Optional.empty();

    @ArgGroup(exclusive = false, heading = "%nIn place of the settings, a domain or a message:%n")
    private DomainOptions dns = new DomainOptions();

    /// @param remarks the server would start, but some mail would not be delivered
    /// @param restart the running server takes these settings at its next start
    private record CheckView(List<String> mistakes, List<String> remarks, List<RestartView> restart) {}

    @Override
    public int run(MtaCommand mta) {
        if (reply.isPresent()) {
            return explain(mta, reply.get());
        }
        if (json && !dns.isGiven()) {
            return asJson(mta);
        }
        Config config = LoadedConfig.read(mta.settings(), overrides);
        if (dns.isGiven()) {
            return dns.run(config, mta, json);
        }
        ServerStarter.Findings findings = mta.world().starter().examine(config);
        if (!findings.mistakes().isEmpty()) {
            throw new CommandFailure(Exit.CONFIGURATION, sentences(
                    Stream.concat(findings.mistakes().stream(), findings.remarks().stream()).toList()));
        }
        if (!findings.remarks().isEmpty()) {
            throw new CommandFailure(Exit.NO, sentences(findings.remarks()));
        }
        waitingForStart(mta, config).forEach(each -> mta.world().out().println(Controls.replaced(config.written()
                .sentence(each.key(), "takes effect at the next start of the server: " + each.reason()))));
        Path file = mta.settings().file();
        mta.world().out().println(Files.exists(file)
                ? file + ": no mistakes"
                : "there is no " + file
                        + "; the defaults apply");
        return Exit.DONE;
    }

    private record ReplyView(String bounceClass, String provider, String meaning, String change) {}

    /// The class by the settings, because an administrator tries new rules so.
    private int explain(MtaCommand mta, String text) {
        BounceClass bounceClass = LoadedConfig.read(mta.settings(), overrides).bounceClasses().of(text);
        Optional<KnownReplies.KnownReply> known = KnownReplies.of(text);
        if (known.isEmpty() && bounceClass == BounceClass.UNCATEGORIZED) {
            throw new CommandFailure(Exit.NO,
                    "mta: this reply is not one of those that are known; docs of the provider explain it");
        }
        if (json) {
            mta.world().out().println(RecordJson.write(new ReplyView(bounceClass.word(),
                    known.map(KnownReplies.KnownReply::provider).orElse(""),
                    known.map(KnownReplies.KnownReply::meaning).orElse(""),
                    known.map(KnownReplies.KnownReply::change).orElse(""))));
        } else {
            mta.world().out().println("class: " + bounceClass.word());
            known.ifPresent(each -> mta.world().out().println(each.text()));
        }
        return Exit.DONE;
    }

    private int asJson(MtaCommand mta) {
        CheckView view = switch (ConfigReader.read(mta.settings(), overrides)) {
            case ReadResult.Rejected(List<Problem> problems) ->
                new CheckView(problems.stream().map(Problem::toString).toList(), List.of(), List.of());
            case ReadResult.Accepted(Config config) -> {
                ServerStarter.Findings findings = mta.world().starter().examine(config);
                yield new CheckView(findings.mistakes(), findings.remarks(), waitingForStart(mta, config));
            }
        };
        mta.world().out().println(RecordJson.write(view));
        return !view.mistakes().isEmpty() ? Exit.CONFIGURATION : view.remarks().isEmpty() ? Exit.DONE : Exit.NO;
    }

    /// Empty when no server runs, or none that answers this user.
    private List<RestartView> waitingForStart(MtaCommand mta, Config config) {
        try {
            return ConfigCommand.waitingForStart(mta, config.written().settings()).stream()
                    .map(each -> new RestartView(each.key(), each.restart())).toList();
        } catch (CommandFailure noServer) {
            return List.of();
        }
    }

    private static String sentences(List<String> all) {
        return all.stream().map(Controls::replaced).collect(Collectors.joining(System.lineSeparator()));
    }
}
