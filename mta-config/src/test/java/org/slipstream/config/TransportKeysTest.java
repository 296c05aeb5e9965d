package org.slipstream.config;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Route;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.flow.Feedback;
import org.slipstream.qmgr.flow.FeedbackVariant;
import org.slipstream.qmgr.flow.FlowRules;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsSource;
import org.slipstream.smtpout.RouteFinder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// Settings of the order of service and of windows, for all transports and for one.
class TransportKeysTest {
    @TempDir
    Path home;

    @Test
    void byDefaultEveryTransportHasPostfixsSettings() {
        Config config = accepted();
        assertThat(config.queue().order()).isEqualTo(OrderPolicy.PREEMPTIVE);
        assertThat(config.queue().feedbackVariant()).isEqualTo(FeedbackVariant.PSEUDOCODE);
        assertThat(config.transports().own()).isEmpty();
        assertThat(config.transports().common()).isEqualTo(TransportSettings.defaults());
    }

    @Test
    @Tag("PF-47")
    @Tag("PF-03")
    void aTransportHasItsOwnSettingsAndTheCommonOnesOtherwise() throws IOException {
        write("""
                [queue]
                lanes = 7
                [scheduler]
                order = "round-robin"
                delivery-slot-cost = 4
                recipient-refill-delay = "2s"
                [concurrency]
                feedback-variant = "postfix-source"
                positive-feedback = "1/concurrency"
                [transport.smtp]
                delivery-slot-cost = 2
                destination-rate-delay = "3s"
                negative-feedback = "1/4"
                [transport.local]
                lanes = 2
                """);
        Config config = accepted();
        assertThat(config.queue().order()).isEqualTo(OrderPolicy.ROUND_ROBIN);
        assertThat(config.queue().feedbackVariant()).isEqualTo(FeedbackVariant.POSTFIX_SOURCE);
        TransportSettings smtp = config.transports().of("smtp");
        assertThat(smtp.slotCost()).isEqualTo(2);
        assertThat(smtp.rateDelay()).hasSeconds(3);
        assertThat(smtp.negativeFeedback()).isEqualTo(new Feedback.Fixed(0.25));
        assertThat(smtp.positiveFeedback()).isEqualTo(new Feedback.PerConcurrency(1));
        assertThat(smtp.processLimit()).isEqualTo(7);
        assertThat(config.transports().of("local").processLimit()).isEqualTo(2);
        assertThat(config.transports().of("local").slotCost()).isEqualTo(4);
        assertThat(config.transports().of("lmtp").refillDelay()).hasSeconds(2);
    }

    @Test
    void anOverrideOfOneRunReachesATransportToo() {
        assertThat(accepted("transport.smtp.lanes=3").transports().of("smtp").processLimit()).isEqualTo(3);
    }

    @Test
    void mistakesAreReportedWithLineAndSuggestion() throws IOException {
        write("""
                [scheduler]
                delivery-slot-discount = 101
                order = "premptive"
                [concurrency]
                positive-feedback = "2"
                negative-feedback = "1/sqrt"
                [transport.smpt]
                lanes = 3
                [transport.smtp]
                lane = 3
                hops = 3
                recipients-per-delivery = 0
                """);
        assertThat(problems()).containsExactlyInAnyOrder(
                "mta.toml:2: scheduler.delivery-slot-discount = 101 is not a whole number from 0 to 100",
                "mta.toml:3: scheduler.order = \"premptive\" is not one of \"fifo\", \"preemptive\", \"round-robin\", \"threads\";"
                        + " did you mean \"preemptive\"?",
                "mta.toml:5: concurrency.positive-feedback = \"2\" is not an amount from 0 to 1 such as \"1\", \"1/4\","
                        + " \"1/concurrency\" or \"1/sqrt_concurrency\"",
                "mta.toml:6: concurrency.negative-feedback = \"1/sqrt\" is not an amount from 0 to 1 such as \"1\","
                        + " \"1/4\", \"1/concurrency\" or \"1/sqrt_concurrency\"",
                "mta.toml:8: [transport.smpt]: there is no transport \"smpt\"; did you mean \"smtp\"?",
                "mta.toml:10: unknown key \"transport.smtp.lane\"; did you mean \"lanes\"?",
                "mta.toml:11: unknown key \"transport.smtp.hops\"; only settings of a single transport stand here",
                "mta.toml:12: transport.smtp.recipients-per-delivery = 0 is not a whole number from 1 to 100000");
    }

