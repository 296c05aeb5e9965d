package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.auth.GuessGuard;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class ConnectionAdmissionTest {
    private final InetAddress one = InetAddress.ofLiteral("192.0.2.1");
    private final InetAddress two = InetAddress.ofLiteral("192.0.2.2");
    private final InetAddress three = InetAddress.ofLiteral("192.0.2.3");
    private final InetAddress friend = InetAddress.ofLiteral("198.51.100.1");
    private final InetAddress proxy = InetAddress.ofLiteral("203.0.113.1");
    private final ListenerConfig config = Ports
            .with(Ports.with(Ports.config(), "connections", 20), "connectionsPerClient", 12)
            .withTrust(new ListenerConfig.ProxyTrust(proxy::equals, _ -> false, friend::equals));
    private final GuessGuard guesses = new GuessGuard(GuessGuard.GuessSettings.standard(), System::nanoTime);
    private final ConnectionAdmission admission = new ConnectionAdmission(config, guesses);

    @Test
    void oneAddressDoesNotTakeAllPlaces() {
        List<ConnectionAdmission.Place> places = enter(one, 12);
        ConnectionAdmission.Place refused = admission.enter(one).orElseThrow();
        assertThat(refused.claim(one)).map(Reply::toString).hasValueSatisfying(
                reply -> assertThat(reply).startsWith("421 4.7.0").contains("your address"));
        refused.leave();
        enter(two, 1);
        places.getFirst().leave();
        enter(one, 1);
    }

    /// One machine may use all addresses of a network of 64 bits.
    @Test
    void anIpv6NetworkCountsAsOneAddress() {
        for (int i = 0; i < 12; i++) {
            InetAddress client = InetAddress.ofLiteral("2001:db8::" + i);
            assertThat(admission.enter(client).orElseThrow().claim(client)).isEmpty();
        }
        InetAddress again = InetAddress.ofLiteral("2001:db8::ffff");
        assertThat(admission.enter(again).orElseThrow().claim(again)).isPresent();
        enter(InetAddress.ofLiteral("2001:db8:0:1::1"), 1);
    }

    /// A client that opens a connection for each message connects again after it has read 221, even
    /// when the server's thread is late.
    @Test
    void aClientThatHasRead221FindsItsPlaceFree() {
        ListenerConfig single = Ports.with(Ports.config(), "connectionsPerClient", 1);
        ListenerServices services = new Stage(List.of()).services();
        ConnectionAdmission places = new ConnectionAdmission(single, guesses);
        List<Boolean> free = new ArrayList<>();
        MemoryLink link = new MemoryLink("EHLO client.test\r\nQUIT\r\n".getBytes(StandardCharsets.US_ASCII),
                at -> at == 0 ? 18 : 100,
                () -> {
                    ConnectionAdmission.Place next = places.enter(one).orElseThrow();
                    free.add(next.claim(one).isEmpty());
                    next.leave();
                });
        SmtpStream wire = new SmtpStream(link, new BufferPool(1), System::nanoTime, Long.MAX_VALUE);
        new SmtpSession(1, one, wire, services, single, Ports.tuning(Duration.ofSeconds(60)),
                places.enter(one).orElseThrow(), () -> false).run();
        assertThat(new String(link.heard(), StandardCharsets.US_ASCII)).contains("\r\n221 ");
        assertThat(free.getLast()).as("when 221 goes").isTrue();
        assertThat(free.subList(0, free.size() - 1)).as("before").isNotEmpty().doesNotContain(true);
    }

    @Test
    void aTenthOfThePlacesIsKeptForKnownClients() {
        List<ConnectionAdmission.Place> first = enter(one, 9);
        enter(two, 9);
        assertThat(admission.enter(three)).as("a stranger").isEmpty();
        enter(friend, 2);
        assertThat(admission.enter(friend)).as("all places are taken").isEmpty();
        first.getFirst().leave();
        enter(three, 1);
    }

    @Test
    void whereAUserHasLoggedInIsAKnownNetwork() {
        List<ConnectionAdmission.Place> first = enter(one, 9);
        enter(two, 9);
        first.getFirst().loggedIn();
        // The connection of the user no longer counts among those of strangers.
        enter(three, 1);
        assertThat(admission.enter(three)).isEmpty();
        enter(one, 1);
    }

    @Test
    void aStrangerBehindAProxyFindsNoPlaceThatIsKept() {
        enter(one, 9);
        enter(two, 9);
        ConnectionAdmission.Place stranger = admission.enter(proxy).orElseThrow();
        assertThat(stranger.claim(three)).map(Reply::toString).hasValueSatisfying(
                reply -> assertThat(reply).startsWith("421 4.7.0").contains("try again later"));
        stranger.leave();
        assertThat(admission.enter(proxy).orElseThrow().claim(friend)).isEmpty();
        assertThat(admission.enter(proxy).orElseThrow().claim(friend)).isEmpty();
        assertThat(admission.enter(proxy)).isEmpty();
    }

    @Test
    void aLingeringClientHoldsNoConnectionAndFewLinger() {
        List<ConnectionAdmission.Place> first = enter(one, 9);
        List<ConnectionAdmission.Place> second = enter(two, 9);
        assertThat(first.get(0).linger()).isTrue();
        assertThat(first.get(0).linger()).as("asked again").isTrue();
        assertThat(first.get(1).linger()).as("one of an address").isFalse();
        enter(three, 1);
        assertThat(admission.enter(three)).as("the second has kept its place").isEmpty();
        assertThat(second.get(0).linger()).isTrue();
        ConnectionAdmission.Place last = enter(three, 1).getFirst();
        assertThat(last.linger()).as("two in all").isFalse();
        second.get(0).leave();
        assertThat(last.linger()).isTrue();
        first.forEach(ConnectionAdmission.Place::leave);
        second.forEach(ConnectionAdmission.Place::leave);
        last.leave();
        last.leave();
        enter(one, 12);
        enter(two, 5);
    }

    @Test
    void theListenerIsCrowdedWhenNineOfTenPlacesAreTaken() {
        List<ConnectionAdmission.Place> places = enter(one, 9);
        enter(two, 8);
        assertThat(admission.isCrowded()).isFalse();
        enter(two, 1);
        assertThat(admission.isCrowded()).isTrue();
        places.getFirst().leave();
        assertThat(admission.isCrowded()).isFalse();
    }

    private List<ConnectionAdmission.Place> enter(InetAddress client, int times) {
        List<ConnectionAdmission.Place> places = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            Optional<ConnectionAdmission.Place> place = admission.enter(client);
            assertThat(place).isPresent();
            assertThat(place.get().claim(client)).isEmpty();
            places.add(place.get());
        }
        return places;
    }
}
