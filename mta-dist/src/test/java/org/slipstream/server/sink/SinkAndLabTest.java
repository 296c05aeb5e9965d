package org.slipstream.server.sink;

import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.lab.World;
import org.slipstream.lab.WorldObserver;
import org.slipstream.lab.scenario.ScenarioFile;
import org.slipstream.lab.scenario.ScenarioReader;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.sink.script.ScriptReader;
import org.slipstream.sink.server.SinkServer;
import org.slipstream.sink.store.CaughtMail;
import org.slipstream.sink.store.MailFiles;
import org.slipstream.sink.store.SessionLog;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/// One script decides for the real sink and for a simulated server. A simulated day of attempts is
/// repeated against the real sink, connection by connection and at the same times, and each reply is
/// compared.
class SinkAndLabTest {
    private static final String WORLD = """
            title = "the same script"
            stop-after = "2h"
            [settings]
            minimal-backoff = "120s"
            [transport]
            lanes-per-destination = 4
            [servers.scripted]
            script = "the.toml"
            delivery = "3s"
            connect = "10ms"
            [[routes]]
            domain = "*"
            server = "scripted"
            next-hop = "mx.scripted.example"
            [[messages]]
            every = "700ms"
            count = 25
            from = "list@here.example"
            to = { "a.example" = 3, "b.example" = 1 }
            """;

    /// Something that the simulated client did, and what it got for it.
    private sealed interface Step {
        record Opened(long at, long connection, boolean served) implements Step {}

        record Delivered(long at, long connection, String sender, List<String> recipients, List<Integer> codes)
                implements
                    Step {}

        record Gone(long at, long connection) implements Step {}
    }

    /// Attempts in the order in which the server decides about them: by the time of the order.
    private static final class Attempts implements WorldObserver {
        final List<Step> steps = new ArrayList<>();
        final Map<Long, Integer> openedAt = new HashMap<>();
        final Map<Long, Integer> deliveredAt = new HashMap<>();
        final Map<Long, Long> connectionOf = new TreeMap<>();

        @Override
        public void ordered(long now, QmgrOrder order) {
            switch (order) {
                case QmgrOrder.Open open -> {
                    openedAt.put(open.connection(), steps.size());
                    steps.add(new Step.Opened(now, open.connection(), false));
                }
                case QmgrOrder.Deliver deliver -> {
                    deliveredAt.put(deliver.delivery().number(), steps.size());
                    steps.add(new Step.Delivered(now, deliver.connection(), "list@here.example",
                            deliver.recipients().stream().map(each -> each.address().toString()).toList(), List.of()));
                }
                case QmgrOrder.Close close -> steps.add(new Step.Gone(now, close.connection()));
                default -> {
                }
            }
        }

        @Override
        public void happened(long now, QmgrEvent event) {
            switch (event) {
                case QmgrEvent.ConnectionReady ready -> served(ready.connection());
                case QmgrEvent.ConnectionLost lost -> steps.add(new Step.Gone(now, lost.connection()));
                case QmgrEvent.DeliveryDone(DeliveryResult result) -> done(result);
                default -> {
                }
            }
        }

        private void served(long connection) {
            int place = openedAt.get(connection);
            steps.set(place, new Step.Opened(((Step.Opened) steps.get(place)).at(), connection, true));
        }

