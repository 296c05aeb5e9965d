package example;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.MessageSummary;

import java.util.List;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;

class TwentyLinesTest {
    @Test
    void aGreylistedMessageComesAgainWhenItIsTime() {
        var recipient = new Recipient(1, Address.of("ann@far.example"));
        var message = new MessageSummary(new QueueId(1), Optional.of(Address.of("bob@here.example")), 0, 1_000, 1, 1, 0,
                0, false, false);

        List<String> story = new TwentyLines(message, recipient).run();

        assertEquals(List.of("0 s: 450 Greylisted", "300 s: 250 Ok"), story);
    }
}
