package org.slipstream.smtpout;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Route;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.smtpout.wire.Wire;
import org.slipstream.smtpout.wire.WireWatchdog;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.Transcript;
import org.slipstream.testkit.UnusedPort;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Transcript.BYE;
import static org.slipstream.testkit.Transcript.HELLO;

/// The addresses of a host that are called, and the failure when none of them can be reached.
class OpeningTest {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
    /// A loopback address without a listener.
    private static final InetAddress UNUSED = InetAddress.ofLiteral("127.77.0.1");

    private final EventLog events = new EventLog();

    @ParameterizedTest
    @ValueSource(strings = {"S 421 4.3.2 busy", "S 554 5.7.1 no", "DROP", "S 220 hi;C EHLO me.example;S 421 no",
            "S 220;C EHLO *;S 550 no;C HELO *;S 550 no"})
    void anAddressThatRefusesIsFollowedByTheNext(String refusal) {
        try (var server = everywhere(refusal.replace(';', '\n') + "\n", HELLO + BYE);
                var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, route(addresses(server, 2)), false);
            events.ready();
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void aHostThatCannotBeReachedIsTriedAtItsOtherAddress() {
        try (var server = SmtpSink.following(HELLO + BYE);
                var carriers = new Carriers(Post.patient(), events, h -> found(UNUSED, LOOPBACK),
                        new SplittableRandom(1))) {
            carriers.open(1, route(new Route.Host("mx.example", server.port(), 0)), false);
            events.ready();
        }
    }

    @Test
    void afterTwoAddressesThatWillNotTalkTheAttemptIsOver() {
        try (var server = everywhere("S 421 4.3.2 a is busy\n", "S 421 4.3.2 b is busy\n", HELLO);
                var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, route(addresses(server, 3)), false);
            assertThat(events.failed().reason().text()).contains("b is busy");
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void bothFamiliesGetTheirTurn() {
        InetAddress[] many = {InetAddress.ofLiteral("127.77.0.1"), InetAddress.ofLiteral("127.77.0.2"),
                InetAddress.ofLiteral("127.77.0.3"), InetAddress.ofLiteral("127.77.0.4"),
                InetAddress.ofLiteral("127.77.0.5"), InetAddress.ofLiteral("::1")};
        var wires = new java.util.ArrayList<Wire>();
        Opener opener = new Opener(Post.patient(), h -> found(many), new SplittableRandom(1), new WireWatchdog());
        Opener.Result result;
        try (var unused = new UnusedPort()) {
            result = opener.open(route(new Route.Host("mx.example", unused.port(), 0)), 1, wires::add);
        }
        assertThat(result).isInstanceOf(Opener.Result.Failed.class);
        List<String> tried = wires.getFirst().tried().stream()
                .map(e -> e.toString().replaceFirst(".*\\[(.*)].*", "$1"))
                .toList();
        assertThat(tried).hasSize(5);
        assertThat(tried.subList(0, 2)).contains("::1");
    }

    @Test
    void aRouteThatKnowsItsAddressesIsNotLookedUpAgain() {
        try (var server = SmtpSink.following(HELLO + BYE);
                var carriers = new Carriers(Post.patient(), events, _ -> {
                    throw new AssertionError("looked up");
                }, new SplittableRandom(1))) {
            carriers.open(1, route(new Route.Host("mx.example", server.port(), 0, List.of("127.77.0.1", "127.0.0.1"))),
                    false);
            events.ready();
        }
    }

    @Test
    void aHostIsClosedPermanentlyOnlyWhenEveryAddressSaysSo() {
        String never = "S 220 hi\nC EHLO *\nS 550 5.7.1 no\nC HELO *\nS 550 5.7.1 never\n";
        try (var server = everywhere(never, never, never, "S 554 5.3.2 not now\n");
                var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, route(addresses(server, 2)), false);
            assertThat(events.failed(1).reason().code()).isEqualTo(550);
            carriers.open(2, route(addresses(server, 2)), false);
            assertThat(events.failed(2).reason().toString())
                    .startsWith("450 4.3.2 host ").endsWith("refused to talk to us: 554 5.3.2 not now");
        }
    }

    @Test
    void namesThatLeadNowhereDefer() {
        Map<String, HostFinder.HostAnswer> names = new TreeMap<>();
        names.put("none.example", new HostFinder.HostAnswer.None("host not found"));
        names.put("trouble.example", new HostFinder.HostAnswer.Trouble("SERVFAIL"));
        try (var carriers = new Carriers(Post.patient(), events, names::get, new SplittableRandom(1))) {
            Route.Host none = new Route.Host("none.example", 25, 1);
            Route.Host trouble = new Route.Host("trouble.example", 25, 2);
            carriers.open(1, route(none), false);
            carriers.open(2, route(trouble), false);
            carriers.open(3, new Route.Smtp("[none.example]:25", List.of(none)), false);
            carriers.open(4, new Route.Lmtp("none.example:24"), false);
            assertThat(reason(1)).isEqualTo("450 4.4.4 none.example: host not found");
            assertThat(reason(2)).isEqualTo("451 4.4.3 DNS lookup for trouble.example failed: SERVFAIL");
            assertThat(reason(3)).isEqualTo("450 4.4.3 none.example: host not found");
            assertThat(reason(4)).isEqualTo("450 4.4.3 none.example: host not found");
        }
    }

    @Test
    void routesThatAreNoConnectionsAreDeferredAndNotForgotten() {
        try (var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, new Route.Local("here.example"), false);
            carriers.open(2, new Route.Lmtp("nonsense"), false);
            carriers.open(3, new Route.Lmtp("host:99999"), false);
            assertThat(reason(1)).startsWith("451 4.3.5");
            assertThat(reason(2)).startsWith("451 4.3.5");
            assertThat(reason(3)).startsWith("451 4.3.5");
        }
    }

