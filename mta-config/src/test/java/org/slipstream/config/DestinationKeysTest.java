package org.slipstream.config;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Route;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.ProviderRules;
import org.slipstream.qmgr.wake.ProviderSettings;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.RingSettings;
import org.slipstream.qmgr.wake.ThreadOrder;
import org.slipstream.qmgr.wake.WakeDestination;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The sections `[destination."…"]` and `[ring."…"]`.
class DestinationKeysTest {
    @TempDir
    private Path home;

    private ReadResult read(String toml, String... overrides) throws IOException {
        Files.writeString(home.resolve(SettingsSource.FILE), toml);
        return ConfigReader.read(SettingsSource.in(home), "mail.example.org", List.of(overrides));
    }

    private Config config(String toml, String... overrides) throws IOException {
        ReadResult result = read(toml, overrides);
        assertThat(result).isInstanceOf(ReadResult.Accepted.class);
        return ((ReadResult.Accepted) result).config();
    }

    private DestinationTable table(String toml, String... overrides) throws IOException {
        return config(toml, overrides).destinations();
    }

    private List<String> problems(String toml, String... overrides) throws IOException {
        return ((ReadResult.Rejected) read(toml, overrides)).problems().stream().map(Problem::toString).toList();
    }

    private static Route mx(String domain) {
        return new Route.Smtp(domain, List.of(new Route.Host("mx1." + domain, 25, 10)));
    }

    // ---- providers

    private static Route at(String host) {
        return new Route.Smtp("far.example", List.of(new Route.Host(host, 25, 10)));
    }

    @Test
    void aProviderHasHostsAndLimits() throws IOException {
        DestinationTable table = table("""
                [provider.big]
                hosts = ["*.Big.example", "mx.one.example"]
                addresses = ["192.0.2.0/24"]
                lanes = 20
                rate = "1000/1h"
                sender-lanes = 3
                sender-rate = "100/1h"
                [provider.google]
                lanes = 50
                hosts = [".own.example"]
                [provider.icloud]
                known = false
                [destination."provider:big"]
                lanes = 2
                [destination."mx:*.protection.outlook.com"]
                lanes = 3
                """);
        ProviderRules rules = table.providers();

        assertThat(rules.settings("big")).isEqualTo(new ProviderSettings(List.of(".big.example", "mx.one.example"),
                List.of("192.0.2.0/24"), true, Optional.of(20), Rate.parse("1000/1h"), Optional.of(3),
                Rate.parse("100/1h")));
        assertThat(rules.table().of(at("a.big.example"))).contains("big");
        assertThat(rules.table().of(at("192.0.2.7"))).contains("big");
        assertThat(rules.table().of(at("x.own.example"))).contains("google");
        assertThat(rules.table().of(at("aspmx.l.google.com"))).contains("google");
        assertThat(rules.table().of(at("mx01.mail.icloud.com"))).isEmpty();
        assertThat(table.settings(at("a.big.example"), "far.example").lanes()).contains(2);
        assertThat(table.settings(at("far.mail.protection.outlook.com"), "far.example").lanes()).contains(3);
        assertThat(table.settings(at("mx.far.example"), "far.example")).isEqualTo(DestinationSettings.NONE);
    }

    @Test
    @Tag("IM-32")
    void aRingHasARate() throws IOException {
        assertThat(table("[ring.\"bulk\"]\nrate = \"100/1h\"\n").rings())
                .containsEntry("bulk", new RingSettings(20, Rate.parse("100/1h")));
    }

    @Test
    @Tag("ZM-13")
    void aClauseHasATimeForIdleConnections() throws IOException {
        assertThat(table("[destination.\"far.example\"]\nidle-connection = \"4m\"\n")
                .settings(at("mx.far.example"), "far.example").idleConnection()).contains(Duration.ofMinutes(4));
    }

    @Test
    void mistakesInProvidersAreNamed() throws IOException {
        assertThat(problems("[provider.gogle]\nlanes = 5\n")).singleElement().asString()
                .contains("does not know this provider").contains("did you mean \"google\"?");
        assertThat(problems("[provider.other]\nhosts = [\".x.example\"]\n")).singleElement().asString()
                .contains("small letters, digits and hyphens");
        assertThat(problems("[provider.big]\nhosts = [\"com\"]\n")).first().asString().contains("hosts")
                .contains(".example.org");
        assertThat(problems("[destination.\"provider:gogle\"]\nlanes = 5\n")).singleElement().asString()
                .contains("there is no provider \"gogle\"").contains("did you mean \"provider:google\"?");
        assertThat(problems("[provider.google]\nhosts = [" + IntStream.range(0, 63)
                .mapToObj(i -> "\".h" + i + ".example\"").collect(Collectors.joining(", ")) + "]\n"))
                .singleElement().asString().contains("more than 64");
        assertThat(problems(IntStream.range(0, 256)
                .mapToObj(i -> "[provider.p" + i + "]\nhosts = [\".h" + i + ".example\"]\n")
                .collect(Collectors.joining()))).isNotEmpty()
                .allSatisfy(each -> assertThat(each).contains("at most 256 providers"));
    }

    @Test
    void withoutClausesNothingDiffers() throws IOException {
        assertThat(table("").settings(mx("a.example"), "a.example")).isEqualTo(DestinationSettings.NONE);
    }

