package org.slipstream.dist.cli;

import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// Puts the commands together and turns every way in which they can end into an exit code and at most a sentence.
public final class Cli {
    private Cli() {}

    /// @return the exit code
    public static int execute(World world, String... arguments) {
        return commandLine(world).execute(arguments);
    }

    static CommandLine commandLine(World world) {
        MtaCommand mta = new MtaCommand(world);
        CommandLine queue = new CommandLine(new QueueCommand(mta)).addSubcommand(new QueueListCommand(mta))
                .addSubcommand(new QueueCountCommand(mta))
                .addSubcommand(new QueueShowCommand(mta)).addSubcommand(new QueueFlushCommand(mta))
                .addSubcommand(new QueueOrderCommand.Hold(mta)).addSubcommand(new QueueOrderCommand.Release(mta))
                .addSubcommand(new QueueDeleteCommand(mta));
        CommandLine destdb = new CommandLine(new DestdbCommand(mta)).addSubcommand(new DestdbCommand.Listing(mta))
                .addSubcommand(new DestdbCommand.Show(mta)).addSubcommand(new DestdbOrderCommand.Suspend(mta))
                .addSubcommand(new DestdbOrderCommand.Resume(mta)).addSubcommand(new DestdbOrderCommand.Forget(mta));
        CommandLine lab = new CommandLine(new LabCommand(mta)).addSubcommand(new LabListCommand(mta))
                .addSubcommand(new LabRunCommand(mta)).addSubcommand(new LabStudyCommand(mta))
                .addSubcommand(new LabCommand.GoldenTraces(mta));
        CommandLine user = new CommandLine(new UserCommand(mta)).addSubcommand(new UserCommand.Add(mta))
                .addSubcommand(new UserCommand.Passwd(mta)).addSubcommand(new UserCommand.Listing(mta))
                .addSubcommand(new UserCommand.Remove(mta));
        CommandLine spool = new CommandLine(new SpoolCommand(mta)).addSubcommand(new SpoolCommand.Verify(mta))
                .addSubcommand(new SpoolCommand.Repair(mta)).addSubcommand(new SpoolCommand.Export(mta))
                .addSubcommand(new SpoolCommand.Import(mta));
        CommandLine line = new CommandLine(mta).addSubcommand(new RunCommand(mta)).addSubcommand(new WarmUpCommand(mta))
                .addSubcommand(new CheckCommand(mta))
                .addSubcommand(new SendCommand(mta)).addSubcommand(queue).addSubcommand(destdb)
                .addSubcommand(user).addSubcommand(spool)
                .addSubcommand(new StatusCommand(mta))
                .addSubcommand(lab).addSubcommand(new CompletionCommand(mta));
        return line.setOut(writer(world.out())).setErr(writer(world.err()))
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF)).setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(100).setParameterExceptionHandler(Cli::wrongUsage)
                .setExecutionExceptionHandler((failure, where, _) -> failed(failure, where, mta));
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
        line.getErr().println("mta: " + decapitalised(wrong.getMessage()) + meant + " (see "
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
