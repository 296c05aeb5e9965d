package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.auth.Mechanisms;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    /// A client that opens a connection for each message comes again when it has read 221, however late our thread is.
    @Test
    void whoHasReadTheGoodbyeFindsItsPlaceFree() {
        ListenerConfig single = Ports.with(Ports.config(), "connectionsPerClient", 1);
        Admission places = new Admission(single);
        List<Boolean> free = new ArrayList<>();
        MemoryLink link = new MemoryLink("EHLO client.test\r\nQUIT\r\n".getBytes(StandardCharsets.US_ASCII),
                at -> at == 0 ? 18 : 100,
                () -> free.add(places.count(one).isEmpty()));
        House house = new Stage(List.of()).house();
        new Conversation(1, one, new Wire(link, new Blocks(1)), house, single, Ports.tuning(Duration.ofSeconds(60)),
                places, new Mechanisms(house.credentials()), () -> false).run();
        assertThat(new String(link.heard(), StandardCharsets.US_ASCII)).contains("\r\n221 ");
        assertThat(free.getLast()).as("when 221 goes").isTrue();
        assertThat(free.subList(0, free.size() - 1)).as("before").isNotEmpty().doesNotContain(true);
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
