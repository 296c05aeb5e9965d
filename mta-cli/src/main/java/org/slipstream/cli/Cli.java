package org.slipstream.cli;

import org.slipstream.cli.frame.CliContext;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.host.DestdbCommand;
import org.slipstream.cli.host.HostOrderCommand;
import org.slipstream.cli.host.LimitCommand;
import org.slipstream.cli.host.MailOrderCommand;
import org.slipstream.cli.host.RetryCommand;
import org.slipstream.cli.lab.LabCommand;
import org.slipstream.cli.lab.LabGoldenCommand;
import org.slipstream.cli.lab.LabListCommand;
import org.slipstream.cli.lab.LabReplayCommand;
import org.slipstream.cli.lab.LabRunCommand;
import org.slipstream.cli.lab.LabShardsCommand;
import org.slipstream.cli.lab.LabStudyCommand;
import org.slipstream.cli.lab.LabWhatIfCommand;
import org.slipstream.cli.lab.SinkCommand;
import org.slipstream.cli.queue.ExplainCommand;
import org.slipstream.cli.queue.MailqCommand;
import org.slipstream.cli.queue.MessageOrderCommand;
import org.slipstream.cli.queue.QueueCatCommand;
import org.slipstream.cli.queue.QueueCommand;
import org.slipstream.cli.queue.QueueCountCommand;
import org.slipstream.cli.queue.QueueFlushCommand;
import org.slipstream.cli.queue.QueueListCommand;
import org.slipstream.cli.queue.QueueShapeCommand;
import org.slipstream.cli.queue.QueueShowCommand;
import org.slipstream.cli.queue.TraceCommand;
import org.slipstream.cli.queue.VerifyCommand;
import org.slipstream.cli.run.RunCommand;
import org.slipstream.cli.run.SendCommand;
import org.slipstream.cli.sendmail.SendmailCommand;
import org.slipstream.cli.setup.AddressCommand;
import org.slipstream.cli.setup.CheckCommand;
import org.slipstream.cli.setup.ConfigCommand;
import org.slipstream.cli.setup.ImportPostfixCommand;
import org.slipstream.cli.setup.NewaliasesCommand;
import org.slipstream.cli.setup.ReloadCommand;
import org.slipstream.cli.setup.ReportCommand;
import org.slipstream.cli.setup.TokenCommand;
import org.slipstream.cli.setup.UserCommand;
import org.slipstream.cli.shard.ShardCommand;
import org.slipstream.cli.shard.ShardOrderCommand;
import org.slipstream.cli.shard.StatusCommand;
import org.slipstream.cli.shard.TopCommand;
import org.slipstream.cli.spool.SpoolCommand;
import org.slipstream.cli.spool.SpoolCorruptCommand;
import org.slipstream.core.text.Controls;
import org.slipstream.core.text.Nearest;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Executes the commands and converts every way in which they can end into an exit code and at most
/// one sentence.
public final class Cli {
    private Cli() {}

    /// Subcommands of each command, in the order of the help.
    private static final Map<String, List<String>> NAMES = Map.ofEntries(
            Map.entry("", List.of("run", "warm-up", "check", "config", "reload", "send", "queue", "explain", "trace",
                    "verify", "address", "suspend",
                    "resume", "freeze", "thaw", "limit", "destdb", "shard", "retry", "user", "token", "spool", "status",
                    "top",
                    "report", "sink", "lab", "import-postfix", "sendmail", "mailq", "newaliases", "completion", "man")),
            Map.entry("queue",
                    List.of("list", "count", "shape", "show", "cat", "flush", "hold", "release", "requeue", "reroute",
                            "priority", "bounce", "expire", "delete")),
            Map.entry("suspend", List.of("list")), Map.entry("limit", List.of("list")),
            Map.entry("destdb", List.of("list", "show", "suspend", "resume", "forget")),
            Map.entry("shard", List.of("list", "add", "drain", "enable", "disable", "load")),
            Map.entry("retry", List.of("list", "show")), Map.entry("user", List.of("add", "passwd", "list", "remove")),
            Map.entry("token", List.of("add", "list", "remove")),
            Map.entry("spool", List.of("verify", "repair", "corrupt", "export", "import")),
            Map.entry("spool corrupt", List.of("list", "report", "forget")), Map.entry("report", List.of("template")),
            Map.entry("lab", List.of("list", "run", "replay", "what-if", "study", "shards", "golden")));
    /// Options of `mta` that may stand before a command, with their value in the next argument.
    private static final Set<String> WITH_VALUE = Set.of("--home", "--config", "--socket", "--token-file");
    /// Commands with others below them that take words of their own as well.
    private static final Set<String> WITH_NAME = Set.of("suspend", "limit");
    /// Arguments that need all commands.
    private static final Set<String> OVERVIEWS = Set.of("-h", "--help", "completion", "man");

