package org.slipstream.dist.door;

import org.junit.jupiter.api.Test;
import org.slipstream.smtpin.policy.Client;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/// Hosts that were away ask for their mail.
class WakeTest {
    private static final Client ANYBODY = new Client(1, InetAddress.ofLiteral("198.51.100.7"),
            Optional.of("client.example"), true, Optional.empty(), Optional.empty(), "smtp");

    private final List<String> flushed = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private static final Client NEIGHBOUR = new Client(2, InetAddress.ofLiteral("192.0.2.7"),
            Optional.of("back.example"), true, Optional.empty(), Optional.empty(), "smtp");
    private final Wake wake = new Wake(List.of("back.example", ".sub.example", "*"), flushed::add, NEIGHBOUR::equals,
            300_000, nanos::get);

    @Test
    void aDomainWithARouteOfItsOwnIsWokenInAnyCase() {
        assertThat(ask("Back.Example")).startsWith("250 ");
        assertThat(flushed).containsExactly("back.example");
    }

    @Test
    void nobodyWakesTheWorld() {
        for (String node : List.of("far.example", "x.sub.example", ".sub.example", "*", "@back.example",
                "#back.example")) {
            assertThat(ask(node)).as(node).startsWith("459 ");
        }
        assertThat(flushed).isEmpty();
    }

    @Test
    void aClientOfOursThatAsksAgainAtOnceHearsThatItHasBegun() {
        ask(NEIGHBOUR, "back.example");
        assertThat(ask(NEIGHBOUR, "back.example")).startsWith("252 ");
        nanos.addAndGet(10_000_000_000L);
        assertThat(ask(NEIGHBOUR, "back.example")).startsWith("250 ");
        assertThat(flushed).hasSize(2);
    }

    @Test
    void aStrangerCausesNoMoreAttemptsThanAMessageThatFails() {
        ask("back.example");
        nanos.addAndGet(299_999_000_000L);
        assertThat(ask("back.example")).startsWith("252 ");
        assertThat(ask(NEIGHBOUR, "back.example")).as("the host itself need not wait so long").startsWith("250 ");
        nanos.addAndGet(300_000_000_000L);
        assertThat(ask("back.example")).startsWith("250 ");
        assertThat(flushed).hasSize(3);
    }

    private String ask(String node) {
        return ask(ANYBODY, node);
    }

    private String ask(Client client, String node) {
        return wake.wake(client, node).toString();
    }
}
