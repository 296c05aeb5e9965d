package org.slipstream.server;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// A whole server with two addresses of loopback as its sources, and a host that sees from where its mail comes.
class SourcesTest {
    @TempDir
    Path home;

    private final SmtpSink far = SmtpSink.start(SinkScript.smtp());
    private Optional<SmallServer> server = Optional.empty();

    private SmallServer start(String... more) throws Exception {
        server.ifPresent(SmallServer::close);
        List<String> settings = new ArrayList<>(List.of("routes.far.example=smtp:127.0.0.1:" + far.port(),
                "source.a.address-v4=127.0.0.2", "source.a.hostname=out-a.example.org",
                "source.b.address-v4=127.0.0.3", "source.b.hostname=out-b.example.org"));
        settings.addAll(List.of(more));
        server = Optional.of(SmallServer.start(home, settings.toArray(String[]::new)));
        return server.get();
    }

    @AfterEach
    void stop() {
        server.ifPresent(SmallServer::close);
        far.close();
    }

    private void send(String sender, String recipient) {
        try (SmtpTalker talker = SmtpTalker.introducedTo(server.orElseThrow().server().smtp().orElseThrow())) {
            assertThat(talker.send(new OutgoingMessage(sender, List.of(recipient),
                    "Subject: x\r\n\r\nx\r\n".getBytes(StandardCharsets.US_ASCII))).code()).isEqualTo(250);
        }
    }

    private void arrives(int count) {
        await().atMost(Duration.ofSeconds(90)).until(() -> far.count() == count);
    }

    private List<String> greetings() {
        return far.commands().stream().filter(line -> line.startsWith("EHLO")).distinct().sorted().toList();
    }

    @Test
    void theMailOfASenderLeavesByItsPoolWithItsNameAndOtherMailByTheUsualAddress() throws Exception {
        SmallServer running = start("pool.shop.sources=b", "pool.shop.senders=shop.example");
        send("news@shop.example", "x@far.example");
        arrives(1);
        assertThat(greetings()).containsExactly("EHLO out-b.example.org");
        assertThat(far.clients()).allMatch(client -> client.contains("127.0.0.3"));
        send("ann@here.example", "x@far.example");
        arrives(2);
        assertThat(greetings()).containsExactly("EHLO mta.example", "EHLO out-b.example.org");
        assertThat(running.ask("GET", "sources")).contains("\"name\":\"b\"", "\"pools\":[\"shop\"]",
                "\"state\":\"ready\"", "\"deliveries\":1");
        assertThat(running.ask("GET", "metrics")).contains("mta_source_deliveries_total{source=\"b\"} 1");
    }

    /// 203.0.113.1 is no address of this machine.
    @Test
    void aSourceWhoseAddressIsGoneSuspendsItselfAndTheOtherTakesItsMail() throws Exception {
        SmallServer running = start("source.a.address-v4=203.0.113.1", "pool.all.sources=a:1000,b:1",
                "destination.\"far.example\".pool=all");
        // One of a thousand messages has the other source first.
        for (int i = 1; i <= 6; i++) {
            send("ann@here.example", "x" + i + "@far.example");
            arrives(i);
        }
        assertThat(greetings()).containsExactly("EHLO out-b.example.org");
        assertThat(running.ask("GET", "sources")).contains("\"state\":\"suspended\"", "the server: 451 4.3.0 source a");
        assertThat(running.ask("GET", "status")).contains("\"what\":\"source\"");
    }

    @Test
    void aSuspensionOfAnOperatorSurvivesARestartAndWithoutAnotherSourceMailWaits() throws Exception {
        String[] settings = {"pool.shop.sources=a", "pool.shop.senders=shop.example"};
        SmallServer running = start(settings);
        assertThat(running.operator().ask("POST", "sources/c/suspend?reason=r").status()).isEqualTo(404);
        assertThat(running.operator().ask("POST", "sources/a/suspend?reason=r&provider=nobody").status())
                .isEqualTo(400);
        running.ask("POST", "sources/a/suspend?reason=delisting");
        running = start(settings);
        send("news@shop.example", "x@far.example");
        SmallServer now = running;
        await().atMost(Duration.ofSeconds(90)).until(() -> now.ask("GET", "queue").contains("no source of pool shop"));
        assertThat(far.connections()).isZero();
        Matcher id = Pattern.compile("\"id\":\"([0-9a-z]+)\"").matcher(running.ask("GET", "queue"));
        assertThat(id.find()).isTrue();
        assertThat(running.ask("GET", "explain?message=" + id.group(1))).contains(
                "source   pool shop (sender shop.example), in this order: a (suspended by", ": delisting)");
        running.ask("POST", "sources/a/resume");
        running.ask("POST", "queue/flush");
        arrives(1);
        assertThat(running.operator().ask("POST", "sources/a/resume").status()).isEqualTo(404);
    }

