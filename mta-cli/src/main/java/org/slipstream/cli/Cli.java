package org.slipstream.cli;

import org.slipstream.cli.dmarc.DmarcCommand;
import org.slipstream.cli.dmarc.DmarcReportCommand;
import org.slipstream.cli.dmarc.TlsrptCommand;
import org.slipstream.cli.dmarc.TlsrptReportCommand;
import org.slipstream.cli.events.EventsCommand;
import org.slipstream.cli.events.WebhookCommand;
import org.slipstream.cli.frame.CliContext;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Version;
import org.slipstream.cli.host.DestdbCommand;
import org.slipstream.cli.host.HostOrderCommand;
import org.slipstream.cli.host.LimitCommand;
import org.slipstream.cli.host.MailOrderCommand;
import org.slipstream.cli.host.ProviderCommand;
import org.slipstream.cli.host.RetryCommand;
import org.slipstream.cli.host.SourceCommand;
import org.slipstream.cli.lab.LabCommand;
import org.slipstream.cli.lab.LabGoldenCommand;
import org.slipstream.cli.lab.LabListCommand;
import org.slipstream.cli.lab.LabReplayCommand;
import org.slipstream.cli.lab.LabReplayWorldCommand;
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
import org.slipstream.cli.run.ConsoleCommand;
import org.slipstream.cli.run.RunCommand;
import org.slipstream.cli.run.SendCommand;
import org.slipstream.cli.sendmail.SendmailCommand;
import org.slipstream.cli.setup.AddressCommand;
import org.slipstream.cli.setup.CheckCommand;
import org.slipstream.cli.setup.ConfigCommand;
import org.slipstream.cli.setup.DkimCommand;
import org.slipstream.cli.setup.ImportPostfixCommand;
import org.slipstream.cli.setup.NewaliasesCommand;
import org.slipstream.cli.setup.ReloadCommand;
import org.slipstream.cli.setup.ReportCommand;
import org.slipstream.cli.setup.SetupCommand;
import org.slipstream.cli.setup.TokenCommand;
import org.slipstream.cli.setup.UserCommand;
import org.slipstream.cli.setup.UserMailCommand;
import org.slipstream.cli.shaping.ShapingCommand;
import org.slipstream.cli.shaping.ShapingTryCommand;
import org.slipstream.cli.shard.ClusterCommand;
import org.slipstream.cli.shard.ShardCommand;
import org.slipstream.cli.shard.ShardOrderCommand;
import org.slipstream.cli.shard.StatusCommand;
import org.slipstream.cli.shard.TopCommand;
import org.slipstream.cli.spool.ClusterCheckCommand;
import org.slipstream.cli.spool.SpoolCommand;
import org.slipstream.cli.spool.SpoolCorruptCommand;
import org.slipstream.cli.suppression.SuppressionCommand;
import org.slipstream.cli.suppression.SuppressionOrderCommand;
import org.slipstream.core.order.HostOrder;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.ShapingVerb;
import org.slipstream.core.order.ShardOrder;
import org.slipstream.core.order.SourceVerb;
import org.slipstream.core.order.SuppressionVerb;
import org.slipstream.core.order.WebhookVerb;
import org.slipstream.core.text.Controls;
import org.slipstream.core.text.Nearest;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Supplier;