    @Test
    void aTransportThatTheOperatorNamesHasAKindAndRoutesNameIt() throws IOException {
        write("""
                [local]
                domains = ["box.example.net", "lists.example.net"]
                [queue]
                lanes = 7
                [transport.relay]
                kind = "smtp"
                delivery-slot-cost = 2
                [transport.store-2]
                kind = "lmtp"
                [transport.lists]
                kind = "local"
                lanes = 2
                [transport.hole]
                kind = "discard"
                [routes]
                "a.example" = "relay"
                "b.example" = "relay:smart.example:587 tls=verify"
                "c.example" = "store-2:127.0.0.1:24"
                "d.example" = "store-2:unix:/run/lmtp"
                "e.example" = "Hole"
                "lists.example.net" = "lists"
                [destination."*"]
                transport = "relay"
                lanes = 3
                """);
        Config config = accepted();
        assertThat(config.transports().names()).containsExactly("smtp", "lmtp", "local", "discard", "hole", "lists",
                "relay", "store-2");
        assertThat(config.transports().of("relay").slotCost()).isEqualTo(2);
        assertThat(config.transports().of("relay").processLimit()).isEqualTo(7);
        RouteTable routes = RouteTable.of(config, config.routes(), domain -> new RouteFinder.Answer.Found(
                new Route.Smtp(domain, List.of(new Route.Host("mx." + domain, 25, 10)))));
        assertThat(route(routes, "a.example")).isEqualTo(
                new Route.Smtp("relay", "a.example", List.of(new Route.Host("mx.a.example", 25, 10))));
        assertThat(route(routes, "b.example")).isEqualTo(new Route.Smtp("relay", "[smart.example]:587",
                List.of(new Route.Host("smart.example", 587, 0))));
        assertThat(route(routes, "c.example")).isEqualTo(new Route.Lmtp("store-2", "127.0.0.1:24"));
        assertThat(route(routes, "d.example")).isEqualTo(new Route.Lmtp("store-2", "unix:/run/lmtp"));
        assertThat(route(routes, "e.example")).isEqualTo(new Route.Discard("hole", "e.example"));
        assertThat(route(routes, "lists.example.net")).isEqualTo(new Route.Local("lists", "lists.example.net"));
        assertThat(route(routes, "box.example.net").transport()).isEqualTo("local");
        assertThat(config.destinations().settings(route(routes, "a.example"), "a.example").lanes()).contains(3);
        assertThat(config.destinations().settings(route(routes, "z.example"), "z.example").lanes()).isEmpty();
    }

    private static Route route(RouteTable routes, String domain) {
        return ((RouteTable.RouteAnswer.Found) routes.find(domain)).route();
    }

    @Test
    void mistakesWithNamedTransportsAreReportedWithAWayOut() throws IOException {
        write("""
                [transport.relay]
                lanes = 3
                [transport.smtp]
                kind = "lmtp"
                [transport.MX]
                kind = "smtp"
                [transport.hole]
                kind = "discrad"
                [transport.lists]
                kind = "local"
                [routes]
                "a.example" = "rely"
                "b.example" = "lists"
                [destination."c.example"]
                transport = "lsts"
                """);
        assertThat(problems()).anySatisfy(each -> assertThat(each).startsWith("mta.toml:2: [transport.relay]: there is"
                + " no transport \"relay\"; for a transport of your own write kind = \"smtp\", or lmtp, local, discard"))
                .anySatisfy(
                        each -> assertThat(each).startsWith("mta.toml:4: transport.smtp.kind: the kind of \"smtp\" is"
                                + " fixed"))
                .anySatisfy(
                        each -> assertThat(each).startsWith("mta.toml:6: unknown key \"transport.MX.kind\"; a name"))
                .anySatisfy(each -> assertThat(each).startsWith("mta.toml:8: ").contains("did you mean \"discard\""))
                .anySatisfy(each -> assertThat(each).startsWith("mta.toml:12: ").contains("rely"))
                .anySatisfy(each -> assertThat(each).startsWith("mta.toml:13: ").contains("not in local.domains"))
                .anySatisfy(each -> assertThat(each).startsWith("mta.toml:15: ").contains("did you mean \"lists\""))
                .hasSize(7);
    }

