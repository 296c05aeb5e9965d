package org.slipstream.config;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Route;
import org.slipstream.core.RouteText;

import java.net.InetSocketAddress;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The next hop of a reroute.
class NextHopFormTest {
    private static final List<InetSocketAddress> OURS = List.of(new InetSocketAddress("127.0.0.1", 2525),
            new InetSocketAddress("0.0.0.0", 25));

    @ParameterizedTest
    @CsvSource({"relay.example, smtp:[relay.example]:25", "Relay.Example:2525, smtp:[relay.example]:2525",
            "[192.0.2.25]:26, smtp:[192.0.2.25]:26", "192.0.2.25, smtp:[192.0.2.25]:25",
            "[2001:db8::1]:26, smtp:[2001:db8::1]:26", "smtp:relay.example, smtp:[relay.example]:25",
            "SMTP:relay.example:587, smtp:[relay.example]:587", "lmtp:relay.example:24, lmtp:relay.example:24",
            "lmtp:unix:/run/lmtp, lmtp:unix:/run/lmtp", "discard, discard:rerouted",
            "localhost:26, smtp:[localhost]:26"})
    void aNextHopIsAHostOrATransportWithANextHop(String to, String route) {
        Route read = NextHopForm.read(to, OURS);
        assertThat(RouteText.of(read)).isEqualTo(route);
        assertThat(RouteText.parse(route)).as("read from the log").contains(read);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"''|no next hop is given", "uucp:host|\"uucp\" is not a transport",
            "local:example.org|\"local\" is not a transport", "smtps:relay.example|\"smtps\" is not a transport",
            "[300.1.1.1]|not a next hop", "300.1.1.1:25|not a next hop", "smtp:|not a next hop",
            "host..example|not a next hop", "relay.example:0|not a next hop", "relay.example:99999|not a next hop",
            "relay.example:|not a next hop", "lmtp:relay.example|not a next hop", "lmtp:unix:run|not a next hop",
            "two words|not a next hop", "smtp:a.example tls=none|not a next hop",
            "127.0.0.1:2525|this server itself", "localhost|this server itself",
            "lmtp:localhost:2525|this server itself"})
    void aRerouteToNowhereIsRefusedWithTheValidForms(String to, String text) {
        assertThatThrownBy(() -> NextHopForm.read(to, OURS)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(text);
    }
}