    /// The command whose arguments have a syntax of their own.
    private static final String FOREIGN = "sendmail";

    /// @return the exit code
    public static int execute(CliContext world, String... arguments) {
        int end = endOfOwnArguments(arguments);
        String[] own = Arrays.copyOf(arguments, end);
        Optional<String> unknown = unknownCommand(own);
        if (unknown.isPresent()) {
            world.err().println("mta: " + Controls.replaced(unknown.get()));
            return Exit.USAGE;
        }
        return commandLine(world, List.of(arguments).subList(end, arguments.length), own).execute(own);
    }

    /// A word in the place of a command that names none. The help of the command before it would hide the
    /// mistake, and a guess among all forty is worse than one among those of the group.
    private static Optional<String> unknownCommand(String... arguments) {
        String path = "";
        for (int at = 0; at < arguments.length && NAMES.containsKey(path) && !WITH_NAME.contains(path); at++) {
            String word = arguments[at];
            if (WITH_VALUE.contains(word)) {
                at++;
            } else if (!word.startsWith("-")) {
                List<String> names = NAMES.get(path);
                if (!names.contains(word)) {
                    return Optional.of("unknown command '" + word + "'"
                            + Nearest.to(word, names).map(near -> "; did you mean " + near + "?").orElse("")
                            + " (see mta " + (path.isEmpty() ? "" : path + " ") + "--help)");
                }
                path = path.isEmpty() ? word : path + " " + word;
            }
        }
        return Optional.empty();
    }

    /// Behind the word `sendmail`, unless it asks for its help or is a value of another command.
    private static int endOfOwnArguments(String... arguments) {
        for (int at = 0; at < arguments.length; at++) {
            String word = arguments[at];
            if (word.equals(FOREIGN)) {
                boolean help = at + 2 == arguments.length && arguments[at + 1].equals("--help");
                return help ? arguments.length : at + 1;
            }
            if (WITH_VALUE.contains(word)) {
                at++;
            } else if (!word.startsWith("-")) {
                break;
            }
        }
        return arguments.length;
    }

    public static CommandLine commandLine(CliContext world, String... arguments) {
        return commandLine(world, List.of(), arguments);
    }

