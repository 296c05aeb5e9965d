package org.slipstream.smtpout.dns;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Route;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.smtpout.RouteFinder;
import org.slipstream.smtpout.RouteFinder.Answer;
import org.slipstream.smtpout.host.DnsStub;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class DnsRouteFinderTest {
    private final DnsStub stub = DnsStub.of("""
            many     IN MX 20 mx2
            many     IN MX 10 MX1
            many     IN MX 30 mx3
            implicit IN A 192.0.2.1
            six      IN AAAA 2001:db8::1
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
            """);
    private final RouteFinder finder = new DnsRouteFinder(config());

    @AfterEach
    void stop() {
        stub.close();
    }

    @Test
    void mxHostsByPreference() {
        assertThat(route("Many.Example")).isEqualTo(new Route.Smtp("many.example",
                List.of(host("mx1.example", 10), host("mx2.example", 20), host("mx3.example", 30))));
    }

    @Test
    void aDomainWithoutMxIsItsOwnHost() {
        assertThat(route("implicit.example")).isEqualTo(
                new Route.Smtp("implicit.example", List.of(host("implicit.example", 0))));
        assertThat(route("six.example").hosts()).containsExactly(host("six.example", 0));
    }

    @Test
    void aCnameIsFollowedAndTheDestinationKeepsItsName() {
        Route.Smtp route = route("alias.example");
        assertThat(route.nextHop()).isEqualTo("alias.example");
        assertThat(route.hosts()).hasSize(3);
    }

    @Test
    void namesInOtherScripts() {
        assertThat(route("müller.example").hosts()).containsExactly(host("mx1.example", 5));
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
        assertThat(route("backup.example").hosts()).containsExactly(host("mx1.example", 10));
    }

    @Test
    void mailThatWouldComeBackToUsFails() {
        assertThat(reason("ours.example")).isEqualTo("554 5.4.6 mail for ours.example loops back to this server");
        assertThat(reason("me.example")).startsWith("554 5.4.6");
    }

    @Test
    void anAddressInBracketsNeedsNoDns() {
        assertThat(route("[192.0.2.5]")).isEqualTo(new Route.Smtp("[192.0.2.5]", List.of(host("192.0.2.5", 0))));
        assertThat(route("[IPv6:2001:db8::1]").hosts()).containsExactly(host("2001:db8:0:0:0:0:0:1", 0));
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

    private static Route.Host host(String name, int preference) {
        return new Route.Host(name, 25, preference);
    }

    private ClientConfig config() {
        ClientConfig plain = ClientConfig.of("me.example");
        return new ClientConfig(plain.hostname(), true, stub.servers(), plain.connectMillis(), plain.greetingMillis(),
                plain.commandMillis(), plain.tlsMillis(), plain.dataReplyMillis(), plain.dataBlockMillis(),
                plain.finalReplyMillis(), plain.resetMillis(), plain.quitMillis());
    }
}
