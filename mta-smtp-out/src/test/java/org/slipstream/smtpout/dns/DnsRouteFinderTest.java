package org.slipstream.smtpout.dns;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Route;
import org.slipstream.core.SettingsRecords;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.smtpout.RouteFinder;
import org.slipstream.smtpout.RouteFinder.Answer;
import org.slipstream.testkit.StubDns;

import java.net.InetAddress;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class DnsRouteFinderTest {
    private final StubDns stub = StubDns.of("""
            many     IN MX 20 mx2
            many     IN MX 10 MX1
            many     IN MX 30 mx3
            implicit IN A 192.0.2.1
            six      IN AAAA 2001:db8::1
            mx1      IN A 192.0.2.11
            mx1      IN AAAA 2001:db8::11
            mx2      IN A 192.0.2.22
            mx2      IN A 192.0.2.21
            mx3      IN A 192.0.2.33
            twin     IN MX 10 mx1
            twin     IN MX 20 mx2
            twin     IN MX 30 mx3
            level    IN MX 10 mx2
            level    IN MX 10 mx1
            halfway  IN MX 10 gone
            halfway  IN MX 20 mx1
            nowhere  IN MX 10 gone
            shaky    IN MX 10 x.servfail
            shaky    IN MX 20 mx1
            failing  IN MX 10 x.servfail
            mirror   IN MX 10 mx1
            mirror   IN MX 20 alsome
            mirror   IN MX 30 mx3
            alsome   IN A 203.0.113.7
            null     IN MX 0 .
            text     IN TXT "no mail here"
            alias    IN CNAME many
            backup   IN MX 10 mx1
            backup   IN MX 20 me
            backup   IN MX 20 mx2
            backup   IN MX 30 mx3
            ours     IN MX 10 ME
            ours     IN MX 10 mx2
            me       IN A 127.0.0.1
            servfail IN A 192.0.2.9
            xn--mller-kva IN MX 5 mx1
            """).fails("servfail.example").isSilentAbout("silent.example").truncates("long.example");
    private static final String[] MX1_ADDRESSES = {"192.0.2.11", "2001:db8:0:0:0:0:0:11"};
    private static final Route.Host MX1 = host("mx1.example", 10, MX1_ADDRESSES);

    private final RouteFinder finder = new DnsRouteFinder(config(),
            InetAddress.ofLiteral("203.0.113.7")::equals, false);

    @AfterEach
    void stop() {
        stub.close();
    }

    @Test
    void mxHostsByPreference() {
        assertThat(route("Many.Example")).isEqualTo(new Route.Smtp("many.example", List.of(MX1,
                host("mx2.example", 20, "192.0.2.21", "192.0.2.22"), host("mx3.example", 30, "192.0.2.33"))));
    }

    @Test
    void equalHostsStandInOneOrderHoweverTheServerTurnsThem() {
        assertThat(route("level.example").hosts()).containsExactly(MX1,
                host("mx2.example", 10, "192.0.2.21", "192.0.2.22"));
    }

    @Test
    void aHostWithoutAnAddressIsLeftOutAndOneThatDnsIsSilentAboutStays() {
        assertThat(route("halfway.example").hosts()).containsExactly(host("mx1.example", 20, MX1_ADDRESSES));
        assertThat(route("shaky.example").hosts()).containsExactly(host("x.servfail.example", 10),
                host("mx1.example", 20, MX1_ADDRESSES));
        assertThat(reason("nowhere.example"))
                .isEqualTo("450 4.4.4 no mail exchanger of nowhere.example has an address");
        assertThat(reason("failing.example")).startsWith("451 4.4.3 DNS lookup for x.servfail.example failed");
    }

    @Test
    void anotherNameForOurAddressIsOurselvesToo() {
        assertThat(route("mirror.example").hosts()).containsExactly(MX1);
        assertThat(reason("alsome.example")).startsWith("554 5.4.6");
        assertThat(reason("[203.0.113.7]")).startsWith("554 5.4.6");
    }

    @Test
    void domainsWithTheSameHostsCanBeOneDestination() {
        RouteFinder rolling = new DnsRouteFinder(config(), _ -> false, true);
        assertThat(nextHop(rolling, "many.example")).isEqualTo("mx1.example>mx2.example>mx3.example")
                .isEqualTo(nextHop(rolling, "twin.example"));
        assertThat(nextHop(rolling, "level.example")).isEqualTo("mx1.example+mx2.example");
        assertThat(nextHop(rolling, "implicit.example")).isEqualTo("implicit.example");
        assertThat(route("twin.example").nextHop()).as("unless it is chosen").isEqualTo("twin.example");
    }

    @Test
    void allHostsAreAskedForAtTheSameTime() {
        route("many.example");
        assertThat(stub.questions()).contains("mx1.example A", "mx1.example AAAA", "mx2.example A", "mx3.example A");
    }

    private static String nextHop(RouteFinder finder, String domain) {
        return ((Answer.Found) finder.find(domain)).route().nextHop();
    }

    @Test
    void aDomainWithoutMxIsItsOwnHost() {
        assertThat(route("implicit.example")).isEqualTo(
                new Route.Smtp("implicit.example", List.of(host("implicit.example", 0, "192.0.2.1"))));
        assertThat(route("six.example").hosts()).containsExactly(host("six.example", 0, "2001:db8:0:0:0:0:0:1"));
    }

    @Test
    void aCnameIsFollowedAndTheDestinationKeepsItsName() {
        Route.Smtp route = route("alias.example");
        assertThat(route.nextHop()).isEqualTo("alias.example");
        assertThat(route.hosts()).hasSize(3);
    }

    @Test
    void namesInOtherScripts() {
        assertThat(route("müller.example").hosts()).containsExactly(host("mx1.example", 5, MX1_ADDRESSES));
    }

    @Test
    void aNullMxTakesNoMail() {
        assertThat(reason("null.example")).isEqualTo("556 5.1.10 null.example does not accept mail (null MX)");
    }

    @Test
    void aDomainThatDoesNotExistFails() {
        assertThat(reason("none.example")).isEqualTo("550 5.1.2 domain none.example not found");
        assertThat(reason("text.example")).isEqualTo("550 5.4.4 text.example has no MX and no address");
    }

    @Test
    void dnsTroubleDefers() {
        assertThat(reason("servfail.example")).startsWith("451 4.4.3 DNS lookup for servfail.example failed");
        assertThat(reason("x.servfail.example")).startsWith("451 4.4.3");
    }

    @Test
    void aBackupHostSendsOnlyToBetterOnes() {
        assertThat(route("backup.example").hosts()).containsExactly(MX1);
    }

    @Test
    void mailThatWouldComeBackToUsFails() {
        assertThat(reason("ours.example")).isEqualTo("554 5.4.6 mail for ours.example loops back to this server");
        assertThat(reason("me.example")).startsWith("554 5.4.6");
    }

    @Test
    void anAddressInBracketsNeedsNoDns() {
        assertThat(route("[192.0.2.5]"))
                .isEqualTo(new Route.Smtp("[192.0.2.5]", List.of(host("192.0.2.5", 0, "192.0.2.5"))));
        assertThat(route("[IPv6:2001:db8::1]").hosts()).containsExactly(
                host("2001:db8:0:0:0:0:0:1", 0, "2001:db8:0:0:0:0:0:1"));
        assertThat(reason("[nonsense]")).startsWith("550 5.1.2");
        assertThat(stub.questions()).isEmpty();
    }

    @Test
    void aNameThatCannotBeOneFails() {
        assertThat(reason("x".repeat(70) + ".example")).startsWith("550 5.1.2");
    }

    @Test
    void answersAreRemembered() {
        route("many.example");
        int asked = stub.questions().size();
        route("many.example");
        assertThat(stub.questions()).hasSize(asked);
    }

    private Route.Smtp route(String domain) {
        Answer answer = finder.find(domain);
        assertThat(answer).isInstanceOf(Answer.Found.class);
        return ((Answer.Found) answer).route();
    }

    private String reason(String domain) {
        Answer answer = finder.find(domain);
        assertThat(answer).isInstanceOf(Answer.NoRoute.class);
        return ((Answer.NoRoute) answer).reason().toString();
    }

    private static Route.Host host(String name, int preference, String... addresses) {
        return new Route.Host(name, 25, preference, List.of(addresses));
    }

    private ClientConfig config() {
        ClientConfig plain = ClientConfig.of("me.example");
        return ClientConfig.of(plain.hostname(), SettingsRecords.with(plain.settings(), "dnsServers", stub.servers()));
    }
}