    @Test
    void thereAreAtMostThirtyTwoTransportsOfTheOperator() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i <= TransportBook.MOST_NAMED; i++) {
            text.append("[transport.t%02d]\nkind = \"smtp\"\n".formatted(i));
        }
        write(text.toString());
        assertThat(accepted().transports().named()).hasSize(TransportBook.MOST_NAMED);
        write(text + "[transport.t33]\nkind = \"smtp\"\n");
        assertThat(problems()).singleElement().asString().contains("more than 32");
    }

    @Test
    void aTransportOfTheKindPipeHasAProgram() throws IOException {
        write("""
                [transport.uucp]
                kind = "pipe"
                command = ["/usr/bin/uux", "-r", "${nexthop}!rmail", "(${recipient})"]
                user = "nobody:nogroup"
                time-limit = "5m"
                lanes = 2
                [routes]
                "far.example" = "uucp"
                "off.example" = "uucp:gateway"
                """);
        Config config = accepted();
        assertThat(config.programs()).containsOnlyKeys("uucp");
        assertThat(config.programs().get("uucp").command()).containsExactly("/usr/bin/uux", "-r", "${nexthop}!rmail",
                "(${recipient})");
        assertThat(config.transports().of("uucp").processLimit()).isEqualTo(2);
        assertThat(config.routes()).containsEntry("far.example", new RouteTarget.Pipe("uucp", ""))
                .containsEntry("off.example", new RouteTarget.Pipe("uucp", "gateway"));
    }

    @Test
    void theMistakesOfAProgramAreReportedWhereTheyAreWritten() throws IOException {
        write("""
                [transport.one]
                kind = "pipe"
                user = "nobody:nogroup"
                [transport.two]
                kind = "pipe"
                command = ["program", "${resipient}"]
                [transport.three]
                kind = "smtp"
                command = ["/bin/true"]
                [transport.four]
                kind = "pipe"
                command = ["/bin/true"]
                user = "no body"
                """);
        assertThat(problems()).anyMatch(each -> each.startsWith("mta.toml:2: transport.one.command:"))
                .anyMatch(each -> each.contains("the program \"program\" is not a whole path"))
                .anyMatch(each -> each.contains("there is no ${resipient}"))
                .anyMatch(each -> each.startsWith("mta.toml:9: transport.three.command: only a transport"))
                .anyMatch(each -> each.startsWith("mta.toml:13: transport.four.user"));
    }

    @Test
    void aFirstWindowAboveTheLargestIsReportedWhereItIsWritten() throws IOException {
        write("""
                [queue]
                lanes-per-destination = 3
                """);
        assertThat(accepted().transports().common().initialConcurrency()).isEqualTo(3);
        write("""
                [concurrency]
                initial-destination-concurrency = 30
                [transport.lmtp]
                lanes-per-destination = 4
                initial-destination-concurrency = 5
                """);
        assertThat(problems()).containsExactly(
                "mta.toml:2: initial-destination-concurrency (30) is more than lanes-per-destination (20)",
                "mta.toml:5: transport.lmtp: initial-destination-concurrency (5) is more than lanes-per-destination (4)");
    }

    @Test
    @Tag("PF-02")
    void aLimitOfNothingIsNoCeilingForAWindow() throws IOException {
        write("""
                [queue]
                lanes-per-destination = 0
                [concurrency]
                initial-destination-concurrency = 30
                [transport.lmtp]
                lanes-per-destination = 20
                initial-destination-concurrency = 3
                """);
        TransportTable transports = accepted().transports();
        assertThat(windowAfter100Successes(transports.of("smtp"))).isGreaterThan(100);
        assertThat(windowAfter100Successes(transports.of("lmtp"))).isEqualTo(20);
        assertThat(accepted("transport.lmtp.lanes-per-destination=0").transports().of("lmtp"))
                .satisfies(lmtp -> assertThat(windowAfter100Successes(lmtp)).isGreaterThan(100));
    }

    private static int windowAfter100Successes(TransportSettings transport) {
        Destination destination = new Destination(new FlowRules(transport.initialConcurrency(),
                transport.concurrencyLimit(), transport.positiveFeedback(), transport.negativeFeedback(),
                transport.failedCohortLimit(), transport.rateDelay().toMillis(), FeedbackVariant.PSEUDOCODE));
        for (int i = 0; i < 100; i++) {
            destination.good(destination.allowed());
        }
        return destination.figures().window();
    }

    private void write(String text) throws IOException {
        Files.writeString(home.resolve(SettingsSource.FILE), text);
    }

    private Config accepted(String... overrides) {
        ReadResult result = ConfigReader.read(SettingsSource.in(home), "box.example.net", List.of(overrides));
        assertThat(result).isInstanceOf(ReadResult.Accepted.class);
        return ((ReadResult.Accepted) result).config();
    }

    private List<String> problems() {
        ReadResult result = ConfigReader.read(SettingsSource.in(home), "box.example.net", List.of());
        assertThat(result).isInstanceOf(ReadResult.Rejected.class);
        return ((ReadResult.Rejected) result).problems().stream().map(Problem::toString).toList();
    }
}