    @Test
    void onlyATransportThatDoesNotExistIsAFailureOfThisServer() {
        try (var unused = new UnusedPort(); var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, new Route.Local("here.example"), false);
            carriers.open(2, new Route.Lmtp("nonsense"), false);
            carriers.open(3, route(new Route.Host("127.0.0.1", unused.port(), 0)), false);
            assertThat(events.failed(1).ours()).isTrue();
            assertThat(events.failed(2).ours()).isFalse();
            assertThat(events.failed(3).ours()).isFalse();
        }
    }

    @Tag("ZM-33")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            S 421 4.3.2 too many connections, try again in 5 minutes                  | 300000
            S 220 hi;C EHLO *;S 450 4.7.1 retry after 60 seconds                      | 60000
            S 421 4.3.2 try again later                                               |
            S 554 5.7.1 no, and do not retry in 5 minutes                             |
            S 220 try again in 5 minutes;C EHLO *;S 421 4.3.2 busy                    |
            DROP                                                                      |
            """)
    void aRefusalMayNameTheTimeToComeBack(String script, Long millis) {
        try (var server = SmtpSink.following(script.replace(';', '\n') + "\n");
                var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            assertThat(events.failed().retryAfterMillis())
                    .isEqualTo(millis == null ? OptionalLong.empty() : OptionalLong.of(millis));
        }
    }

    private String reason(long connection) {
        return events.failed(connection).reason().toString();
    }

    private static HostFinder.HostAnswer found(InetAddress... addresses) {
        return new HostFinder.HostAnswer.Found(List.of(addresses));
    }

    private static Route route(Route.Host host) {
        return new Route.Smtp("there.example", List.of(host));
    }

    /// A host with this number of addresses, all of this server. On every address of this machine.
    private static SmtpSink everywhere(String... transcripts) {
        return SmtpSink.on(InetAddress.ofLiteral("0.0.0.0"),
                Stream.of(transcripts).map(Transcript::of).toArray(Transcript[]::new));
    }

    private static Route.Host addresses(SmtpSink server, int count) {
        return new Route.Host("mx.example", server.port(), 0,
                IntStream.rangeClosed(1, count).mapToObj(i -> "127.0.0." + i).toList());
    }
}
