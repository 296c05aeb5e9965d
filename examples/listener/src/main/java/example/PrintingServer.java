package example;

import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.EnvelopeExtras;
import org.slipstream.smtpin.ListenerConfig;
import org.slipstream.smtpin.MessageHandler;
import org.slipstream.smtpin.SmtpListener;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.protocol.ServicePolicy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// Receives mail for one domain and gives each message to a consumer.
public final class PrintingServer implements MessageHandler {
    /// @param text of the content, with its header
    public record Arrival(Envelope envelope, String text) {}

    private final String domain;
    private final Consumer<Arrival> arrivals;
    private final AtomicLong lastId = new AtomicLong();

    public PrintingServer(String domain, Consumer<Arrival> arrivals) {
        this.domain = domain;
        this.arrivals = arrivals;
    }

    public static void main(String... arguments) throws IOException {
        var server = new PrintingServer("here.example", message -> IO.println(message.text()));
        SmtpListener listener = server.listen(new InetSocketAddress("127.0.0.1", 2525));
        IO.readln("Listening on port " + listener.port() + ", Return ends. ");
        listener.close();
    }

    public SmtpListener listen(InetSocketAddress address) throws IOException {
        var listener = new SmtpListener(ListenerConfig.of(ServicePolicy.mx(), address, "mx." + domain), this);
        listener.start();
        return listener;
    }

    @Override
    public HandlerVerdict sender(Client client, Optional<Address> sender, long declaredBytes) {
        return HandlerVerdict.accept();
    }

    @Override
    public HandlerVerdict recipient(Client client, Optional<Address> sender, Address recipient) {
        return recipient.domainKey().equals(domain)
                ? HandlerVerdict.accept()
                : HandlerVerdict.refuse(554, "5.7.1", "Relay access denied");
    }

    @Override
    public DraftContent draft(Client client) {
        return new InMemory(QueueId.after(lastId.get(), System.currentTimeMillis()));
    }

    /// The program's own trouble is never the sender's fault, so the reply is a 4xx.
    @Override
    public Reply troubleReply(IOException trouble) {
        return Reply.of(451, "4.3.0", "Local error in processing");
    }

    /// A message in memory; the listener bounds its size.
    private final class InMemory implements DraftContent {
        private final QueueId id;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        InMemory(QueueId id) {
            this.id = id;
            lastId.set(id.value());
        }

        @Override
        public QueueId id() {
            return id;
        }

        @Override
        public void write(byte[] block, int offset, int length) {
            bytes.write(block, offset, length);
        }

        @Override
        public Content content() {
            return Content.of(bytes.toByteArray());
        }

        @Override
        public void replaceStart(int count, byte[] start) {
            byte[] all = bytes.toByteArray();
            bytes.reset();
            bytes.writeBytes(start);
            bytes.writeBytes(Arrays.copyOfRange(all, count, all.length));
        }

        /// The client gets its 250 when this method returns.
        @Override
        public void commit(Envelope envelope, EnvelopeExtras extras, Optional<ContentFacts> facts) {
            arrivals.accept(new Arrival(envelope, bytes.toString(StandardCharsets.ISO_8859_1)));
        }

        @Override
        public void close() {
            bytes.reset();
        }
    }
}
