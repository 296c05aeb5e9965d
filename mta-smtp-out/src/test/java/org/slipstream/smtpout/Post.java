package org.slipstream.smtpout;

import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.queue.Delivery;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Deliveries for tests.
final class Post {
    static final String LETTER = "Subject: hello\r\n\r\nHello.\r\n";

    /// To the one host that was chosen, as the queue manager gives it.
    private static final Route ROUTE = new Route.Smtp("there.example", List.of(new Route.Host("127.0.0.1", 25, 0)));

    private Post() {}

    static Transfer transfer(long delivery, String... recipients) {
        return transfer(delivery, content(LETTER), recipients);
    }

    static Transfer transfer(long delivery, Content content, String... recipients) {
        return transfer(delivery, Optional.of(Address.of("me@here.example")), content, recipients);
    }

    static Transfer transfer(long delivery, Optional<Address> sender, Content content, String... recipients) {
        List<Address> addresses = Stream.of(recipients).map(Address::of).toList();
        Envelope envelope = Envelope.of(sender,
                addresses.isEmpty() ? List.of(Address.of("you@there.example")) : addresses);
        return transfer(delivery, envelope, content);
    }

    static Transfer transfer(long delivery, Envelope envelope, Content content) {
        return new Transfer(new Delivery(delivery, new QueueId(1000 + delivery), ROUTE, envelope.recipients()),
                envelope, content);
    }

    static void deliver(Carriers carriers, long connection, Transfer transfer) {
        carriers.deliver(connection, transfer.delivery(), transfer.envelope(), transfer.content());
    }

    /// Content of these characters, one byte each.
    static Content content(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        return new Content() {
            @Override
            public long sizeBytes() {
                return bytes.length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(bytes);
            }
        };
    }

    static ClientConfig patient() {
        return ClientConfig.of("me.example");
    }

    /// To a sink, as the queue manager would send there.
    static Route route(SmtpSink sink) {
        return new Route.Smtp("[127.0.0.1]:" + sink.port(), List.of(host(sink, 0)));
    }

    static Route.Host host(SmtpSink sink, int preference) {
        return new Route.Host("127.0.0.1", sink.port(), preference);
    }

    /// A sink that announces these extensions and accepts every message.
    static SinkScript accepting(String... extensions) {
        return SinkScript.smtp().extensions(List.of(extensions));
    }

    /// Carriers that look up no names.
    static Carriers carriers(ClientConfig config, CarrierEvents events) {
        return new Carriers(config, events,
                _ -> new HostFinder.HostAnswer.Found(List.of(InetAddress.getLoopbackAddress())),
                new SplittableRandom(1));
    }

    /// These timeouts are short, and those of RSET and QUIT: a slow machine does not reach the others by
    /// accident.
    static ClientConfig hasty(long millis, String... timeouts) {
        Duration timeout = Duration.ofMillis(millis);
        ClientSettings settings = SettingsRecords.with(ClientSettings.defaults(),
                Stream.of(timeouts).collect(Collectors.toMap(name -> name, _ -> timeout)));
        return new ClientConfig("me.example", settings, timeout, timeout, ClientConfig.Ahead.DEFAULT, Peers.USUAL,
                org.slipstream.smtpout.demand.TlsDemands.none());
    }
}
