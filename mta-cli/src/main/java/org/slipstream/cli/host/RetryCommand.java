package org.slipstream.cli.host;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.config.Config;
import org.slipstream.core.QueueId;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.text.Nearest;
import org.slipstream.qmgr.wake.ErrorClass;
import org.slipstream.qmgr.wake.RetryClause;
import org.slipstream.qmgr.wake.RetryPolicies;
import org.slipstream.qmgr.wake.RetryPolicy;
import org.slipstream.qmgr.wake.RetryTimes;
import org.slipstream.qmgr.wake.RetryTimes.RetryAttempt;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// `retry`: the retry policies of the settings and the times that follow from them. It reads the
/// settings, so a server need not run.
@Command(header = "Shows when mail that waits is tried again.",
        description = "The retry policies are sections of mta.toml: [retry.\"name\"]. The key `retry` of [queue] names the"
                + " policy of all mail.",
        exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.CONFIGURATION_TEXT},
        footer = {"  mta retry list", "  mta retry show postfix"})
public final class RetryCommand implements CommandGroup {
    static String word(ErrorClass error) {
        return SettingsRecords.word(error);
    }

    private static long lifetime(RetryClause clause, Duration ofQueue) {
        return Math.min(clause.lifetimeMillis(), ofQueue.toMillis());
    }

    private static String kind(RetryClause clause) {
        return switch (clause.policy()) {
            case RetryPolicy.AgeDoubling _ -> "age-doubling";
            case RetryPolicy.Factors _ -> "factors";
            case RetryPolicy.Quadratic _ -> "quadratic";
            case RetryPolicy.PauseList _ -> "list";
        };
    }

