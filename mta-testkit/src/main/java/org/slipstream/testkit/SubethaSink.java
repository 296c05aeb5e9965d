package org.slipstream.testkit;

import org.subethamail.smtp.MessageHandler;
import org.subethamail.smtp.server.SMTPServer;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import javax.net.ssl.SSLContext;

/// An SMTP sink made of SubEthaSMTP, an independent implementation: a client that reads RFC 5321 as
/// this project does may still fail here.
///
/// It accepts every message and keeps it.
public final class SubethaSink implements AutoCloseable {
    private final List<OutgoingMessage> messages = Collections.synchronizedList(new ArrayList<>());
    private final SMTPServer server;

    private SubethaSink(Optional<SSLContext> tls) {
        SMTPServer.Builder builder = SMTPServer.port(0).bindAddress(InetAddress.getLoopbackAddress())
                .hostName("subetha.example").insertReceivedHeaders(false).messageHandlerFactory(_ -> new Keeping());
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

    /// The messages so far.
    public List<OutgoingMessage> messages() {
        return List.copyOf(messages);
    }

    @Override
    public void close() {
        server.stop();
    }

    /// One transaction.
    private final class Keeping implements MessageHandler {
        private String sender = "";
        private final List<String> recipients = new ArrayList<>();

        @Override
        public void from(String address) {
            sender = address;
        }

        @Override
        public void recipient(String address) {
            recipients.add(address);
        }

        @Override
        public String data(InputStream content) throws IOException {
            messages.add(new OutgoingMessage(sender, recipients, content.readAllBytes()));
            return "Ok";
        }

        @Override
        public void done() {}
    }
}