/// Executes the commands and converts every way in which they can end into an exit code and at most
/// one sentence.
public final class Cli {
    private Cli() {}

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
        for (int at = 0; at < arguments.length && !WITH_NAME.contains(path); at++) {
            String word = arguments[at];
            if (WITH_VALUE.contains(word)) {
                at++;
            } else if (!word.startsWith("-")) {
                Set<String> names = below(path).keySet();
                if (names.isEmpty()) {
                    break;
                }
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
        CommandLine line = withCommands("mta", "", mta,
                OVERVIEWS.stream().anyMatch(words::contains) ? List.of() : words);
        return line.setOut(writer(world.out())).setErr(writer(world.err()))
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF)).setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(100).setExecutionStrategy(parsed -> run(parsed, mta))
                .setParameterExceptionHandler(Cli::wrongUsage)
                .setExecutionExceptionHandler((failure, where, _) -> failed(failure, where, mta));
    }

    /// Adds the commands that the words name, because reading the annotations of all seventy takes
    /// longer than most of them run. When the words name none, all are added, for the help and for
    /// "did you mean".
    private static CommandLine withCommands(String name, String path, Object command, List<String> words) {
        CommandLine line = new CommandLine(command);
        CommandSpec spec = line.getCommandSpec().name(name).mixinStandardHelpOptions(true)
                .versionProvider(new Version());
        UsageMessageSpec usage = spec.usageMessage().optionListHeading("%nOptions:%n")
                .commandListHeading("%nCommands:%n").exitCodeListHeading("%nExit codes:%n")
                .footerHeading("%nExamples:%n");
        if (usage.description().length > 0) {
            usage.descriptionHeading("%n");
        }
        if (usage.exitCodeList().isEmpty()) {
            usage.exitCodeList(Exit.ofRequests());
        }
        SequencedMap<String, Supplier<Object>> below = below(path);
        boolean namesAny = below.keySet().stream().anyMatch(words::contains);
        below.forEach((word, make) -> {
            if (!namesAny || words.contains(word)) {
                line.addSubcommand(word, withCommands(word, (path + " " + word).strip(), make.get(), words));
            }
        });
        return line;
    }

    /// The commands below one, in the order of the help. They are made by lambdas, not by references to
    /// constructors, because a reference loads the class of a command that is not run.
    private static SequencedMap<String, Supplier<Object>> below(String path) {
        SequencedMap<String, Supplier<Object>> all = new LinkedHashMap<>();
        switch (path) {
            case "" -> {
                all.put("run", () -> new RunCommand());
                all.put("warm-up", () -> new WarmUpCommand());
                all.put("setup", () -> new SetupCommand());
                all.put("check", () -> new CheckCommand());
                all.put("config", () -> new ConfigCommand());
                all.put("reload", () -> new ReloadCommand());
                all.put("send", () -> new SendCommand());
                all.put("queue", () -> new QueueCommand());
                all.put("explain", () -> new ExplainCommand());
                all.put("trace", () -> new TraceCommand());
                all.put("verify", () -> new VerifyCommand());
                all.put("address", () -> new AddressCommand());
                List.of("suspend", "resume", "freeze", "thaw")
                        .forEach(word -> all.put(word, () -> MailOrderCommand.of(word)));
                all.put("limit", () -> LimitCommand.of());
                all.put("shaping", () -> new ShapingCommand());
                all.put("provider", () -> new ProviderCommand());
                all.put("destdb", () -> new DestdbCommand());
                all.put("suppression", () -> new SuppressionCommand());
                all.put("shard", () -> new ShardCommand());
                all.put("cluster", () -> new ClusterCommand());
                all.put("retry", () -> new RetryCommand());
                all.put("user", () -> new UserCommand());
                all.put("token", () -> new TokenCommand());
                all.put("events", () -> new EventsCommand());
                all.put("webhook", () -> new WebhookCommand());
                all.put("source", () -> new SourceCommand());
                all.put("spool", () -> new SpoolCommand());
                all.put("status", () -> new StatusCommand());
                all.put("top", () -> new TopCommand());
                all.put("console", () -> new ConsoleCommand());
                all.put("report", () -> new ReportCommand());
                all.put("dmarc", () -> new DmarcCommand());
                all.put("dkim", () -> new DkimCommand());
                all.put("tlsrpt", () -> new TlsrptCommand());
                all.put("sink", () -> new SinkCommand());
                all.put("lab", () -> new LabCommand());
                all.put("import-postfix", () -> new ImportPostfixCommand());
                all.put("sendmail", () -> new SendmailCommand());
                all.put("mailq", () -> new MailqCommand());
                all.put("newaliases", () -> new NewaliasesCommand());
                all.put("completion", () -> new CompletionCommand());
                all.put("man", () -> new ManualCommand());
            }
            case "queue" -> {
                all.put("list", () -> new QueueListCommand());
                all.put("count", () -> new QueueCountCommand());
                all.put("shape", () -> new QueueShapeCommand());
                all.put("show", () -> new QueueShowCommand());
                all.put("cat", () -> new QueueCatCommand());
                all.put("flush", () -> QueueFlushCommand.of());
                OrderForm.of(MessageOrder.class)
                        .forEach(form -> all.putIfAbsent(form.word(), () -> MessageOrderCommand.of(form)));
            }
            case "suspend" -> all.put("list", () -> new MailOrderCommand.SuspensionListing());
            case "limit" -> all.put("list", () -> new LimitCommand.LimitListing());
            case "provider" -> all.put("list", () -> new ProviderCommand.ProviderListing());
            case "destdb" -> {
                all.put("list", () -> new DestdbCommand.HostListing());
                all.put("show", () -> new DestdbCommand.Show());
                OrderForm.of(HostOrder.class)
                        .forEach(form -> all.put(form.word(), () -> HostOrderCommand.of(form)));
            }
            case "suppression" -> {
                all.put("list", () -> new SuppressionCommand.SuppressionListing());
                OrderForm.of(SuppressionVerb.class)
                        .forEach(form -> all.put(form.word(), () -> SuppressionOrderCommand.of(form)));
                all.put("import", () -> new SuppressionCommand.SuppressionImport());
                all.put("export", () -> new SuppressionCommand.SuppressionExport());
            }
            case "shard" -> {
                all.put("list", () -> new ShardCommand.ShardListing());
                OrderForm.of(ShardOrder.class)
                        .forEach(form -> all.put(form.word(), () -> ShardOrderCommand.of(form)));
            }
            case "cluster" -> {
                all.put("status", () -> new ClusterCommand.ClusterStatus());
                all.put("check", () -> new ClusterCheckCommand());
            }
            case "retry" -> {
                all.put("list", () -> new RetryCommand.PolicyListing());
                all.put("show", () -> new RetryCommand.Showing());
            }
            case "user" -> {
                all.put("add", () -> new UserCommand.Add());
                all.put("passwd", () -> new UserCommand.Passwd());
                all.put("list", () -> new UserCommand.Listing());
                all.put("remove", () -> new UserCommand.Remove());
                all.put("show", () -> new UserMailCommand.AccountShow());
                all.put("release", () -> UserMailCommand.release());
            }
            case "token" -> {
                all.put("add", () -> new TokenCommand.TokenAdd());
                all.put("list", () -> new TokenCommand.TokenListing());
                all.put("remove", () -> new TokenCommand.TokenRemove());
            }
            case "spool" -> {
                all.put("verify", () -> new SpoolCommand.Verify());
                all.put("repair", () -> new SpoolCommand.Repair());
                all.put("corrupt", () -> new SpoolCorruptCommand());
                all.put("export", () -> new SpoolCommand.Export());
                all.put("import", () -> new SpoolCommand.Import());
            }
            case "events" -> {
                all.put("follow", () -> new EventsCommand.EventFollowing());
                all.put("list", () -> new EventsCommand.EventListing());
                all.put("subscribers", () -> new EventsCommand.EventSubscribers());
            }
            case "webhook" -> {
                all.put("list", () -> new WebhookCommand.WebhookListing());
                OrderForm.of(WebhookVerb.class)
                        .forEach(form -> all.put(form.word(), () -> WebhookCommand.WebhookOrdering.of(form)));
            }
            case "shaping" -> {
                all.put("list", () -> new ShapingCommand.RuleListing());
                all.put("show", () -> new ShapingCommand.RuleShowing());
                all.put("try", () -> new ShapingTryCommand());
                OrderForm.of(ShapingVerb.class)
                        .forEach(form -> all.put(form.word(), () -> ShapingCommand.RuleOrdering.of(form)));
            }
            case "source" -> {
                all.put("list", () -> new SourceCommand.SourceListing());
                OrderForm.of(SourceVerb.class)
                        .forEach(form -> all.put(form.word(), () -> SourceCommand.SourceOrdering.of(form)));
            }
            case "spool corrupt" -> {
                all.put("list", () -> new SpoolCorruptCommand.CorruptListing());
                all.put("report", () -> new SpoolCorruptCommand.Reporting());
                all.put("forget", () -> new SpoolCorruptCommand.Forgetting());
            }
            case "report" -> all.put("template", () -> new ReportCommand.TemplateCommand());
            case "dkim" -> {
                all.put("new", () -> new DkimCommand.NewKeys());
                all.put("list", () -> new DkimCommand.KeyListing());
                all.put("rotate", () -> new DkimCommand.Rotating());
                all.put("retire", () -> new DkimCommand.Retiring());
            }
            case "dmarc" -> all.put("report", () -> new DmarcReportCommand());
            case "tlsrpt" -> all.put("report", () -> new TlsrptReportCommand());
            case "lab" -> {
                all.put("list", () -> new LabListCommand());
                all.put("run", () -> new LabRunCommand());
                all.put("replay", () -> new LabReplayCommand());
                all.put("replay-world", () -> new LabReplayWorldCommand());
                all.put("what-if", () -> new LabWhatIfCommand());
                all.put("study", () -> new LabStudyCommand());
                all.put("shards", () -> new LabShardsCommand());
                all.put("golden", () -> new LabGoldenCommand());
            }
            default -> {
                // A command without others below it.
            }
        }
        return all;
    }

    private static int run(ParseResult parsed, MtaCommand mta) {
        Integer helped = CommandLine.executeHelpRequest(parsed);
        if (helped != null) {
            return helped;
        }
        CommandLine chosen = parsed.asCommandLineList().getLast();
        try {
            return ((MtaAction) chosen.getCommand()).run(mta);
        } catch (ParameterException wrong) {
            throw wrong;
        } catch (Exception failure) {
            throw new ExecutionException(chosen, String.valueOf(failure.getMessage()), failure);
        }
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
