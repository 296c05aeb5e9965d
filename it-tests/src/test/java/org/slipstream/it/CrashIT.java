package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Letter;
import org.slipstream.it.fixture.RunningServer;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Sink;
import org.slipstream.it.fixture.SmtpTalk;
import org.slipstream.it.fixture.Trace;
import org.slipstream.it.fixture.Workbench;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `kill -9` in the middle of the work, several times over: what was acknowledged arrives, whole and unchanged.
///
/// Clients send all the time and note a message down when they have read its 250. The server is killed at a random
/// moment, started again in the same home, and so on; at the end it may finish. A copy too many is allowed only for
/// what was on its way when the server died (house.md, section 6): so a message has at most one copy more than it saw
/// deaths, and there is at most one such message for each transfer that could be running at a death.
class CrashIT {
    private static final int DEATHS = 4;
    private static final int CLIENTS = 6;
    private static final int LANES = 5;
    @RegisterExtension
    final Workbench bench = new Workbench();
    private final AtomicInteger number = new AtomicInteger();
    private final Map<String, Letter> acknowledged = new ConcurrentHashMap<>();
    private final Queue<String> troubles = new ConcurrentLinkedQueue<>();

    @Test
    void everythingAcknowledgedArrives() {
        var random = seeded();
        var far = bench.smtpSink();
        // Small segments, so that the box changes often; few lanes, so that few copies are allowed.
        var server = bench.server(Settings.quick().route("far.example", far).set("spool.segment-size", "1MiB")
                .set("spool.segment-grace", "1s").set("spool.inline-size", "16KiB")
                .set("queue.lanes-per-destination", String.valueOf(LANES)).set("queue.lanes", String.valueOf(LANES)));

        for (int life = 0; life < DEATHS; life++) {
            killUnderLoad(server, 100 + random.nextInt(300));
            server.startAgain();
        }

        eventually().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(250))
                .until(() -> server.queue().isEmpty());
        assertThat(troubles).isEmpty();
        assertThat(server.queue().status().path("corrupt").asInt()).isZero();
        judge("at the sink", letter -> letter.recipients().contains("friend@far.example"), copiesFar(far));
        judge("in the mailbox", letter -> letter.recipients().contains("alice@here.example"), copiesHere(server));
        assertThat(server.mail().unfinished("alice@here.example")).as("half-written files are no mail, but few")
                .isLessThanOrEqualTo(DEATHS * LANES);
    }

    /// A server that has just died may die again while it comes up.
    @Test
    void dyingAgainAndAgainWhileStartingLosesNothing() {
        var random = seeded();
        var far = bench.smtpSink();
        far.stop();
        var server = bench.server(Settings.quick().route("far.example", far));
        killUnderLoad(server, 150);
        for (int i = 0; i < 4; i++) {
            server.dieWhileStarting(Duration.ofMillis(300 + random.nextInt(1_500)));
        }
        server.startAgain();
        far.startAgain();
        eventually().atMost(Duration.ofSeconds(60)).until(() -> server.queue().isEmpty());
        assertThat(copiesFar(far).keySet()).containsAll(acknowledged.keySet().stream()
                .filter(id -> acknowledged.get(id).recipients().contains("friend@far.example")).toList());
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

    private void judge(String where, Function<Letter, Boolean> expected, Map<String, List<byte[]>> copies) {
        var wanted = acknowledged.values().stream().filter(expected::apply).toList();
        assertThat(wanted).hasSizeGreaterThan(100);
        assertThat(copies.keySet()).as(where + ": everything acknowledged")
                .containsAll(wanted.stream().map(Letter::id).toList());
        for (var letter : wanted) {
            assertThat(copies.get(letter.id())).as(where + ": " + letter.id())
                    .hasSizeLessThanOrEqualTo(1 + DEATHS).allSatisfy(copy -> assertThat(copy)
                            .isEqualTo(letter.content()));
        }
        long twice = copies.values().stream().filter(list -> list.size() > 1).count();
        System.out.println("CrashIT " + where + ": acknowledged " + wanted.size() + ", arrived " + copies.size()
                + ", more than once " + twice);
        assertThat(twice).as(where + ": more than one copy").isLessThanOrEqualTo((long) DEATHS * LANES);
    }

    private static Map<String, List<byte[]>> copiesFar(Sink far) {
        return far.deliveries().stream().collect(Collectors.groupingBy(Sink.Delivery::id, Collectors
                .mapping(mail -> Trace.of(mail.content()).original(), Collectors.toCollection(ArrayList::new))));
    }

    private static Map<String, List<byte[]>> copiesHere(RunningServer server) {
        return server.mail().newMail("alice@here.example").stream().collect(Collectors.groupingBy(Letter::idOf,
                Collectors.mapping(mail -> Trace.of(mail).original(), Collectors.toCollection(ArrayList::new))));
    }
}
