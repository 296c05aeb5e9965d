package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Letter;
import org.slipstream.it.fixture.MailAssert;
import org.slipstream.it.fixture.RunningServer;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Sink;
import org.slipstream.it.fixture.SmtpTalk;
import org.slipstream.it.fixture.Workbench;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `kill -9` in the middle of the work, several times over: what was acknowledged arrives, whole and unchanged.
///
/// Clients send all the time and note a message down when they have read its 250. The server is killed at a random
/// moment, started again in the same home, and so on; at the end it may finish. At the sink a copy too many is allowed only
/// for what was on its way when the server died (house.md, section 6): never two in one life of the server. In a mailbox
/// there is no copy too many, because the second attempt finds the file of the first.
class CrashIT {
    private static final int DEATHS = 4;
    private static final int CLIENTS = 6;
    @RegisterExtension
    final Workbench bench = new Workbench();
    private final AtomicInteger number = new AtomicInteger();
    private final Map<String, Letter> acknowledged = new ConcurrentHashMap<>();
    private final List<Long> rebirths = new ArrayList<>();
    private final Queue<String> troubles = new ConcurrentLinkedQueue<>();

    @Test
    void everythingAcknowledgedArrives() {
        var random = seeded();
        var far = bench.smtpSink();
        // Small segments, so that the box changes often.
        var server = bench.server(Settings.quick().route("far.example", far).set("spool.segment-size", "1MiB")
                .set("spool.segment-grace", "1s").set("spool.inline-size", "16KiB"));

        for (int life = 0; life < DEATHS; life++) {
            killUnderLoad(server, 100 + random.nextInt(300));
            // What the dead server had sent belongs to its life.
            eventually().until(far::isAlone);
            rebirths.add(System.nanoTime());
            server.startAgain();
        }

        eventually().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(250))
                .until(() -> server.queue().isEmpty());
        assertThat(troubles).isEmpty();
        assertThat(server.queue().status().path("corrupt").asInt()).isZero();
        atTheSink(far);
        inTheMailbox(server);
    }

    /// A server that has just died may die again while it comes up.
    @Test
    void dyingAgainAndAgainWhileStartingLosesNothing() {
        var random = seeded();
        var far = bench.smtpSink();
        far.stop();
        var server = bench.server(Settings.quick().route("far.example", far));
        killUnderLoad(server, 250);
        for (int i = 0; i < 4; i++) {
            server.dieWhileStarting(Duration.ofMillis(300 + random.nextInt(1_500)));
        }
        server.startAgain();
        far.startAgain();
        eventually().atMost(Duration.ofSeconds(90)).until(() -> server.queue().isEmpty());
        everythingAcknowledged("friend@far.example", far.deliveries().stream().map(Sink.Delivery::id).toList());
        everythingAcknowledged("alice@here.example",
                server.mail().newMail("alice@here.example").stream().map(Letter::idOf).toList());
    }

    private static Random seeded() {
        long seed = System.nanoTime();
        System.out.println("CrashIT seed " + seed);
        return new Random(seed);
    }

    private void killUnderLoad(RunningServer server, int acknowledgements) {
        int goal = acknowledged.size() + acknowledgements;
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            startClients(clients, server);
            eventually().pollInterval(Duration.ofMillis(2)).until(() -> acknowledged.size() >= goal);
            server.kill9();
        }
    }

    private void startClients(ExecutorService clients, RunningServer server) {
        var door = server.smtp();
        for (int i = 0; i < CLIENTS; i++) {
            clients.submit(() -> {
                // Every so often a new connection, as clients do; the end comes when the server is dead.
                while (server.isAlive()) {
                    try (var talk = SmtpTalk.greeted(door)) {
                        for (int sent = 0; sent < 20; sent++) {
                            sendOne(talk);
                        }
                    } catch (UncheckedIOException e) {
                        // Killed, or being killed.
                    }
                }
            });
        }
    }

    private void sendOne(SmtpTalk talk) {
        var letter = letter(number.incrementAndGet());
        var answer = talk.send(letter);
        if (answer.code() == 250) {
            acknowledged.put(letter.id(), letter);
        } else {
            troubles.add(letter.id() + ": " + answer);
        }
    }

    /// Some far, some here, some both; a few so large that they get a file of their own.
    private static Letter letter(int number) {
        var recipients = switch (number % 3) {
            case 0 -> List.of("friend@far.example");
            case 1 -> List.of("alice@here.example");
            default -> List.of("friend@far.example", "alice@here.example");
        };
        int lines = number % 17 == 0 ? 500 : 5;
        return Letter.of("crash-" + number + "@client.example", "someone@client.example", recipients,
                Bytes.ascii(("Line of message " + number + " " + ".".repeat(50) + "\r\n").repeat(lines)));
    }

    private void atTheSink(Sink far) {
        var copies = far.deliveries().stream().collect(Collectors.groupingBy(Sink.Delivery::id));
        everythingAcknowledged("friend@far.example", copies.keySet());
        copies.forEach((id, mails) -> assertThat(mails.stream().map(this::life))
                .as("lives in which " + id + " was sent").doesNotHaveDuplicates());
        far.deliveries().stream().filter(mail -> acknowledged.containsKey(mail.id())).forEach(
                mail -> MailAssert.unchangedOnTheWire(acknowledged.get(mail.id()).content(), mail.content()));
        System.out.println("CrashIT: " + copies.size() + " messages at the sink, "
                + copies.values().stream().filter(mails -> mails.size() > 1).count() + " of them more than once");
    }

    private void inTheMailbox(RunningServer server) {
        var mails = server.mail().newMail("alice@here.example");
        everythingAcknowledged("alice@here.example", mails.stream().map(Letter::idOf).toList());
        assertThat(mails).extracting(Letter::idOf).doesNotHaveDuplicates();
        mails.stream().filter(mail -> acknowledged.containsKey(Letter.idOf(mail))).forEach(
                mail -> MailAssert.unchangedInMailbox(acknowledged.get(Letter.idOf(mail)).content(), mail));
    }

    private void everythingAcknowledged(String recipient, Collection<String> arrived) {
        var wanted = acknowledged.values().stream().filter(letter -> letter.recipients().contains(recipient))
                .map(Letter::id).toList();
        assertThat(wanted).hasSizeGreaterThan(100);
        assertThat(Set.copyOf(arrived)).as("everything acknowledged for " + recipient).containsAll(wanted);
    }

    private int life(Sink.Delivery mail) {
        return (int) rebirths.stream().filter(nanos -> nanos - mail.atNanos() < 0).count();
    }
}
