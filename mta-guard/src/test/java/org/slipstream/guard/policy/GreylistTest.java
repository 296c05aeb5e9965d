package org.slipstream.guard.policy;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Ruling;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class GreylistTest {
    private static final long MINUTE = 60_000;
    private static final long DAY = 1_440 * MINUTE;

    private long now = 7;
    private final Greylist greylist = new Greylist(new Greylisting(true, Duration.ofMinutes(5),
            Duration.ofDays(1), Duration.ofDays(35), 100),
            () -> now);

    @Test
    void aClientThatComesBackInTimeIsKnownFromThenOnWithEverySenderAndFromItsNetwork() {
        assertThat(passes("192.0.2.1", "a@far.example")).isFalse();
        now += 4 * MINUTE;
        assertThat(passes("192.0.2.1", "a@far.example")).as("too soon").isFalse();
        now += MINUTE;
        assertThat(passes("192.0.2.9", "a@far.example")).as("back, from a neighbour").isTrue();
        assertThat(passes("192.0.2.200", "b@far.example")).isTrue();
        assertThat(passes("198.51.100.1", "a@far.example")).isFalse();
    }

    @Test
    void aClientThatComesBackTooLateIsNew() {
        assertThat(passes("192.0.2.1", "a@far.example")).isFalse();
        now += DAY + 1;
        assertThat(passes("192.0.2.1", "a@far.example")).isFalse();
        now += 5 * MINUTE;
        assertThat(passes("192.0.2.1", "a@far.example")).isTrue();
    }

    @Test
    void anAbsentClientIsForgotten() {
        passes("192.0.2.1", "a@far.example");
        now += 5 * MINUTE;
        assertThat(passes("192.0.2.1", "a@far.example")).isTrue();
        now += 34 * DAY;
        assertThat(passes("192.0.2.1", "b@far.example")).as("each mail renews it").isTrue();
        now += 34 * DAY;
        assertThat(passes("192.0.2.1", "c@far.example")).isTrue();
        now += 36 * DAY;
        assertThat(passes("192.0.2.1", "c@far.example")).isFalse();
    }

    @Test
    void madeUpSendersFillNoMoreThanTheirPlacesAndDoNotPushOutWhoIsKnown() {
        passes("192.0.2.1", "a@far.example");
        now += 5 * MINUTE;
        assertThat(passes("192.0.2.1", "a@far.example")).isTrue();
        for (int i = 0; i < 10_000; i++) {
            assertThat(passes("203.0.113.5", "made-up-" + i + "@far.example")).isFalse();
        }
        assertThat(greylist.remembered()).isLessThanOrEqualTo(200);
        assertThat(passes("192.0.2.1", "b@far.example")).isTrue();
    }

    private boolean passes(String client, String sender) {
        Ruling ruling = greylist.rcpt(
                new Client(1, InetAddress.ofLiteral(client), Optional.of("x.example"), true, Optional.empty(),
                        Optional.empty(), "smtp"),
                new Check.Rcpt(Optional.of(Address.of(sender)), Address.of("bob@here.example"), false, 0));
        return ruling instanceof Ruling.Pass;
    }
}
