package org.slipstream.smtpin;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class TlsTest {
    private static SSLContext context;
    private final Letters house = new Letters();

    /// A pair as an operator without a certificate authority would make it.
    @BeforeAll
    static void makeACertificate(@TempDir Path folder) throws Exception {
        Path store = folder.resolve("server.p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "mx", "-keyalg", "EC", "-dname", "CN=mx.test", "-validity", "2", "-storetype",
                "PKCS12", "-keystore", store.toString(), "-storepass", "secret").redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile()).start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(store)) {
            keys.load(in, "secret".toCharArray());
        }
        KeyManagerFactory ours = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        ours.init(keys, "secret".toCharArray());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("mx", keys.getCertificate("mx"));
        TrustManagerFactory theirs = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        theirs.init(trusted);
        context = SSLContext.getInstance("TLS");
        context.init(ours.getKeyManagers(), theirs.getTrustManagers(), null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void mailComesInOverTls(String version) throws Exception {
        try (SmtpListener listener = listener(); Raw client = Raw.greetedBy(listener)) {
            assertThat(client.ask("EHLO client.example")).endsWith("|250 STARTTLS");
            assertThat(client.ask("STARTTLS")).isEqualTo("220 2.0.0 Ready to start TLS");
            upgrade(client, version);
            assertThat(client.ask("EHLO secret.example")).doesNotContain("STARTTLS").endsWith("ENHANCEDSTATUSCODES");
            assertThat(ListenerTest.send(client, "text\r\n")).startsWith("250 2.0.0");
            assertThat(client.ask("QUIT")).startsWith("221 2.0.0");
            assertThat(client.isClosedByServer()).isTrue();
            Letters.Accepted mail = house.accepted.take();
            assertThat(mail.client().tls().orElse("")).startsWith(version + " TLS_");
            assertThat(mail.content()).contains("from secret.example ").contains(" with ESMTPS id ");
        }
    }

    @Test
    void whatWasSaidInClearTextWasNeverSaid() throws Exception {
        try (SmtpListener listener = listener(); Raw client = Raw.greetedBy(listener)) {
            client.ask("EHLO client.example");
            client.ask("MAIL FROM:<a@x.example>");
            client.ask("STARTTLS");
            upgrade(client, "TLSv1.3");
            assertThat(client.ask("RCPT TO:<b@y.example>")).startsWith("503 5.5.1");
            assertThat(client.ask("MAIL FROM:<a@x.example>")).startsWith("503 5.5.1");
            assertThat(client.ask("STARTTLS")).startsWith("503 5.5.1");
            assertThat(client.ask("EHLO client.example")).startsWith("250-mx.test");
        }
    }

    @Test
    void commandsInjectedBehindStarttlsAreNotExecuted() throws Exception {
        try (SmtpListener listener = listener(); Raw client = Raw.greetedBy(listener)) {
            client.ask("EHLO client.example");
            client.send("STARTTLS\r\nMAIL FROM:<injected@x.example>\r\n");
            assertThat(client.reply()).startsWith("554 5.5.0");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void clearTextInsteadOfAHandshakeClosesTheSession() throws Exception {
        try (SmtpListener listener = listener(); Raw client = Raw.greetedBy(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            client.send("MAIL FROM:<a@x.example>\r\nRCPT TO:<b@y.example>\r\nDATA\r\n.\r\n");
            String rest = everythingFrom(client.socket);
            assertThat(rest).doesNotContain("250").doesNotContain("354");
            assertThat(house.drafts).hasValue(0);
        }
    }

    @Test
    void aHandshakeThatStallsEnds() throws Exception {
        ListenerConfig config = Ports.with(Ports.config().withTls(context), "idleMillis", 200);
        try (SmtpListener listener = Ports.started(config, house); Raw client = Raw.greetedBy(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            everythingFrom(client.socket);
        }
    }

    @Test
    void starttlsTakesNoArgument() throws Exception {
        try (SmtpListener listener = listener(); Raw client = Raw.greetedBy(listener)) {
            client.ask("EHLO client.example");
            assertThat(client.ask("STARTTLS now")).startsWith("501 5.5.4");
            assertThat(client.ask("NOOP")).startsWith("250");
        }
    }

    @Test
    void oldVersionsAreRefused() throws Exception {
        try (SmtpListener listener = listener(); Raw client = Raw.greetedBy(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            assertThatThrownBy(() -> upgrade(client, "TLSv1.1")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aMegabyteOverTlsComesOutWhole() throws Exception {
        try (SmtpListener listener = listener(); Raw client = Raw.greetedBy(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            upgrade(client, "TLSv1.3");
            client.ask("EHLO client.example");
            String content = ("0123456789abcdef".repeat(4) + "\r\n").repeat(16_000);
            assertThat(ListenerTest.send(client, content)).startsWith("250");
            assertThat(house.accepted.take().asSent()).isEqualTo(content);
        }
    }

    @Test
    void theIdleInTlsAreToldAtStop() throws Exception {
        SmtpListener listener = listener();
        try (Raw client = Raw.greetedBy(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            upgrade(client, "TLSv1.3");
            client.ask("EHLO client.example");
            listener.stop(Duration.ofSeconds(20));
            assertThat(client.reply()).startsWith("421 4.3.2");
        }
    }

    @Test
    void aClientThatDisappearsInDataOverTlsLeavesNothing() throws Exception {
        try (SmtpListener listener = listener()) {
            try (Raw client = Raw.greetedBy(listener)) {
                Socket tcp = client.socket;
                client.ask("EHLO client.example");
                client.ask("STARTTLS");
                upgrade(client, "TLSv1.3");
                ListenerTest.beginData(client);
                client.send("half a mess");
                await().until(() -> house.openDrafts.get() == 1);
                tcp.close();
            }
            await().until(() -> house.openDrafts.get() == 0);
            assertThat(house.accepted).isEmpty();
        }
    }

    private SmtpListener listener() throws IOException {
        return Ports.started(Ports.config().withTls(context), house);
    }

    private static void upgrade(Raw client, String version) throws IOException {
        SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(client.socket, "mx.test",
                client.socket.getPort(), true);
        tls.setEnabledProtocols(new String[]{version});
        tls.startHandshake();
        client.adopt(tls);
    }

    private static String everythingFrom(Socket socket) throws IOException {
        StringBuilder all = new StringBuilder();
        try {
            for (int b = socket.getInputStream().read(); b >= 0; b = socket.getInputStream().read()) {
                all.append((char) b);
            }
        } catch (java.net.SocketException reset) {
            all.append("(reset)");
        }
        return all.toString();
    }
}
