package example;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;

class LetterboxTest {
    private static final Envelope ENVELOPE = Envelope.of(Optional.of(Address.of("ann@far.example")),
            List.of(Address.of("bob@here.example")));

    @TempDir
    Path folder;

    @Test
    void messagesAreThereAfterARestartUntilTheyAreRemoved() throws Exception {
        QueueId first;
        QueueId second;
        try (var box = new Letterbox(folder)) {
            first = box.put(ENVELOPE, "one\r\n");
            second = box.put(ENVELOPE, "two\r\n");
            box.remove(first);
        }

        try (var box = new Letterbox(folder)) {
            assertEquals(List.of(second), box.list());
            assertEquals("two\r\n", box.text(second));
        }
    }
}
