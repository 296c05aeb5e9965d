package org.slipstream.testkit;

import org.subethamail.smtp.server.SMTPServer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import javax.net.ssl.SSLContext;

/// An SMTP sink made of SubEthaSMTP, an independent implementation: a client that understands RFC 5321 as we do may still fail here.
///
/// It accepts every message and keeps it once per recipient, as SubEthaSMTP delivers it.
public final class SubethaSink implements AutoCloseable {
    private static final int LARGEST_OCTETS = 64 << 20;

    private final List<Mail> mails = Collections.synchronizedList(new ArrayList<>());
    private final SMTPServer server;

    /// A message for one recipient.
    public record Mail(String sender, String recipient, byte[] content) {}

    private SubethaSink(Optional<SSLContext> tls) {
        SMTPServer.Builder builder = SMTPServer.port(0).bindAddress(InetAddress.getLoopbackAddress())
                .hostName("subetha.example").insertReceivedHeaders(false).maxMessageSize(LARGEST_OCTETS)
                .messageHandler((_, from, to, content) -> mails
                        .add(new Mail(from == null ? "" : from, to, content.clone())));
        tls.ifPresent(context -> builder.enableTLS().startTlsSocketFactory(context));
        server = builder.build();
        server.start();
    }

    /// A sink without TLS on a free port of the loopback interface.
    public static SubethaSink start() {
        return new SubethaSink(Optional.empty());
    }

    /// A sink that announces STARTTLS and shows the certificate of this context.
    public static SubethaSink start(SSLContext tls) {
        return new SubethaSink(Optional.of(tls));
    }

    /// The TCP port.
    public int port() {
        return server.getPortAllocated();
    }

    /// Where clients connect.
    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
    }

    /// The messages so far, once per recipient.
    public List<Mail> mails() {
        return List.copyOf(mails);
    }

    @Override
    public void close() {
        server.stop();
    }
}
