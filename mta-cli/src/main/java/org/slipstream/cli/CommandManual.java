package org.slipstream.cli;

import org.slipstream.settings.RoffPage;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Predicate;

/// The manual pages of the commands, from the model that also makes `--help`. A command has one page
/// with its subcommands in it: `mta-queue(1)` explains `mta queue list`.
final class CommandManual {
    private static final String COMMANDS = "User commands";

    private final String date;

    CommandManual(String date) {
        this.date = date;
    }

    /// @return the pages by file name
    SequencedMap<String, RoffPage> pages(CommandLine mta) {
        SequencedMap<String, RoffPage> pages = new LinkedHashMap<>();
        pages.put("mta.1", root(mta));
        visible(mta).forEach((name, command) -> pages.put("mta-" + name + ".1", page("mta-" + name, command)));
        return pages;
    }

    private RoffPage root(CommandLine mta) {
        RoffPage page = begin("mta", mta);
        page.heading("COMMANDS");
        visible(mta).forEach((name, command) -> page.entry("mta-" + name + "(1)",
                List.of(text(command.getCommandSpec().usageMessage().header()))));
        arguments(page, mta.getCommandSpec());
        exits(page, mta.getCommandSpec().usageMessage());
        examples(page, mta.getCommandSpec().usageMessage());
        return page.heading("SEE ALSO").text("`mta.toml`(5), `sendmail`(1)");
    }

    private RoffPage page(String title, CommandLine command) {
        RoffPage page = begin(title, command);
        arguments(page, command.getCommandSpec());
        visible(command).values().forEach(each -> subcommand(page, each));
        exits(page, command.getCommandSpec().usageMessage());
        examples(page, command.getCommandSpec().usageMessage());
        return page.heading("SEE ALSO").text("`mta`(1), whose options `--home` and `--config` apply here too;"
                + " `mta.toml`(5)");
    }

    private RoffPage begin(String title, CommandLine command) {
        UsageMessageSpec usage = command.getCommandSpec().usageMessage();
        RoffPage page = new RoffPage(title, 1, date, COMMANDS).name(title, text(usage.header())).heading("SYNOPSIS")
                .text(synopsis(command));
        if (usage.description().length > 0) {
            page.heading("DESCRIPTION").text(text(usage.description()));
        }
        return page;
    }

    private void subcommand(RoffPage page, CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        page.heading(spec.qualifiedName()).text(text(spec.usageMessage().header())).text(synopsis(command));
        if (spec.usageMessage().description().length > 0) {
            page.text(text(spec.usageMessage().description()));
        }
        entries(page, spec, each -> !each.usageHelp() && !each.versionHelp());
        if (spec.usageMessage().footer().length > 0) {
            page.lines(lines(spec.usageMessage().footer()));
        }
        visible(command).values().forEach(each -> subcommand(page, each));
    }

    private static void arguments(RoffPage page, CommandSpec spec) {
        page.heading("OPTIONS");
        entries(page, spec, _ -> true);
    }

    /// The options of `mta` itself, which every command inherits, stand in its own page.
    private static void entries(RoffPage page, CommandSpec spec, Predicate<OptionSpec> shown) {
        spec.positionalParameters().stream().filter(each -> !each.hidden())
                .forEach(each -> page.entry(each.paramLabel(), List.of(text(each.description()))));
        spec.options().stream().filter(each -> !each.hidden() && !each.inherited()).filter(shown)
                .forEach(each -> page.entry(String.join(", ", each.names()) + parameter(each),
                        List.of(text(each.description()))));
    }

    private static String parameter(ArgSpec option) {
        return option.arity().max() == 0 && !(option instanceof OptionSpec named && named.negatable())
                ? ""
                : "=" + option.paramLabel();
    }

    private static void exits(RoffPage page, UsageMessageSpec usage) {
        if (!usage.exitCodeList().isEmpty()) {
            page.heading("EXIT STATUS");
            usage.exitCodeList().forEach((code, meaning) -> page.entry(code.strip(), List.of(meaning)));
        }
    }

    private static void examples(RoffPage page, UsageMessageSpec usage) {
        if (usage.footer().length > 0) {
            page.heading("EXAMPLES").lines(lines(usage.footer()));
        }
    }

    private static List<String> lines(String[] texts) {
        return Arrays.stream(texts).map(each -> plain(each).strip()).toList();
    }

    private static Map<String, CommandLine> visible(CommandLine command) {
        SequencedMap<String, CommandLine> commands = new LinkedHashMap<>(command.getSubcommands());
        commands.values().removeIf(each -> each.getCommandSpec().usageMessage().hidden());
        return commands;
    }

    private static String synopsis(CommandLine command) {
        return new Help(command.getCommandSpec(), Help.defaultColorScheme(Ansi.OFF)).synopsis(0).strip();
    }

    private static String text(String[] texts) {
        return String.join(" ", lines(texts)).strip();
    }

    /// The texts are formats: `%n` ends a line, `%%` is a percent sign.
    private static String plain(String format) {
        return format.formatted();
    }
}