    @Command(header = "Lists the retry policies.",
            exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.CONFIGURATION_TEXT},
            footer = {"  mta retry list", "  mta retry list --json | jq '.policies[].name'"})
    public static final class PolicyListing implements MtaAction {
        @Option(names = "--json", description = "as JSON")
        private boolean json;

        record PolicyView(String name, String kind, boolean common, int attempts, int jitterPercent, String others) {}

        record PolicyViews(List<PolicyView> policies) {}

        @Override
        public int run(MtaCommand mta) {
            Config config = LoadedConfig.read(mta.settings(), List.of());
            RetryPolicies policies = config.queueManager().retryPolicies();
            List<PolicyView> views = policies.all().values().stream()
                    .map(clause -> view(clause, policies, config.queue().lifetime())).toList();
            if (json) {
                mta.world().out().println(RecordJson.write(new PolicyViews(views)));
                return Exit.DONE;
            }
            Table table = new Table("POLICY", "KIND", "ATTEMPTS", "JITTER", "USED FOR", "OTHER POLICIES");
            views.forEach(view -> table.add(view.name(), view.kind(), Integer.toString(view.attempts()),
                    view.jitterPercent() + "%", view.common() ? "all mail" : "-",
                    view.others().isEmpty() ? "-" : view.others()));
            table.lines().forEach(mta.world().out()::println);
            return Exit.DONE;
        }

        private static PolicyView view(RetryClause clause, RetryPolicies policies, Duration lifetime) {
            String others = clause.others().entrySet().stream()
                    .map(other -> word(other.getKey()) + ": " + other.getValue()).collect(Collectors.joining(", "));
            return new PolicyView(clause.name(), kind(clause), clause.equals(policies.common()),
                    RetryTimes.count(clause, lifetime(clause, lifetime), 0), clause.jitterPercent(), others);
        }
    }

    @Command(header = "Shows the times of the attempts until a message is returned.",
            description = "The times are those of a message that arrives now and is deferred each time. With jitter, LATEST"
                    + " is the latest time of an attempt. After the end of a list of factors the places are"
                    + " random; they are then an example, and --id shows those of a message.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CONFIGURATION_TEXT},
            footer = {"  mta retry show", "  mta retry show --class greylisting",
                    "  mta retry show zmailer --count 500"})
    public static final class Showing implements MtaAction {
        @Parameters(paramLabel = "POLICY", arity = "0..1", description = "default: the policy of all mail")
        private String policy = "";

        @Option(names = "--class", paramLabel = "CLASS",
                description = "of errors: greylisting, load, full-mailbox, dns, tls, refused, other")
        private String error = "other";

        @Option(names = "--id", paramLabel = "ID", description = "with the jitter of this message")
        private String id = "";

        @Option(names = "--count", paramLabel = "N", description = "show at most N attempts (default: 50)")
        private int count = 50;

        @Option(names = "--json", description = "as JSON")
        private boolean json;

        record AttemptView(int attempt, long pauseMillis, long afterMillis, long latestMillis, String at) {}

        record TimesView(String policy, String kind, int jitterPercent, long lifetimeMillis, int total,
                List<AttemptView> attempts) {}

        @Override
        public int run(MtaCommand mta) {
            if (count < 1) {
                throw new CommandFailure(Exit.USAGE, "mta: --count is at least 1");
            }
            Optional<QueueId> message = message();
            Config config = LoadedConfig.read(mta.settings(), List.of());
            RetryClause clause = clause(config.queueManager().retryPolicies());
            long lifetime = lifetime(clause, config.queue().lifetime());
            List<RetryAttempt> attempts = message
                    .map(known -> RetryTimes.exact(clause, lifetime, known.value(), count))
                    .orElseGet(() -> RetryTimes.range(clause, lifetime, 0, count));
            int total = RetryTimes.count(clause, lifetime, message.map(QueueId::value).orElse(0L));
            Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
            TimesView view = new TimesView(clause.name(), kind(clause), clause.jitterPercent(), lifetime, total,
                    attempts.stream().map(each -> new AttemptView(each.number(), each.pauseMillis(),
                            each.afterMillis(), each.latestMillis(),
                            now.plusMillis(each.afterMillis()).truncatedTo(ChronoUnit.SECONDS).toString())).toList());
            if (json) {
                mta.world().out().println(RecordJson.write(view));
            } else {
                print(view, message.isEmpty() && clause.jitterPercent() > 0, mta.world().out());
            }
            return Exit.DONE;
        }

        private Optional<QueueId> message() {
            if (id.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(QueueId.parse(id)
                    .orElseThrow(() -> new CommandFailure(Exit.USAGE, "mta: not a queue id: " + id)));
        }

        private RetryClause clause(RetryPolicies policies) {
            ErrorClass wanted = Arrays.stream(ErrorClass.values()).filter(each -> word(each).equals(error)).findFirst()
                    .orElseThrow(() -> new CommandFailure(Exit.USAGE, "mta: no class of errors is called " + error
                            + " (greylisting, load, full-mailbox, dns, tls, refused, other)"));
            if (!policy.isEmpty() && !policies.all().containsKey(policy)) {
                throw new CommandFailure(Exit.NO, "mta: no retry policy is called " + policy + Nearest
                        .to(policy, policies.all().keySet()).map(near -> "; did you mean " + near + "?")
                        .orElse(" (mta retry list shows them)"));
            }
            return policies.of(Optional.of(policy).filter(name -> !name.isEmpty()), wanted);
        }

        private static void print(TimesView view, boolean ranged, PrintStream out) {
            out.println(view.policy() + " (" + view.kind() + "), " + DisplayUnits.count(view.total(), "attempt")
                    + ", lifetime " + span(view.lifetimeMillis())
                    + (view.jitterPercent() > 0 ? ", jitter " + view.jitterPercent() + "%" : ""));
            Table table = ranged
                    ? new Table("ATTEMPT", "PAUSE", "AFTER", "LATEST", "AT")
                    : new Table("ATTEMPT", "PAUSE", "AFTER", "AT");
            for (AttemptView each : view.attempts()) {
                String number = Integer.toString(each.attempt());
                String pause = each.attempt() == 1 ? "-" : span(each.pauseMillis());
                if (ranged) {
                    table.add(number, pause, span(each.afterMillis()), span(each.latestMillis()), each.at());
                } else {
                    table.add(number, pause, span(each.afterMillis()), each.at());
                }
            }
            table.lines().forEach(out::println);
            out.println(view.attempts().size() < view.total()
                    ? "… and " + (view.total() - view.attempts().size()) + " more (--count " + view.total() + ")"
                    : "then the message is returned to its sender");
        }

        private static String span(long millis) {
            return DisplayUnits.span(Duration.ofMillis(millis));
        }
    }
}
