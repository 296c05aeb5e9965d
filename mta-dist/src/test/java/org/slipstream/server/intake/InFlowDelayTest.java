package org.slipstream.server.intake;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.config.Config;
import org.slipstream.config.Config.BareLineFeed;
import org.slipstream.smtpin.policy.Client;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("PF-31")
class InFlowDelayTest {
    private final AtomicBoolean behind = new AtomicBoolean();
    private final List<Long> pauses = new ArrayList<>();

    @Test
    void clientsWaitWhileTheQueueManagerIsBehindAndAreServedThen() throws Exception {
        var book = Books.usual().build();
        RecipientPolicy recipientPolicy = new RecipientPolicy(new Ingest(new MemoryDrafts(), book, _ -> {}), book,
                new Config.Relay(List.of(), List.of(), false, BareLineFeed.NORMALIZE),
                new InFlowDelay(behind::get, 1_000, pauses::add), Set.of());
        Client client = new Client(1, InetAddress.getByName("198.51.100.7"), Optional.of("client.example"), true,
                Optional.empty(),
                Optional.empty(), "smtp");
        recipientPolicy.draft(client).close();
        assertThat(pauses).isEmpty();
        behind.set(true);
        recipientPolicy.draft(client).close();
        recipientPolicy.draft(client).close();
        assertThat(pauses).containsExactly(1_000L, 1_000L);
        behind.set(false);
        recipientPolicy.draft(client).close();
        assertThat(pauses).hasSize(2);
    }

    @Test
    void aDelayOfNothingIsNone() {
        InFlowDelay brake = new InFlowDelay(() -> true, 0, pauses::add);
        brake.beforeAMessage();
        assertThat(pauses).isEmpty();
    }
}
