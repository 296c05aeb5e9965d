package org.slipstream.smtpout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Outcome;
import org.slipstream.core.SettingsRecords;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.smtpout.Post.transfer;
import static org.slipstream.smtpout.ScriptedServer.BYE;
import static org.slipstream.smtpout.ScriptedServer.HELLO;
import static org.slipstream.smtpout.ScriptedServer.TAKE;

/// Opportunistic TLS against servers with a self-signed certificate, with a broken one, and with second thoughts.
class StartTlsTest {
    private static final String OFFER = """
            S 220 sink
            C EHLO me.example
            S 250-sink
            S 250-PIPELINING
            S 250 STARTTLS
            C STARTTLS
            """;
    private static final String ENCRYPTED_HELLO = OFFER + """
            S 220 go
            TLS
            C EHLO me.example
            S 250-sink
            S 250 PIPELINING
            """;

    @TempDir
    private static Path keys;
    private static SSLSocketFactory selfSigned;

    private final EventLog events = new EventLog();
    private final Carriers carriers = new Carriers(Post.patient(), events);

    @BeforeAll
    static void makeKey() throws Exception {
        Path store = keys.resolve("keys.p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "mx", "-keyalg", "EC", "-dname", "CN=expired.example", "-startdate", "-10d",
                "-validity", "1", "-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", "secret")
                .redirectErrorStream(true).start();
        keytool.getInputStream().readAllBytes();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        KeyStore loaded = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            loaded.load(in, "secret".toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(loaded, "secret".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        selfSigned = context.getSocketFactory();
    }

    @AfterEach
    void stop() {
        carriers.close();
    }

    @Test
    void storedContentsGoUnderTlsToo(@TempDir Path files) throws IOException {
        String text = "Subject: x\r\n\r\n" + "A line of text.\r\n".repeat(20_000);
        try (var server = ScriptedServer.withTls(selfSigned, ENCRYPTED_HELLO + TAKE + TAKE + BYE)) {
            carriers.open(1, server.route(), false);
            events.ready();
            Post.deliver(carriers, 1, Post.transfer(1, StoredContent.inMemory(text)));
            assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
            Post.deliver(carriers, 1, Post.transfer(2, StoredContent.inFile(text, files.resolve("content"))));
            assertThat(events.outcome(2)).isInstanceOf(Outcome.Delivered.class);
            assertThat(server.contents()).containsExactly(text, text);
            carriers.close(1);
        }
    }

    @Test
    void mailGoesUnderTlsWhateverTheCertificateSays() {
        try (var server = ScriptedServer.withTls(selfSigned, ENCRYPTED_HELLO + TAKE + TAKE + BYE)) {
            carriers.open(1, server.route(), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1));
            assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
            Post.deliver(carriers, 1, transfer(2));
            assertThat(events.answered(2).usable()).isTrue();
            carriers.close();
            assertThat(server.contents()).containsExactly(Post.LETTER, Post.LETTER);
            assertThat(server.commands()).contains("STARTTLS", "QUIT");
        }
    }

    @Test
    void aPeerThatHangsUpUnderTlsIsNoticed() {
        try (var server = ScriptedServer.withTls(selfSigned, ENCRYPTED_HELLO + TAKE + "GATE\nDROP\n")) {
            carriers.open(1, server.route(), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1));
            events.answered(1);
            server.openGate();
            events.lost();
        }
    }

    @Test
    void aPeerThatRefusesItsOwnOfferGetsTheMailInTheClear() {
        try (var server = ScriptedServer.of(OFFER + "S 454 4.7.0 no key\n" + TAKE + BYE)) {
            deliversInTheClear(server, 1);
        }
    }

    @Test
    void aBrokenHandshakeIsFollowedByACallInTheClear() {
        for (String broken : new String[]{"S 220 go\nRAW this is no TLS\nDROP\n", "S 220 go\nDROP\n",
                "S 220 go\nBYTES 5\nCUT\n", "S 220 go\nS 250 injected under TLS\nSTALL\n"}) {
            EventLog news = new EventLog();
            try (var server = ScriptedServer.of(OFFER + broken, """
                    S 220 sink
                    C EHLO me.example
                    S 250-sink
                    S 250-PIPELINING
                    S 250 STARTTLS
                    """ + TAKE + BYE); var clear = new Carriers(Post.patient(), news)) {
                clear.open(1, server.route(), false);
                news.ready();
                Post.deliver(clear, 1, transfer(1));
                assertThat(news.outcome(1)).as(broken).isInstanceOf(Outcome.Delivered.class);
                assertThat(server.connections()).isEqualTo(2);
            }
        }
    }

    @Test
    void aHandshakeThatNeverEndsIsLeft() {
        try (var server = ScriptedServer.of(OFFER + "S 220 go\nSTALL\n", HELLO + BYE);
                var hasty = new Carriers(Post.hasty(500), events)) {
            hasty.open(1, server.route(), false);
            events.ready();
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void noTlsWhenItIsSwitchedOff() {
        ClientConfig on = Post.patient();
        ClientConfig off = on.with(SettingsRecords.with(on.settings(), "startTls", false));
        String offered = OFFER.replace("C STARTTLS\n", "");
        try (var server = ScriptedServer.of(offered + TAKE + BYE); var clear = new Carriers(off, events)) {
            clear.open(1, server.route(), false);
            events.ready();
            Post.deliver(clear, 1, transfer(1));
            assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
        }
    }

    private void deliversInTheClear(ScriptedServer server, int connections) {
        carriers.open(1, server.route(), false);
        events.ready();
        Post.deliver(carriers, 1, transfer(1));
        assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
        assertThat(server.connections()).isEqualTo(connections);
    }
}
