package org.slipstream.it;

import jakarta.mail.Authenticator;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.PasswordAuthentication;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.server.Slipstream;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Each settings file of `examples/` starts the packaged server, and its README keeps its promises.
/// Only ports and next hops differ.
class ExamplesIT {
    private static final Path EXAMPLES = Path.of(System.getProperty("examples", "../examples"));
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @Test
    void theInternetMxTakesMailForItsDomainAndNoOther() throws Exception {
        try (var mta = example("internet-mx").with("relay.networks", "192.0.2.0/24").start()) {
            send(mta.smtp(), "ann@there.example", "sales@example.org");
            assertThat(mta.awaitMessages("alice@example.org", 1, TIMEOUT)).hasSize(1);
            assertThat(mta.awaitMessages("bob@example.org", 1, TIMEOUT)).hasSize(1);
            assertRefused(mta.smtp(), "carol@example.org", "550 5.1.1");
            assertRefused(mta.smtp(), "ann@elsewhere.example", "554 5.7.1");
        }
    }

    @Test
    void theSubmissionRelaySendsForUsersWhoHaveLoggedIn() throws Exception {
        try (var partner = Slipstream.forDomain("partner.example").start();
                var mta = example("submission-relay").with("listen.smtp", "off")
                        .with("listen.submissions", "127.0.0.1:0")
                        .withRoute("partner.example", partner.smtp()).start()) {
            assertRefused(mta.submission(), "ann@partner.example", "530 5.7.0");
            mta.command("open sesame\n", "user", "add", "alice");
            var login = new Properties();
            login.put("mail.smtp.auth", "true");
            login.put("mail.smtp.starttls.required", "true");
            login.put("mail.smtp.starttls.enable", "true");
            login.put("mail.smtp.ssl.trust", "*");
            login.put("mail.smtp.ssl.checkserveridentity", "false");
            eventually().ignoreExceptions().until(() -> {
                send(mta.submission(), login, "alice@example.org", "ann@partner.example");
                return true;
            });
            assertThat(partner.awaitMessages("ann@partner.example", 1, TIMEOUT)).isNotEmpty();
        }
    }

    @Test
    void theSmartHostReceivesAllMail() throws Exception {
        try (var relay = Slipstream.forDomain("far.example").start();
                var mta = example("smart-host").with("listen.smtp", "off").with("smarthost.credentials", "")
                        .withRoute("*", relay.smtp()).start()) {
            send(mta.submission(), "me@laptop.example.org", "ann@far.example");
            assertThat(relay.awaitMessages("ann@far.example", 1, TIMEOUT).getFirst())
                    .contains("by laptop.example.org");
        }
    }

    @Test
    void theTestSinkKeepsItsDomainAndDiscardsTheRest() throws Exception {
        try (var mta = example("test-sink").start()) {
            send(mta.smtp(), "shop@test.example", "anybody@test.example");
            send(mta.smtp(), "shop@test.example", "customer@real.example");
            assertThat(mta.awaitMessages("anybody@test.example", 1, TIMEOUT)).hasSize(1);
            eventually().until(() -> mta.log().contains("customer@real.example")
                    && mta.command("", "queue", "count").strip().startsWith("0"));
        }
    }

    private static Slipstream example(String name) {
        return Slipstream.withSettings(EXAMPLES.resolve(name).resolve("mta.toml"));
    }

    private static void assertRefused(InetSocketAddress server, String recipient, String reply) {
        assertThatThrownBy(() -> send(server, "ann@there.example", recipient)).isInstanceOf(MessagingException.class)
                .satisfies(failure -> assertThat(texts((MessagingException) failure)).contains(reply));
    }

    private static String texts(MessagingException failure) {
        var text = new StringBuilder();
        for (Exception each = failure; each != null; each = each instanceof MessagingException more
                ? more.getNextException()
                : null) {
            text.append(each.getMessage()).append('\n');
        }
        return text.toString();
    }

    private static void send(InetSocketAddress server, String sender, String recipient) throws MessagingException {
        send(server, new Properties(), sender, recipient);
    }

    private static void send(InetSocketAddress server, Properties more, String sender, String recipient)
            throws MessagingException {
        var properties = new Properties();
        properties.putAll(more);
        properties.put("mail.smtp.host", "127.0.0.1");
        properties.put("mail.smtp.port", Integer.toString(server.getPort()));
        var message = new MimeMessage(Session.getInstance(properties, new Authenticator() {
            @Override
            protected PasswordAuthentication getPasswordAuthentication() {
                return new PasswordAuthentication("alice", "open sesame");
            }
        }));
        message.setFrom(new InternetAddress(sender));
        message.setRecipient(Message.RecipientType.TO, new InternetAddress(recipient));
        message.setSubject("Hello");
        message.setText("It works.");
        Transport.send(message);
    }
}
