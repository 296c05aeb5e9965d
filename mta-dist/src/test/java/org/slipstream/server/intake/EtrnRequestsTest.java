package org.slipstream.server.intake;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.ClientNetwork;
import org.slipstream.testkit.SimulatedClock;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// ETRN: hosts that were unreachable request their mail; RFC 1985 section 5.3 defines the replies.
class EtrnRequestsTest {
    private static final Client ANY_CLIENT = client("198.51.100.7", "client.example");
    private static final Client NEIGHBOUR = client("192.0.2.7", "back.example");
    private static final long PAUSE_MILLIS = 300_000;
    private static final int PER_CLIENT = 10;

    private final List<String> flushed = new ArrayList<>();
    private final Map<String, EtrnRequests.Pending> pending = new HashMap<>();
    private final SimulatedClock clock = new SimulatedClock();
    private boolean silent;
    private final EtrnRequests wake = new EtrnRequests(List.of("back.example", "second.example", ".sub.example", "*"),
            new Waiting(),
            NEIGHBOUR::equals, new EtrnRequests.EtrnLimits(PAUSE_MILLIS, new ClientNetwork(24, 64), 100), clock::nanos);

    private final class Waiting implements EtrnRequests.Queue {
        @Override
        public EtrnRequests.Pending pending(String domain) {
            return pending.getOrDefault(domain, new EtrnRequests.Pending(0, false));
        }

        @Override
        public void flush(String domain) throws IOException {
            if (silent) {
                throw new IOException("the queue manager does not answer");
            }
            flushed.add(domain);
        }
    }

    private static Client client(String address, String name) {
        return new Client(1, InetAddress.ofLiteral(address), Optional.of(name), true, Optional.empty(),
                Optional.empty(), "smtp");
    }

    @Test
    @Tag("ZM-39")
    void waitingMailIsCountedAndStarted() {
        pending.put("back.example", new EtrnRequests.Pending(3, false));
        assertThat(ask("Back.Example")).isEqualTo("253 2.0.0 OK, 3 pending messages for node back.example started");
        assertThat(flushed).containsExactly("back.example");
    }

    @Test
    void aPartTooLongToCountIsStartedWithoutANumber() {
        pending.put("back.example", new EtrnRequests.Pending(500, true));
        assertThat(ask("back.example")).isEqualTo("250 2.0.0 OK, queuing for node back.example started");
        assertThat(flushed).containsExactly("back.example");
    }

    @Test
    void whereNothingWaitsTheDestinationIsRevivedForWhatComesNext() {
        assertThat(ask("back.example")).isEqualTo("251 2.0.0 OK, no messages waiting for node back.example");
        assertThat(flushed).containsExactly("back.example");
        assertThat(ask("back.example")).startsWith("251 ");
        assertThat(flushed).hasSize(1);
    }

    @Test
    @Tag("ZM-39")
    void noClientStartsAllMailNorSubdomainsNorQueues() {
        for (String node : List.of("far.example", "x.sub.example", ".sub.example", "*")) {
            assertThat(ask(node)).as(node).startsWith("459 4.7.1 Node " + node + " not allowed: ");
        }
        for (String node : List.of("@back.example", "#back.example")) {
            assertThat(ask(node)).as(node).startsWith("459 4.5.4 Node " + node + " not allowed: ");
        }
        assertThat(flushed).isEmpty();
    }

    @Test
    void aClientOfOursThatAsksAgainAtOnceIsToldThatItHasBegun() {
        pending.put("back.example", new EtrnRequests.Pending(1, false));
        ask(NEIGHBOUR, "back.example");
        assertThat(ask(NEIGHBOUR, "back.example"))
                .isEqualTo("252 2.0.0 OK, pending messages for node back.example started");
        clock.advance(Duration.ofSeconds(10));
        assertThat(ask(NEIGHBOUR, "back.example")).startsWith("253 ");
        assertThat(flushed).hasSize(2);
    }

    @Test
    void strangersTogetherCauseNoMoreAttemptsThanAMessageThatFails() {
        pending.put("back.example", new EtrnRequests.Pending(1, false));
        ask("back.example");
        clock.advanceMillis(299_999);
        assertThat(ask(client("203.0.113.9", "other.example"), "back.example")).startsWith("252 ");
        assertThat(ask(NEIGHBOUR, "back.example")).as("the host itself need not wait so long").startsWith("253 ");
        clock.advance(Duration.ofMinutes(5));
        assertThat(ask("back.example")).startsWith("253 ");
        assertThat(flushed).hasSize(3);
    }

    @Test
    void aStrangersNetworkMayAskSoOftenAndOthersGoOn() {
        for (int i = 0; i < PER_CLIENT; i++) {
            assertThat(ask(i % 2 == 0 ? "back.example" : "second.example")).startsWith("251 ");
        }
        assertThat(ask(client("198.51.100.250", "neighbour.of.client"), "second.example"))
                .isEqualTo("458 4.7.0 Unable to queue messages for node second.example: too many requests,"
                        + " try again later");
        assertThat(ask(client("203.0.113.9", "other.example"), "second.example")).startsWith("251 ");
        clock.advance(Duration.ofNanos(PAUSE_MILLIS * 1_000_000L / PER_CLIENT + 1));
        assertThat(ask("second.example")).startsWith("251 ");
    }

    @Test
    @Tag("ZM-39")
    void anOrderThatTheQueueDoesNotTakeIsRefusedAndMayBeGivenAgain() {
        pending.put("back.example", new EtrnRequests.Pending(1, false));
        silent = true;
        assertThat(ask("back.example")).isEqualTo("458 4.3.0 Unable to queue messages for node back.example");
        silent = false;
        assertThat(ask("back.example")).startsWith("253 ");
    }

    private String ask(String node) {
        return ask(ANY_CLIENT, node);
    }

    private String ask(Client client, String node) {
        return wake.wake(client, node).toString();
    }
}
