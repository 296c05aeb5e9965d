package org.slipstream.cli.spool;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.config.Config;
import org.slipstream.config.ShardStore;
import org.slipstream.core.FailureWords;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.tools.SpoolTools;
import org.slipstream.spool.tools.SpoolTools.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// `spool`: the commands for the queue files of a stopped server.
@Command(synopsisSubcommandLabel = "COMMAND", header = "Checks, repairs and moves the queue of a stopped server.",
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CANNOT_START_TEXT, Exit.CONFIGURATION_TEXT},
        footer = {"  mta spool verify", "  mta spool export /tmp/mail", "  mta --home /srv/new spool import /tmp/mail"})
public final class SpoolCommand implements MtaAction {
    private static final String HERE = "here";

    @Option(names = "--shard", paramLabel = "N", scope = ScopeType.INHERIT, defaultValue = "",
            description = "the shard whose spool is meant, or \"here\": mail that was kept while the database was gone"
                    + " (default: 1; verify: all)")
    private String shard = "";

    @Override
    public int run(MtaCommand mta) {
        mta.world().err().println("mta: choose one: verify, repair, corrupt, export or import (see mta spool --help)");
        return Exit.USAGE;
    }

    interface Tool {
        Report use(Config config, SpoolConfig spool) throws SpoolException, IOException;
    }

    private interface Simple {
        Report use(SpoolConfig spool) throws SpoolException, IOException;
    }

    static Report use(MtaCommand mta, Tool tool) {
        Config config = LoadedConfig.read(mta.settings(), List.of());
        String shard = shard(mta);
        return use(config, spool(config, shard.isEmpty() ? "1" : shard), tool);
    }

    private static String shard(MtaCommand mta) {
        return mta.chosen().getCommandSpec().findOption("--shard").getValue();
    }

    private static Report use(Config config, SpoolConfig spool, Tool tool) {
        try {
            return tool.use(config, spool);
        } catch (SpoolException refused) {
            throw new CommandFailure(Exit.CANNOT_START, String.valueOf(refused.getMessage()), refused);
        } catch (IOException trouble) {
            throw new CommandFailure(Exit.CANNOT_START, "The spool " + spool.directory()
                    + " cannot be read or written: " + trouble.getMessage(), trouble);
        }
    }

    private static SpoolConfig spool(Config config, String shard) {
        try {
            return (shard.equals(HERE)
                    ? ShardStore.keptHere(config)
                    : ShardStore.spool(config, Integer.parseInt(shard)))
                    .orElseThrow(() -> new CommandFailure(Exit.USAGE, shard.equals(HERE)
                            ? "this server has kept no mail: there is no folder "
                                    + ShardStore.keptHere(config.spool()).directory()
                            : "there is no shard " + shard + ": the file \"shards\" of the home folder lists them"));
        } catch (NumberFormatException wrong) {
            throw new CommandFailure(Exit.USAGE, "--shard is a number or \"" + HERE + "\", not \"" + shard + "\"",
                    wrong);
        } catch (IOException unreadable) {
            throw new CommandFailure(Exit.CANNOT_START, FailureWords.of(unreadable), unreadable);
        }
    }

    private static int tell(MtaCommand mta, String words, Simple tool) {
        return tell(mta, words, use(mta, (_, spool) -> tool.use(spool)));
    }

    private static int tell(MtaCommand mta, String words, Report report) {
        report.findings().forEach(mta.world().out()::println);
        mta.world().out().println(words.formatted(report.records(), report.queued(), report.findings().size()));
        if (report.setAside() > 0) {
            mta.world().out().println(report.setAside() + " messages are set aside: `mta spool corrupt report` sends"
                    + " reports to their senders, `mta spool corrupt forget` does not");
        }
        return report.findings().isEmpty() ? Exit.DONE : Exit.NO;
    }

    @Command(header = "Reads every record and every message, and reports damage.",
            description = "Without --shard it reads all shards, and mail that was kept while the database was gone.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CANNOT_START_TEXT,
                    Exit.CONFIGURATION_TEXT},
            footer = "  mta spool verify")
    public static final class Verify implements MtaAction {
        @Option(names = "--json", description = "as JSON: records, queued, setAside, findings")
        private boolean json;

        @Override
        public int run(MtaCommand mta) {
            Config config = LoadedConfig.read(mta.settings(), List.of());
            Report report = spools(config, shard(mta)).stream()
                    .map(each -> use(config, each,
                            (_, spool) -> SpoolTools.verify(spool, System::currentTimeMillis)))
                    .reduce(Verify::sum).orElseThrow();
            if (json) {
                mta.world().out().println(RecordJson.write(report));
                return report.findings().isEmpty() ? Exit.DONE : Exit.NO;
            }
            return tell(mta, "%d records, %d messages queued, %d findings", report);
        }

        private static List<SpoolConfig> spools(Config config, String shard) {
            if (!shard.isEmpty()) {
                return List.of(spool(config, shard));
            }
            try {
                return Stream.concat(ShardStore.spools(config).values().stream(),
                        ShardStore.keptHere(config).stream()).toList();
            } catch (IOException unreadable) {
                throw new CommandFailure(Exit.CANNOT_START, FailureWords.of(unreadable), unreadable);
            }
        }

        private static Report sum(Report one, Report other) {
            return new Report(one.records() + other.records(), one.queued() + other.queued(),
                    one.setAside() + other.setAside(),
                    Stream.concat(one.findings().stream(), other.findings().stream()).toList());
        }
    }

    @Command(header = "Makes the queue index again from the message log; the old one is kept beside it.",
            description = "Damaged headers of segments are rewritten, too. Messages that only the"
                    + " old index names, because a segment is missing, are lost with it: see `spool corrupt list` first.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CANNOT_START_TEXT,
                    Exit.CONFIGURATION_TEXT},
            footer = "  mta spool repair")
    public static final class Repair implements MtaAction {
        @Override
        public int run(MtaCommand mta) {
            return tell(mta, "%d records, %d messages queued, %d findings",
                    spool -> SpoolTools.repair(spool, System::currentTimeMillis));
        }
    }

    @Command(header = "Writes each queued message into a file, its envelope in header fields.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CANNOT_START_TEXT,
                    Exit.CONFIGURATION_TEXT},
            footer = "  mta spool export /tmp/mail")
    public static final class Export implements MtaAction {
        @Parameters(paramLabel = "DIR", description = "folder for the files")
        private Path target;

        @Override
        public int run(MtaCommand mta) {
            return tell(mta, "%d of %d messages exported, %d not",
                    spool -> SpoolTools.export(spool, System::currentTimeMillis, target));
        }
    }

    @Command(header = "Queues the messages of an export.",
            description = "A file that was taken is renamed, so the command may be repeated.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CANNOT_START_TEXT,
                    Exit.CONFIGURATION_TEXT},
            footer = "  mta --home /srv/new spool import /tmp/mail")
    public static final class Import implements MtaAction {
        @Parameters(paramLabel = "DIR", description = "a folder of .eml files")
        private Path source;

        @Override
        public int run(MtaCommand mta) {
            return tell(mta, "%d messages imported, %d queued now, %d not imported",
                    spool -> SpoolTools.importFrom(spool, System::currentTimeMillis, source));
        }
    }
}
