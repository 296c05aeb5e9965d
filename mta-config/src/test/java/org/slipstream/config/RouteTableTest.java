package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.settings.SettingsSource;
import org.slipstream.smtpout.RouteFinder;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class RouteTableTest {
    private static final Reply NXDOMAIN = Reply.of(550, "5.1.2", "domain not found");

    private final List<String> asked = new ArrayList<>();
    private final RouteFinder dns = domain -> {
        asked.add(domain);
        return domain.startsWith("nx.")
                ? new RouteFinder.Answer.NoRoute(NXDOMAIN)
                : new RouteFinder.Answer.Found(mxOf(domain));
    };

    @Test
    void mailForALocalDomainStaysWhateverTheTableSays() {
        RouteTable table = table(Map.of("*", smtp("relay.example", 25)));
        assertThat(found(table, "HERE.example")).isEqualTo(new Route.Local("here.example"));
        assertThat(found(table, "sub.here.example")).isInstanceOf(Route.Smtp.class);
    }

    @Test
    void mailForALocalDomainGoesToAMailStoreBehindLmtp(@TempDir Path home) {
        Config config = config(home, "local.domains=here.example", "local.delivery=lmtp:unix:/run/dovecot/lmtp");
        RouteTable table = RouteTable.of(config, Map.of("*", smtp("relay.example", 25)), dns);
        assertThat(found(table, "HERE.example")).isEqualTo(new Route.Lmtp("unix:/run/dovecot/lmtp"));
        assertThat(table.isQuick("here.example")).isTrue();
        assertThat(found(table, "far.example")).isInstanceOf(Route.Smtp.class);
        RouteTable maildirs = RouteTable.of(config(home, "local.domains=here.example"), Map.of(), dns);
        assertThat(found(maildirs, "here.example")).isEqualTo(new Route.Local("here.example"));
    }

    private static Config config(Path home, String... settings) {
        return ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), List.of(settings))).config();
    }

    @Test
    void theDomainItselfWinsOverTheLongestSuffixAndThatOverTheShorterAndTheStar() {
        RouteTable table = table(Map.of("a.b.example", smtp("exact", 25), ".b.example", smtp("longer", 25), ".example",
                smtp("shorter", 25), "*", smtp("rest", 25)));
        assertThat(host(table, "A.B.Example")).isEqualTo("exact");
        assertThat(host(table, "x.b.example")).isEqualTo("longer");
        assertThat(host(table, "deep.x.b.example")).isEqualTo("longer");
        assertThat(host(table, "c.example")).isEqualTo("shorter");
        assertThat(host(table, "c.test")).isEqualTo("rest");
    }

    /// Without it, mail of such a domain would leave in the clear through a route that permits that.
    @Test
    void ofTheDemandsOfTlsOfDestinationAndRouteTheStricterOneHolds(@TempDir Path home) throws Exception {
        Files.writeString(home.resolve("mta.toml"), """
                [destination."bank.example"]
                tls = "verify"
                [destination.".gov.example"]
                tls = "encrypt"
                [destination."easy.example"]
                tls = "may"
                [smtp-client]
                mx-roll-up = true
                """);
        Config config = config(home);
        RouteTable table = RouteTable.of(config, Map.of("*", smtp("relay.example", 25), "safe.example",
                new RouteTarget.Fixed("smtp", new Route.Host("relay.example", 25, 0), Optional.of(TlsUse.VERIFY),
                        false)),
                dns);
        Route usual = found(table, "far.example");
        assertThat(usual.nextHop()).isEqualTo("[relay.example]:25");
        assertThat(found(table, "easy.example")).isEqualTo(usual);
        Route.Smtp bank = (Route.Smtp) found(table, "Bank.example");
        assertThat(bank.nextHop()).isEqualTo("[relay.example]:25/verify");
        assertThat(bank.hosts()).isEqualTo(((Route.Smtp) usual).hosts());
        assertThat(found(table, "tax.gov.example").nextHop()).isEqualTo("[relay.example]:25/encrypt");
        assertThat(Route.shared(bank.nextHop())).isEqualTo(usual.nextHop());
        assertThat(config.destinations().settings(bank).tls()).isEmpty();
    }

    @Test
    void aSuffixSpeaksOfSubdomainsOnly() {
        RouteTable table = table(Map.of(".b.example", smtp("below", 25), "*", smtp("rest", 25)));
        assertThat(host(table, "b.example")).isEqualTo("rest");
        assertThat(host(table, "xb.example")).isEqualTo("rest");
    }

    @Test
    void domainsBehindOneSmartHostShareADestination() {
        RouteTable table = table(Map.of("*", smtp("Relay.Provider.Example", 2599)));
        assertThat(found(table, "one.example")).isEqualTo(found(table, "two.example")).isEqualTo(new Route.Smtp(
                "[relay.provider.example]:2599", List.of(new Route.Host("relay.provider.example", 2599, 0))));
    }

    @Test
    void aSmartHostMayBeAnIpv6Literal() {
        RouteTable table = table(Map.of("*", smtp("[2001:db8::1]", 25)));
        assertThat(found(table, "one.example")).isEqualTo(
                new Route.Smtp("[2001:db8::1]:25", List.of(new Route.Host("2001:db8::1", 25, 0))));
    }

    @Test
    void lmtpAndDiscardNeedNoDns() {
        RouteTable table = table(Map.of("box.example", new RouteTarget.Lmtp("unix:/run/Lmtp.sock"), "null.example",
                new RouteTarget.Discard()));
        assertThat(found(table, "box.example")).isEqualTo(new Route.Lmtp("unix:/run/Lmtp.sock"));
        assertThat(found(table, "null.example")).isEqualTo(new Route.Discard("null.example"));
        assertThat(table.isQuick("box.example")).isTrue();
        assertThat(table.isQuick("HERE.example")).isTrue();
        assertThat(asked).isEmpty();
    }

    @Test
    void withoutAnEntryDnsIsAskedAndItsAnswerPassedOn() {
        RouteTable table = table(Map.of());
        assertThat(table.isQuick("far.example")).isFalse();
        assertThat(found(table, "Far.example")).isEqualTo(mxOf("far.example"));
        assertThat(table.find("nx.example")).isEqualTo(new RouteTable.RouteAnswer.NoRoute(NXDOMAIN));
        assertThat(asked).containsExactly("far.example", "nx.example");
    }

    @Test
    void mailWithoutTheDemandsOfTheOwnerHasItsOwnAnswerFromDns(@TempDir Path home) throws Exception {
        Files.writeString(home.resolve("mta.toml"), """
                [destination."bank.example"]
                tls = "verify"
                [routes]
                "relayed.example" = "smtp:relay.example"
                """);
        Config config = config(home);
        RouteFinder both = new RouteFinder() {
            @Override
            public Answer find(String domain) {
                return dns.find(domain);
            }

            @Override
            public Answer findUndemanding(String domain) {
                return new Answer.Found(new Route.Smtp(domain + Route.UNDEMANDING, mxOf(domain).hosts()));
            }
        };
        RouteTable table = RouteTable.of(config, config.routes(), both);
        assertThat(found(table, "Far.example/may").nextHop()).isEqualTo("far.example/may");
        assertThat(found(table, "far.example/may|ann@here.example/may").nextHop()).isEqualTo("far.example/may");
        assertThat(found(table, "far.example|ann@here.example/may").nextHop()).isEqualTo("far.example");
        assertThat(found(table, "relayed.example/may")).isEqualTo(found(table, "relayed.example"));
        Route bank = found(table, "bank.example/may");
        assertThat(config.destinations().settings(bank).tls()).as("the demand of the operator stays")
                .isEqualTo(config.destinations().settings(found(table, "bank.example")).tls()).isPresent();
        assertThat(Route.shared(bank.nextHop())).isEqualTo("bank.example");
        assertThat(Route.shared("unix:/run/lmtp")).isEqualTo("unix:/run/lmtp");
    }

    @Test
    void anExceptionFromTheSmartHostCanGoToItsOwnMx() {
        RouteTable table = table(Map.of("*", smtp("relay.example", 25), "direct.example", new RouteTarget.Mx()));
        assertThat(found(table, "direct.example")).isEqualTo(mxOf("direct.example"));
        assertThat(host(table, "other.example")).isEqualTo("relay.example");
    }

    @Test
    void theDotsOfAnAddressLiteralAreNoSuffixes() {
        RouteTable table = table(Map.of(".0.2.1]", smtp("never", 25), "*", smtp("rest", 25)));
        assertThat(host(table, "[192.0.2.1]")).isEqualTo("rest");
    }

    private RouteTable table(Map<String, RouteTarget> routes) {
        return new RouteTable(routes, List.of("here.example"), dns);
    }

    private static Route found(RouteTable table, String domain) {
        return ((RouteTable.RouteAnswer.Found) table.find(domain)).route();
    }

    private static String host(RouteTable table, String domain) {
        return ((Route.Smtp) found(table, domain)).hosts().getFirst().name();
    }

    private static RouteTarget smtp(String host, int port) {
        return new RouteTarget.Fixed(new Route.Host(host, port, 0));
    }

    private static Route.Smtp mxOf(String domain) {
        return new Route.Smtp(domain, List.of(new Route.Host("mx." + domain, 25, 10)));
    }
}