    @Test
    void everyKeyIsRead() throws IOException {
        DestinationSettings settings = table("""
                [ring."bulk"]
                lanes = 7
                [retry."slow"]
                interval = "1h"
                [destination."provider.example"]
                lanes = 2
                initial-concurrency = 1
                order = "ageorder"
                rate = "100/1h"
                queue-only = true
                wake-only-on-restart = true
                wake-destination = "thread"
                retry = "slow"
                tls = "verify"
                source-address-v4 = "192.0.2.1"
                source-address-v6 = "2001:db8::1"
                ring = "bulk"
                transport = "smtp"
                """).settings(mx("provider.example"), "provider.example");

        assertThat(settings.lanes()).contains(2);
        assertThat(settings.initialConcurrency()).contains(1);
        assertThat(settings.order()).contains(ThreadOrder.AGEORDER);
        assertThat(settings.rate()).contains(new Rate(100, Duration.ofHours(1)));
        assertThat(settings.isQueueOnly()).isTrue();
        assertThat(settings.wakeOnlyOnRestart()).contains(true);
        assertThat(settings.wakeDestination()).contains(WakeDestination.THREAD);
        assertThat(settings.retry()).contains("slow");
        assertThat(settings.tls()).contains("verify");
        assertThat(settings.sourceAddressV4()).contains("192.0.2.1");
        assertThat(settings.sourceAddressV6()).isPresent();
        assertThat(settings.ring()).contains("bulk");
        assertThat(settings.transport()).contains("smtp");
    }

    @Test
    void wakeDestinationTakesTheFlagOfOlderFiles() throws IOException {
        assertThat(wakes("true")).isEqualTo(WakeDestination.AFTER_FAILURE);
        assertThat(wakes("false")).isEqualTo(WakeDestination.OFF);
        assertThat(wakes("\"thread\"")).isEqualTo(WakeDestination.THREAD);
        assertThat(problems("[queue]\nwake-destination = 1")).singleElement().asString()
                .contains("one of \"after-failure\", \"off\", \"thread\"");
    }

    private WakeDestination wakes(String text) throws IOException {
        return config("[queue]\nwake-destination = " + text).queueManager().queue().wakeDestination();
    }

    @Test
    @Tag("ZM-04")
    void clausesAddUpInTheOrderOfTheFileUntilOneNamesATransport() throws IOException {
        DestinationTable table = table("""
                [destination."*"]
                lanes = 5
                tls = "may"
                [destination.".edu"]
                lanes = 3
                transport = "smtp"
                [destination."mit.edu"]
                lanes = 1
                [destination."mx:mx1.b.example"]
                rate = "20/1m"
                """);

        assertThat(table.settings(mx("cs.edu"), "cs.edu").lanes()).contains(3);
        assertThat(table.settings(mx("cs.edu"), "cs.edu").tls()).contains("may");
        assertThat(table.settings(mx("mit.edu"), "mit.edu").lanes()).as("never read").contains(3);
        assertThat(table.settings(mx("b.example"), "b.example").lanes()).contains(5);
        assertThat(table.settings(mx("b.example"), "b.example").rate()).isPresent();
        assertThat(table.settings(new Route.Local("x.edu"), "x.edu").lanes()).as("another transport").contains(5);
    }

    @Test
    void aRouteIsNamedAsInRoutes() throws IOException {
        DestinationTable table = table("""
                [destination."smtp:relay.example:587"]
                lanes = 4
                """);

        assertThat(table.settings(new Route.Smtp("[relay.example]:587", List.of(new Route.Host("relay.example", 587,
                0))), "any.example").lanes()).contains(4);
        assertThat(table.settings(mx("relay.example"), "relay.example").lanes()).isEmpty();
    }

    @Test
    void onlyDomainsWithAQueueOnlyClauseAreServedByEtrnWithoutARoute() throws IOException {
        assertThat(table("""
                [destination."dial.example"]
                queue-only = true
                [destination."x.example"]
                queue-only = false
                [destination.".sub.example"]
                queue-only = true
                """).queueOnlyDomains()).containsExactly("dial.example");
    }

    @Test
    void theCommandLineNamesAClauseWithOrWithoutQuotes() throws IOException {
        assertThat(table("", "destination.a.example.lanes=3", "destination.\"b.example\".lanes=4").clauses())
                .extracting(clause -> clause.settings().lanes().orElseThrow()).containsExactly(3, 4);
    }

    @Test
    void mistakesAreNamedWithTheirPlaceAndAWayOut() throws IOException {
        assertThat(problems("""
                [destination."a b"]
                lanes = 1
                [destination."*.example"]
                lanes = 1
                [destination."c.example"]
                rat = "1/1h"
                rate = "0/1h"
                order = "aged"
                lanes = "many"
                ring = "bulk"
                """)).satisfiesExactly(
                first -> assertThat(first).contains("mta.toml:2").contains("\"a b\" is not a domain"),
                second -> assertThat(second).contains("mta.toml:4").contains("write \".example\""),
                third -> assertThat(third).contains("mta.toml:6").contains("did you mean \"rate\"?"),
                fourth -> assertThat(fourth).contains("mta.toml:7").contains("\"100/1h\""),
                fifth -> assertThat(fifth).contains("mta.toml:8").contains("ageorder"),
                sixth -> assertThat(sixth).contains("mta.toml:9").contains("a whole number from 0"),
                seventh -> assertThat(seventh).contains("mta.toml:10").contains("no section [ring.\"bulk\"]"));
    }
}
