package org.slipstream.cli.shaping;

import org.slipstream.admin.operations.ShapingOperations.RuleView;
import org.slipstream.admin.operations.ShapingOperations.ShapingView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.Units;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.ShapingVerb;
import org.slipstream.core.text.Controls;
import org.slipstream.shaping.ShapingEffect;
import org.slipstream.shaping.ShapingRule;
import org.slipstream.shaping.ShapingRules;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/// `shaping`: rules from replies. This class has the commands that show rules and those that put them
/// into force for a time; [ShapingTryCommand] plays them over a journal.
@Command(header = "Shows rules from replies, tries them, and puts them into force for a time.",
        description = "A rule limits the mail to a provider or a destination for a time, when its replies ask for it"
                + " (docs/shaping.md).",
        footer = {"  mta shaping list", "  mta shaping try my.toml --page page.html",
                "  mta shaping apply my.toml --for 2h",
                "  mta shaping end"})
public final class ShapingCommand implements CommandGroup {
    @Command(header = "Lists the rules in force, and what they did since the start of the server.",
            exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = {"  mta shaping list", "  mta shaping list --json"})
    public static final class RuleListing implements MtaAction {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        @Override
        public int run(MtaCommand mta) {
            return AdminClient.show(mta, "shaping", json, ShapingView.class, RuleListing::lines);
        }

        private static List<String> lines(ShapingView found) {
            if (found.rules().isEmpty()) {
                return List.of("no rules are in force");
            }
            Instant now = Instant.now();
            Table table = new Table("RULE", "FROM", "COUNT", "EFFECT", "TIMES", "LAST", "ABOUT", "REPLY");
            found.rules().forEach(each -> table.add(each.rule() + (each.applied() ? "*" : ""), each.from(),
                    each.count() + " in " + each.within(), String.join(", ", each.effects()),
                    Long.toString(each.triggered()), last(each, now), shown(each.lastSubject()),
                    shown(each.lastReply())));
            List<String> lines = new ArrayList<>(table.lines());
            found.applied().ifPresent(each -> lines.add("* of " + Controls.replaced(each.file()) + ", applied by "
                    + Controls.replaced(each.author()) + " for another " + DisplayUnits.until(each.until(), now)));
            if (found.missed() > 0) {
                lines.add(DisplayUnits.count(found.missed(), "refusal")
                        + " came too fast and were not counted");
            }
            return lines;
        }

        private static String last(RuleView each, Instant now) {
            return each.lastAt().isEmpty() ? "-" : DisplayUnits.age(each.lastAt(), now) + " ago";
        }

        private static String shown(String text) {
            return text.isEmpty() ? "-" : Controls.replaced(text);
        }
    }

    @Command(header = "Shows the rules of a file, or those of the program.",
            description = "The file is read as the server reads it, so a mistake is told with its line. No server is"
                    + " needed.",
            parameterListHeading = "%n", exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT},
            footer = {"  mta shaping show shipped", "  mta shaping show shipped --toml > my.toml",
                    "  mta shaping show my.toml"})
    public static final class RuleShowing implements MtaAction {
        @Parameters(paramLabel = "FILE", description = "a file of rules, or shipped: those of the program")
        private String file = "";

        @Option(names = "--toml", description = "the file itself, with its comments and sources")
        private boolean toml;

        @Option(names = "--json", description = "as JSON: rules")
        private boolean json;

        private record RuleRow(String rule, String from, List<String> replies, String count, String effects,
                String source) {}

        private record Shown(List<RuleRow> rules) {}

        @Override
        public int run(MtaCommand mta) {
            RuleFile read = RuleFile.read(file);
            if (json) {
                mta.world().out().println(RecordJson.write(new Shown(read.rules().rules().stream()
                        .map(each -> new RuleRow(each.name(), each.scopeWords(), each.replyWords(), counts(each),
                                effects(each), each.source()))
                        .toList())));
                return Exit.DONE;
            }
            if (toml) {
                mta.world().out().print(read.text().isEmpty() ? ShapingRules.shippedText() : read.text());
                return Exit.DONE;
            }
            Table table = new Table("RULE", "FROM", "REPLIES", "COUNT", "EFFECT");
            read.rules().rules().forEach(each -> table.add(each.name(), each.scopeWords(),
                    Controls.replaced(String.join(" or ", each.replyWords())), counts(each), effects(each)));
            table.lines().forEach(mta.world().out()::println);
            return Exit.DONE;
        }

        private static String counts(ShapingRule rule) {
            return rule.count() + " in " + Units.DURATIONS.write(rule.within().toMillis());
        }

        private static String effects(ShapingRule rule) {
            return rule.effects().stream().map(ShapingEffect::words).collect(Collectors.joining(", "));
        }
    }

    /// `shaping apply` and `shaping end`, made from their forms.
    @Command
    public static final class RuleOrdering implements MtaAction {
        private final OrderArguments arguments;

        private record Done(String done, int rules) {}

        private RuleOrdering(OrderForm<ShapingVerb> form) {
            arguments = new OrderArguments(form, this, 0);
        }

        public static CommandSpec of(OrderForm<ShapingVerb> form) {
            return new RuleOrdering(form).arguments.spec();
        }

        @Override
        public int run(MtaCommand mta) {
            String body = AdminClient.order(mta, "shaping/" + arguments.word()
                    + PagedRequests.asked(arguments.query(arguments.positional()) + content()),
                    () -> new CommandFailure(Exit.NO, "mta: no rules were applied (mta shaping list)"));
            mta.world().out().println(DisplayUnits.count(RecordJson.read(body, Done.class).rules(), "rule") + " "
                    + arguments.did());
            return Exit.DONE;
        }

        /// The file is read here, so that the server reads no file of a caller.
        private String content() {
            if (arguments.positional().isEmpty() || arguments.isGiven("--rules")) {
                return "";
            }
            RuleFile read = RuleFile.read(arguments.positional().getFirst());
            String encoded = Base64.getUrlEncoder().encodeToString(read.text().getBytes(StandardCharsets.UTF_8));
            if (encoded.length() > ShapingVerb.MOST_CHARACTERS) {
                throw arguments.wrong(read.name() + " is larger than 10 KB; name it in shaping.rules and reload");
            }
            return encoded.isEmpty() ? "" : "&rules=" + encoded;
        }
    }
}