    /// The proxy connects to the address in the request, and passes on what both sides say.
    @Test
    void aProxyOfSocksIsAWayOut() throws Exception {
        try (ServerSocket proxy = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> passOn(proxy));
            start("source.a.address-v4=198.51.100.7", "source.a.exit=socks5://127.0.0.1:" + proxy.getLocalPort(),
                    "pool.all.sources=a", "pool.all.senders=here.example");
            send("ann@here.example", "x@far.example");
            arrives(1);
            assertThat(greetings()).containsExactly("EHLO out-a.example.org");
        }
    }

    private static void passOn(ServerSocket proxy) {
        try (Socket client = proxy.accept()) {
            client.getInputStream().readNBytes(3);
            client.getOutputStream().write(new byte[]{5, 0});
            byte[] request = client.getInputStream().readNBytes(10);
            try (Socket host = new Socket(InetAddress.getByAddress(Arrays.copyOfRange(request, 4, 8)),
                    (request[8] & 0xff) << 8 | request[9] & 0xff)) {
                client.getOutputStream().write(new byte[]{5, 0, 0, 1, 0, 0, 0, 0, 0, 0});
                Thread back = Thread.ofVirtual().start(() -> copy(host, client));
                copy(client, host);
                back.join();
            }
        } catch (IOException | InterruptedException gone) {
            // The test is over.
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException gone) {
            // The other side has closed.
        }
    }

    /// Another server of this kind reads the header, as behind a proxy that honours it.
    @Test
    void aProxyHeaderNamesTheSource() throws Exception {
        try (SmallServer other = SmallServer.start(home.resolve("other"), "local.domains=inner.example",
                "local.mailboxes=*", "trust.proxies=127.0.0.0/8")) {
            start("routes.inner.example=smtp:127.0.0.1:1", "source.a.address-v4=198.51.100.7",
                    "source.a.exit=proxy://127.0.0.1:" + other.server().smtp().orElseThrow().getPort(),
                    "pool.all.sources=a", "pool.all.senders=here.example", "smtp-client.starttls=false");
            send("ann@here.example", "x@inner.example");
            Path mailbox = home.resolve("other/mail/inner.example/x/new");
            await().atMost(Duration.ofSeconds(90)).until(() -> Files.isDirectory(mailbox) && !read(mailbox).isEmpty());
            assertThat(read(mailbox))
                    .containsPattern("Received: from out-a\\.example\\.org \\(\\[198\\.51\\.100\\.7\\]");
        }
    }

    private static String read(Path mailbox) throws IOException {
        try (Stream<Path> files = Files.list(mailbox)) {
            Optional<Path> first = files.findFirst();
            return first.isEmpty() ? "" : Files.readString(first.get(), StandardCharsets.ISO_8859_1);
        }
    }

    /// The pool has an address on its first day, which may send one message, and one that is warm.
    @Test
    void aDayThatIsUsedUpOverflowsToTheWarmSource() throws Exception {
        String today = LocalDate.now(ZoneOffset.UTC).minusDays(1).toString();
        SmallServer running = start("source.a.warm-up=" + today, "source.a.warm-up-days=1,1,1,1",
                "pool.all.sources=a:1000,b:1", "pool.all.senders=here.example");
        for (int i = 1; i <= 6; i++) {
            send("ann@here.example", "x" + i + "@far.example");
            arrives(i);
        }
        assertThat(greetings()).containsExactly("EHLO out-a.example.org", "EHLO out-b.example.org");
        assertThat(running.ask("GET", "sources")).contains("\"state\":\"warming\"", "\"limit\":1",
                "\"provider\":\"other\",\"used\":1,\"left\":0,\"state\":\"used-up\"");
    }

    @Test
    void aSourceOnABlockListIsSuspendedAtThatProviderAndTheMailIsNotReturned() throws Exception {
        far.change(script -> script.onRecipient("*", SinkAction
                .reply("554 5.7.1 Client host [127.0.0.2] blocked using zen.spamhaus.org").applies(1)));
        SmallServer running = start("pool.all.sources=a:1000,b:1", "pool.all.senders=here.example",
                "queue.minimal-backoff=1s", "queue.maximal-backoff=1s");
        send("ann@here.example", "x@far.example");
        arrives(1);
        assertThat(far.messages()).singleElement()
                .satisfies(message -> assertThat(message.recipients()).containsExactly("x@far.example"));
        assertThat(running.ask("GET", "sources")).contains("\"provider\":\"other\"", "\"state\":\"suspended\"",
                "blocked using zen.spamhaus.org");
    }

    @Test
    void aGreetingThatNamesABlockListSuspendsTheSourceToo() throws Exception {
        far.change(script -> script.on(SinkPhase.CONNECT, SinkAction
                .reply("554 5.7.1 [127.0.0.2] is blacklisted here").thenCloses().applies(1)));
        SmallServer running = start("pool.all.sources=a:1000,b:1", "pool.all.senders=here.example",
                "queue.minimal-backoff=1s", "queue.maximal-backoff=1s");
        send("ann@here.example", "x@far.example");
        arrives(1);
        assertThat(running.ask("GET", "sources")).contains("is blacklisted here");
    }
}
