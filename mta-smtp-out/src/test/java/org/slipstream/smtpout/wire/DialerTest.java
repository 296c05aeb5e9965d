package org.slipstream.smtpout.wire;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Races between addresses, on a network of three kinds of hosts: some answer, some refuse, some
/// are silent.
class DialerTest {
    private static final long NEVER_MILLIS = 3_600_000;

    private final Map<String, String> network = new HashMap<>();
    private final List<FakeSocket> made = Collections.synchronizedList(new ArrayList<>());
    /// The sockets, in the order in which they are made, for which no file descriptor is left.
    private final Set<Integer> withoutFile = new HashSet<>();
    private final List<String> bound = Collections.synchronizedList(new ArrayList<>());

    @Test
    void aHostThatAnswersIsCalledOnce() throws IOException {
        network.put("2001:db8::1", "answers");
        network.put("192.0.2.1", "answers");
        var race = race(NEVER_MILLIS, "2001:db8::1", "192.0.2.1");
        assertThat(race.run(1000).endpoint()).isEqualTo(endpoint("2001:db8::1"));
        assertThat(race.started()).containsExactly(endpoint("2001:db8::1"));
    }

    @Test
    void whenOneFamilyIsSilentTheOtherIsTriedSoonAndTheSilentOneIsHungUp() throws IOException {
        network.put("2001:db8::1", "silent");
        network.put("192.0.2.1", "answers");
        var race = race(20, "2001:db8::1", "192.0.2.1");
        assertThat(race.run(NEVER_MILLIS).endpoint()).isEqualTo(endpoint("192.0.2.1"));
        assertThat(made).hasSize(2);
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> made.getFirst().isClosed());
        assertThat(made.getLast().isClosed()).isFalse();
    }

    @Test
    void aRefusalCostsNoWaiting() throws IOException {
        network.put("2001:db8::1", "refuses");
        network.put("192.0.2.1", "refuses");
        network.put("192.0.2.2", "answers");
        var race = race(NEVER_MILLIS, "2001:db8::1", "192.0.2.1", "192.0.2.2");
        assertThat(race.run(1000).endpoint()).isEqualTo(endpoint("192.0.2.2"));
        assertThat(race.started()).hasSize(3);
    }

    @Test
    void withoutAnAnswerTheLastFailureIsReported() {
        network.put("192.0.2.1", "silent");
        network.put("192.0.2.2", "refuses");
        var race = race(1, "192.0.2.1", "192.0.2.2");
        assertThatThrownBy(() -> race.run(50)).isInstanceOf(IOException.class);
        assertThat(race.started()).hasSize(2);
        assertThat(made).allMatch(Socket::isClosed);
    }

    @Test
    void aLateWinnerFindsTheRaceOver() throws IOException {
        network.put("192.0.2.1", "late");
        network.put("192.0.2.2", "answers");
        var race = race(1, "192.0.2.1", "192.0.2.2");
        race.run(NEVER_MILLIS);
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> made.getFirst().isClosed());
    }

    @Test
    void anInterruptedCallerEndsTheRace() throws Exception {
        network.put("192.0.2.1", "silent");
        network.put("192.0.2.2", "silent");
        var race = race(1, "192.0.2.1", "192.0.2.2");
        CountDownLatch ended = new CountDownLatch(1);
        Thread.ofVirtual().start(() -> {
            assertThatThrownBy(() -> race.run(NEVER_MILLIS)).isInstanceOf(IOException.class);
            ended.countDown();
        });
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> made.size() == 2);
        race.close();
        ended.await();
    }

    @Test
    void aRaceWithoutACallForWantOfASocketIsNoFailureOfTheHost() {
        withoutFile.addAll(List.of(0, 1));
        assertThatThrownBy(() -> race(1, "192.0.2.1", "192.0.2.2").run(1000)).isInstanceOf(NoSocketException.class)
                .hasMessage("Too many open files");
        assertThat(made).allMatch(Socket::isClosed);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aHostThatWasCalledAndRefusedHasFailedWhateverHinderedTheOtherCall(int hindered) {
        withoutFile.add(hindered);
        network.put("192.0.2.1", "refuses");
        network.put("192.0.2.2", "refuses");
        assertThatThrownBy(() -> race(1, "192.0.2.1", "192.0.2.2").run(1000)).isInstanceOf(ConnectException.class);
    }

    @Test
    void eachFamilyHasItsOwnSource() throws IOException {
        network.put("192.0.2.1", "refuses");
        network.put("2001:db8::1", "answers");
        Sources sources = new Sources(Optional.of((Inet4Address) InetAddress.ofLiteral("192.0.2.99")),
                Optional.empty());
        new Dialer(sources, NEVER_MILLIS, FakeSocket::new).new Race(
                List.of(endpoint("192.0.2.1"), endpoint("2001:db8::1"))).run(1000);
        assertThat(bound).containsExactly("192.0.2.99");
        assertThat(sources.toString()).isEqualTo("192.0.2.99");
    }

    private Dialer.Race race(long staggerMillis, String... addresses) {
        return new Dialer(Sources.ANY, staggerMillis, FakeSocket::new).new Race(
                List.of(addresses).stream().map(DialerTest::endpoint).toList());
    }

    private static Endpoint.Tcp endpoint(String address) {
        return new Endpoint.Tcp("mx.example", InetAddress.ofLiteral(address), 25);
    }

    private final class FakeSocket extends Socket {
        private final CountDownLatch closed = new CountDownLatch(1);

        private final int number;

        FakeSocket() {
            number = made.size();
            made.add(this);
        }

        // The first call on a socket is the one that opens a file descriptor.
        @Override
        public void setTcpNoDelay(boolean on) throws SocketException {
            if (withoutFile.contains(number)) {
                throw new SocketException("Too many open files");
            }
        }

        @Override
        public void bind(SocketAddress source) {
            bound.add(((InetSocketAddress) source).getAddress().getHostAddress());
        }

        @Override
        public void connect(SocketAddress to, int millis) throws IOException {
            switch (network.get(((InetSocketAddress) to).getAddress().getHostAddress().replace(":0:0:0:0:0:", "::"))) {
                case "answers" -> {
                }
                case "refuses" -> throw new ConnectException("Connection refused");
                case "late" -> closedWithin(NEVER_MILLIS);
                default -> {
                    if (!closedWithin(millis)) {
                        throw new SocketTimeoutException("Connect timed out");
                    }
                    throw new IOException("Socket closed");
                }
            }
        }

        private boolean closedWithin(long millis) {
            try {
                return closed.await(millis, java.util.concurrent.TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() {
            closed.countDown();
        }

        @Override
        public boolean isClosed() {
            return closed.getCount() == 0;
        }
    }
}
