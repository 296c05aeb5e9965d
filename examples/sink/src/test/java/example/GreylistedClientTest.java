package example;

import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;

import org.junit.jupiter.api.Test;
import org.slipstream.sink.script.ScriptReader;
import org.slipstream.sink.server.SinkServer;
import org.slipstream.sink.store.CaughtMail;
import org.slipstream.sink.store.MailFiles;
import org.slipstream.sink.store.MessageFilter;
import org.slipstream.sink.store.SessionLog;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/// The program under test is Angus Mail here; the host greylists, and its clock is the test's.
class GreylistedClientTest {
    private static final String SCRIPT = """
            [[rules]]
            name = "greylist"
            on = "rcpt"
            greylist = "300s"
            reply = "450 4.2.0 Come again"
            """;

    private final AtomicLong millis = new AtomicLong();
    private final CaughtMail mail = new CaughtMail(CaughtMail.Bounds.USUAL, MailFiles.NONE);

    @Test
    void aClientMustComeAgainAfterFiveMinutes() throws Exception {
        try (var sink = SinkServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ScriptReader.read("greylist.toml", SCRIPT), mail, new SessionLog(100), _ -> {}, millis::get)) {
            assertThrows(MessagingException.class, () -> send(sink.address()));
            assertEquals(0, mail.count());

            millis.addAndGet(300_000);
            send(sink.address());
        }
        assertEquals("Welcome", mail.find(MessageFilter.ALL).getFirst().header("Subject"));
    }

    private static void send(InetSocketAddress server) throws MessagingException {
        var properties = new Properties();
        properties.put("mail.smtp.host", server.getAddress().getHostAddress());
        properties.put("mail.smtp.port", Integer.toString(server.getPort()));
        var message = new MimeMessage(Session.getInstance(properties));
        message.setFrom(new InternetAddress("shop@here.example"));
        message.setRecipient(Message.RecipientType.TO, new InternetAddress("ann@far.example"));
        message.setSubject("Welcome");
        message.setText("Your account is ready.");
        Transport.send(message);
    }
}
