package example;

import jakarta.mail.Message;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.server.Slipstream;

import java.time.Duration;
import java.util.Properties;

import static org.junit.jupiter.api.Assertions.assertTrue;

class WelcomeMailTest {
    @RegisterExtension
    static final Slipstream mta = Slipstream.forDomain("here.example");

    @Test
    void aNewUserIsWelcomed() throws Exception {
        var properties = new Properties();
        properties.put("mail.smtp.host", "127.0.0.1");
        properties.put("mail.smtp.port", Integer.toString(mta.smtp().getPort()));
        var message = new MimeMessage(Session.getInstance(properties));
        message.setFrom(new InternetAddress("shop@here.example"));
        message.setRecipient(Message.RecipientType.TO, new InternetAddress("ann@here.example"));
        message.setSubject("Welcome");
        message.setText("Your account is ready.");

        Transport.send(message);

        var received = mta.awaitMessages("ann@here.example", 1, Duration.ofSeconds(30));
        assertTrue(received.getFirst().contains("Subject: Welcome"), received.getFirst());
    }
}
