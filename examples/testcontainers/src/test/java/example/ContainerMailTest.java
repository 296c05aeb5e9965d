package example;

import jakarta.mail.Message;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;

import org.junit.jupiter.api.Test;
import org.slipstream.testkit.server.SlipstreamContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

import java.time.Duration;
import java.util.Properties;

import static org.junit.jupiter.api.Assertions.assertTrue;

@Testcontainers(disabledWithoutDocker = true)
class ContainerMailTest {
    @Container
    static final SlipstreamContainer mta = new SlipstreamContainer().forDomain("here.example");

    @Test
    void mailReachesItsMailbox() throws Exception {
        var properties = new Properties();
        properties.put("mail.smtp.host", mta.smtp().getHostString());
        properties.put("mail.smtp.port", Integer.toString(mta.smtp().getPort()));
        var message = new MimeMessage(Session.getInstance(properties));
        message.setFrom(new InternetAddress("shop@there.example"));
        message.setRecipient(Message.RecipientType.TO, new InternetAddress("ann@here.example"));
        message.setSubject("Welcome");
        message.setText("Your account is ready.");

        Transport.send(message);

        var received = mta.awaitMessages("ann@here.example", 1, Duration.ofSeconds(30));
        assertTrue(received.getFirst().contains("Subject: Welcome"), received.getFirst());
    }
}