    private static CommandLine commandLine(CliContext world, List<String> rest, String... arguments) {
        MtaCommand mta = new MtaCommand(world, rest, words -> execute(world, words));
        List<String> words = List.of(arguments);
        CommandLine line = withCommands("", mta, mta,
                OVERVIEWS.stream().anyMatch(words::contains) ? List.of() : words);
        return line.setOut(writer(world.out())).setErr(writer(world.err()))
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF)).setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(100).setParameterExceptionHandler(Cli::wrongUsage)
                .setExecutionExceptionHandler((failure, where, _) -> failed(failure, where, mta));
    }

    /// Adds the commands that the words name, because reading the annotations of all forty takes
    /// longer than most of them run. When the words name none, all are added, for the help and for
    /// "did you mean".
    private static CommandLine withCommands(String path, Object command, MtaCommand mta, List<String> words) {
        CommandLine line = new CommandLine(command);
        List<String> all = NAMES.getOrDefault(path, List.of());
        List<String> named = all.stream().filter(words::contains).toList();
        for (String name : named.isEmpty() ? all : named) {
            String below = path.isEmpty() ? name : path + " " + name;
            line.addSubcommand(withCommands(below, command(below, mta), mta, words));
        }
        return line;
    }

    private static Object command(String path, MtaCommand mta) {
        return switch (path) {
            case "run" -> new RunCommand(mta);
            case "warm-up" -> new WarmUpCommand(mta);
            case "check" -> new CheckCommand(mta);
            case "config" -> new ConfigCommand(mta);
            case "reload" -> new ReloadCommand(mta);
            case "send" -> new SendCommand(mta);
            case "queue" -> new QueueCommand(mta);
            case "queue list" -> new QueueListCommand(mta);
            case "queue count" -> new QueueCountCommand(mta);
            case "queue shape" -> new QueueShapeCommand(mta);
            case "queue show" -> new QueueShowCommand(mta);
            case "queue flush" -> QueueFlushCommand.of(mta);
            case "queue hold", "queue release", "queue requeue", "queue reroute", "queue priority", "queue bounce",
                    "queue expire", "queue delete" ->
                MessageOrderCommand.of(last(path), mta);
            case "queue cat" -> new QueueCatCommand(mta);
            case "trace" -> new TraceCommand(mta);
            case "explain" -> new ExplainCommand(mta);
            case "verify" -> new VerifyCommand(mta);
            case "address" -> new AddressCommand(mta);
            case "suspend", "resume", "freeze", "thaw" -> MailOrderCommand.of(path, mta);
            case "suspend list" -> new MailOrderCommand.SuspensionListing(mta);
            case "limit" -> LimitCommand.of(mta);
            case "limit list" -> new LimitCommand.LimitListing(mta);
            case "destdb" -> new DestdbCommand(mta);
            case "destdb list" -> new DestdbCommand.HostListing(mta);
            case "destdb show" -> new DestdbCommand.Show(mta);
            case "destdb suspend", "destdb resume", "destdb forget" -> HostOrderCommand.of(last(path), mta);
            case "shard" -> new ShardCommand(mta);
            case "shard list" -> new ShardCommand.ShardListing(mta);
            case "shard add", "shard drain", "shard enable", "shard disable", "shard load" ->
                ShardOrderCommand.of(last(path), mta);
            case "retry" -> new RetryCommand(mta);
            case "retry list" -> new RetryCommand.PolicyListing(mta);
            case "retry show" -> new RetryCommand.Showing(mta);
            case "user" -> new UserCommand(mta);
            case "user add" -> new UserCommand.Add(mta);
            case "user passwd" -> new UserCommand.Passwd(mta);
            case "user list" -> new UserCommand.Listing(mta);
            case "user remove" -> new UserCommand.Remove(mta);
            case "token" -> new TokenCommand(mta);
            case "token add" -> new TokenCommand.TokenAdd(mta);
            case "token list" -> new TokenCommand.TokenListing(mta);
            case "token remove" -> new TokenCommand.TokenRemove(mta);
            case "spool" -> new SpoolCommand(mta);
            case "spool verify" -> new SpoolCommand.Verify(mta);
            case "spool repair" -> new SpoolCommand.Repair(mta);
            case "spool corrupt" -> new SpoolCorruptCommand(mta);
            case "spool corrupt list" -> new SpoolCorruptCommand.CorruptListing(mta);
            case "spool corrupt report" -> new SpoolCorruptCommand.Reporting(mta);
            case "spool corrupt forget" -> new SpoolCorruptCommand.Forgetting(mta);
            case "spool export" -> new SpoolCommand.Export(mta);
            case "spool import" -> new SpoolCommand.Import(mta);
            case "status" -> new StatusCommand(mta);
            case "top" -> new TopCommand(mta);
            case "report" -> new ReportCommand(mta);
            case "report template" -> new ReportCommand.TemplateCommand(mta);
            case "sink" -> new SinkCommand(mta);
            case "lab" -> new LabCommand(mta);
            case "lab list" -> new LabListCommand(mta);
            case "lab run" -> new LabRunCommand(mta);
            case "lab replay" -> new LabReplayCommand(mta);
            case "lab what-if" -> new LabWhatIfCommand(mta);
            case "lab shards" -> new LabShardsCommand(mta);
            case "lab study" -> new LabStudyCommand(mta);
            case "lab golden" -> new LabGoldenCommand(mta);
            case "import-postfix" -> new ImportPostfixCommand(mta);
            case "sendmail" -> new SendmailCommand(mta);
            case "mailq" -> new MailqCommand(mta);
            case "newaliases" -> new NewaliasesCommand(mta);
            case "completion" -> new CompletionCommand(mta);
            case "man" -> new ManualCommand(mta);
            default -> throw new IllegalArgumentException(path);
        };
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf(' ') + 1);
    }

    private static PrintWriter writer(java.io.OutputStream stream) {
        return new PrintWriter(new java.io.OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
    }

    private static int wrongUsage(ParameterException wrong, String[] arguments) {
        CommandLine line = wrong.getCommandLine();
        List<String> near = wrong instanceof UnmatchedArgumentException unmatched
                ? unmatched.getSuggestions()
                : List.of();
        String meant = near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?";
        line.getErr().println("mta: " + decapitalised(String.valueOf(wrong.getMessage())) + meant + " (see "
                + line.getCommandSpec().qualifiedName() + " --help)");
        return Exit.USAGE;
    }

    private static int failed(Exception failure, CommandLine line, MtaCommand mta) {
        Throwable cause = failure instanceof ExecutionException && failure.getCause() != null
                ? failure.getCause()
                : failure;
        if (cause instanceof CommandFailure expected) {
            line.getErr().println(expected.getMessage());
            return expected.exit();
        }
        line.getErr().println("mta: internal error: "
                + Optional.ofNullable(cause.getMessage()).orElse(cause.getClass().getSimpleName())
                + (mta.isVerbose() ? "" : " (-v shows where)"));
        if (mta.isVerbose()) {
            cause.printStackTrace(line.getErr());
        }
        return Exit.INTERNAL;
    }

    private static String decapitalised(String sentence) {
        return sentence.isEmpty() ? sentence : Character.toLowerCase(sentence.charAt(0)) + sentence.substring(1);
    }
}
