package example;

import org.junit.jupiter.api.Test;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PrintingServerTest {
    private final List<PrintingServer.Arrival> arrived = new CopyOnWriteArrayList<>();

    @Test
    void mailOfTheDomainArrivesAndOtherMailIsRefused() throws IOException {
        var server = new PrintingServer("here.example", arrived::add);
        try (var listener = server.listen(new InetSocketAddress("127.0.0.1", 0));
                var client = SmtpTalker.introducedTo(new InetSocketAddress("127.0.0.1", listener.port()))) {
            client.must(250, "MAIL FROM:<ann@far.example>");
            client.must(554, "RCPT TO:<eve@elsewhere.example>");
            client.must(250, "RSET");
            assertEquals(250, client.send(OutgoingMessage.of("1@far.example", "ann@far.example", "bob@here.example"))
                    .code());
        }
        assertEquals("bob@here.example", arrived.getFirst().envelope().recipients().getFirst().address().toString());
        assertTrue(arrived.getFirst().text().contains("Message-ID: <1@far.example>"));
        assertEquals(1, arrived.size());
    }
}
