package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Reply;

import java.net.InetAddress;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class AdmissionTest {
    private final ListenerConfig config = Ports.with(Ports.with(Ports.config(), "connections", 10),
            "connectionsPerClient", 6);
    private final Admission admission = new Admission(config);
    private final InetAddress one = InetAddress.ofLiteral("192.0.2.1");
    private final InetAddress two = InetAddress.ofLiteral("192.0.2.2");

    @Test
    void oneAddressDoesNotTakeAllPlaces() {
        enter(one, 6);
        assertThat(come(one).map(Reply::toString).orElse("in")).startsWith("421 4.7.0");
        assertThat(come(two)).isEmpty();
        go(one);
        assertThat(come(one)).isEmpty();
    }

    @Test
    void thereAreOnlySoManyPlaces() {
        enter(one, 5);
        enter(two, 5);
        Optional<Reply> refusal = come(InetAddress.ofLiteral("192.0.2.3"));
        assertThat(refusal.map(Reply::toString).orElse("in")).startsWith("421 4.7.0");
        go(two);
        assertThat(come(InetAddress.ofLiteral("192.0.2.3"))).isEmpty();
    }

    @Test
    void aRefusedClientTakesNoPlace() {
        enter(one, 6);
        for (int i = 0; i < 20; i++) {
            come(one);
        }
        enter(two, 4);
    }

    @Test
    void theSilentGetLessTimeWhenItIsCrowded() {
        enter(one, 5);
        enter(two, 3);
        assertThat(admission.idleMillis()).isEqualTo(300_000);
        enter(two, 1);
        assertThat(admission.idleMillis()).isEqualTo(30_000);
        go(two);
        assertThat(admission.idleMillis()).isEqualTo(300_000);
    }

    private void enter(InetAddress client, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(come(client)).isEmpty();
        }
    }

    private Optional<Reply> come(InetAddress client) {
        Optional<Reply> full = admission.enter();
        if (full.isPresent()) {
            return full;
        }
        Optional<Reply> refusal = admission.count(client);
        refusal.ifPresent(_ -> admission.leave());
        return refusal;
    }

    private void go(InetAddress client) {
        admission.forget(client);
        admission.leave();
    }
}