        private void done(DeliveryResult result) {
            int place = deliveredAt.get(result.delivery());
            Step.Delivered asked = (Step.Delivered) steps.get(place);
            List<Integer> codes = new ArrayList<>();
            if (result instanceof DeliveryResult.Answered answered) {
                answered.outcomes().stream()
                        .sorted(Comparator.comparingInt(RecipientOutcome::number))
                        .forEach(each -> codes.add(each.outcome().reply().code()));
            }
            steps.set(place, new Step.Delivered(asked.at(), asked.connection(), asked.sender(), asked.recipients(),
                    codes));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"greylisting", "postfix-rate-limit", "every-third", "disk-full", "three-messages"})
    void theRealSinkRepliesAsTheSimulatedServer(String name) throws IOException {
        String script = name.equals("three-messages")
                ? "[limits]\nmessages-per-connection = 3"
                : Files.readString(Path.of("../examples/servers/" + name + ".toml"));
        ScenarioFile scenario = ((ScenarioReader.Reading.Good) ScenarioReader.read("world.toml", WORLD, List.of(),
                _ -> Optional.of(script))).file();
        Attempts attempts = new Attempts();
        new World(scenario.scenario(), attempts).run(scenario.stopMillis());
        List<Step> steps = attempts.steps;
        assertThat(steps).as("enough happened").hasSizeGreaterThan(25);
        assertThat(steps.toString()).as("the script had an effect").containsPattern("45[02]|421|served=false");

        AtomicLong clock = new AtomicLong();
        try (SinkServer server = SinkServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ScriptReader.read(name, script), new CaughtMail(CaughtMail.Bounds.USUAL, MailFiles.NONE),
                new SessionLog(10), _ -> {}, clock::get)) {
            List<Step> real = new Repetition(server, clock).of(steps);
            assertThat(real).isEqualTo(steps);
        }
    }

    /// The same steps with a real client.
    private record Repetition(SinkServer server, AtomicLong clock, Map<Long, SmtpTalker> connections) {
        Repetition(SinkServer server, AtomicLong clock) {
            this(server, clock, new HashMap<>());
        }

        List<Step> of(List<Step> steps) {
            List<Step> real = steps.stream().map(this::repeat).toList();
            connections.values().forEach(SmtpTalker::close);
            return real;
        }

        private Step repeat(Step step) {
            return switch (step) {
                case Step.Opened opened -> {
                    clock.set(opened.at() + 10);
                    yield new Step.Opened(opened.at(), opened.connection(), open(opened.connection()));
                }
                case Step.Delivered asked -> {
                    clock.set(asked.at());
                    SmtpTalker talker = connections.get(asked.connection());
                    List<Integer> codes = talker == null ? List.of() : deliver(talker, asked);
                    if (codes.contains(421)) {
                        closed(asked.connection());
                    }
                    yield new Step.Delivered(asked.at(), asked.connection(), asked.sender(), asked.recipients(),
                            codes);
                }
                case Step.Gone gone -> {
                    close(gone.connection());
                    yield gone;
                }
            };
        }

        private boolean open(long number) {
            SmtpTalker talker = SmtpTalker.to(server.address());
            if (!talker.reply().startsWith("220")) {
                talker.close();
                return false;
            }
            talker.must(250, "EHLO client.example");
            connections.put(number, talker);
            return true;
        }

        private void close(long number) {
            SmtpTalker talker = connections.get(number);
            if (talker != null) {
                talker.must(221, "QUIT");
                closed(number);
            }
        }

        /// The server counts the connection until it has ended there, too.
        private void closed(long number) {
            connections.remove(number).close();
            Awaitility.await().atMost(Duration.ofSeconds(90))
                    .until(() -> server.run().figures().open() == connections.size());
        }

        private static List<Integer> deliver(SmtpTalker talker, Step.Delivered asked) {
            int mail = code(talker.ask("MAIL FROM:<" + asked.sender() + ">"));
            if (mail != 250) {
                return asked.recipients().stream().map(_ -> mail).toList();
            }
            List<Integer> codes = new ArrayList<>();
            asked.recipients().forEach(each -> codes.add(code(talker.ask("RCPT TO:<" + each + ">"))));
            if (codes.contains(250)) {
                talker.must(354, "DATA");
                int last = talker.data("Hello.\r\n".getBytes(StandardCharsets.US_ASCII)).code();
                codes.replaceAll(each -> each == 250 ? last : each);
            } else {
                talker.must(250, "RSET");
            }
            return codes;
        }

        private static int code(String reply) {
            return Integer.parseInt(reply.substring(0, 3));
        }
    }
}
