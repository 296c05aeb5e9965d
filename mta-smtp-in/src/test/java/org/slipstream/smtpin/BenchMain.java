package org.slipstream.smtpin;

import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.protocol.ServicePolicy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// A listener that accepts every message and keeps none, to be measured with Postfix's
/// `smtp-source`:
///
/// ```
/// smtp-source -s 20 -m 5000 -l 4096 -c -f a@x.example -t b@y.example 127.0.0.1:PORT        # one message per connection
/// smtp-source -s 20 -m 5000 -l 4096 -c -d -f a@x.example -t b@y.example 127.0.0.1:PORT     # kept connections
/// ```
final class BenchMain {
    private BenchMain() {}

    /// @param args the port, 0 for any
    public static void main(String[] args) throws Exception {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        ListenerConfig config = Ports.with(Ports.with(ListenerConfig.of(ServicePolicy.mx(), address, "mx.test"),
                "connectionsPerClient", 1000), "messagesPerConnection", Integer.MAX_VALUE);
        try (SmtpListener listener = new SmtpListener(config, new Nowhere())) {
            listener.start();
            System.out.println("port " + listener.port() + "; end of input stops it");
            while (System.in.read() >= 0) {
                // Waits for the end of input.
            }
        }
    }

    private static final class Nowhere implements MessageHandler {
        private final AtomicLong lastId = new AtomicLong(System.currentTimeMillis() << 10);

        @Override
        public HandlerVerdict sender(Client client, Optional<Address> sender, long declaredBytes) {
            return HandlerVerdict.accept();
        }

        @Override
        public HandlerVerdict recipient(Client client, Optional<Address> sender, Address recipient) {
            return HandlerVerdict.accept();
        }

        @Override
        public DraftContent draft(Client client) {
            QueueId id = new QueueId(lastId.incrementAndGet());
            return new DraftContent() {
                @Override
                public QueueId id() {
                    return id;
                }

                @Override
                public void write(byte[] bytes, int offset, int length) {}

                @Override
                public Content content() {
                    return Content.of(new byte[0]);
                }

                @Override
                public void replaceStart(int bytes, byte[] start) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void commit(Envelope envelope, EnvelopeExtras extras, Optional<ContentFacts> facts) {}

                @Override
                public void close() {}
            };
        }

        @Override
        public Reply troubleReply(IOException trouble) {
            return Reply.of(451, "4.3.0", "Trouble");
        }
    }
}
