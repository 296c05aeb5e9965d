package org.slipstream.smtpout;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.core.DataSize;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.DeliveryResult.Unanswered;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.smtpout.EventLog.Badly;
import org.slipstream.smtpout.EventLog.Depth;
import org.slipstream.smtpout.EventLog.Failed;
import org.slipstream.smtpout.EventLog.Lost;
import org.slipstream.smtpout.EventLog.Ready;
import org.slipstream.testkit.SmtpSink;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// Whole conversations, each a file of `src/test/resources/transcripts`: the deliveries, the octets
/// on the wire, and the events.
///
/// ```
/// # What this is about.
/// deliver 1 a@x.example b@x.example     a transfer; all are posted before the peer greets
/// timeout 1000                          milliseconds for EHLO, MAIL, RCPT and RSET; other waits have no end
/// s: 220 sink                           the peer says
/// c: EHLO me.example                    the client says; * stands for anything
/// DATA, CHUNK, DROP …                   see SmtpSink
/// => 1: 1 Delivered 250 ok              events, in this order
/// => close                              the test closes the connection after all events before
/// ```
@Tag("FI-34")
class TranscriptsTest {
    static Stream<String> transcripts() throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.list(directory())) {
            return files.map(f -> f.getFileName().toString()).filter(f -> f.endsWith(".txt")).sorted().toList()
                    .stream();
        }
    }

    @Test
    void noneIsOverlooked() throws IOException, URISyntaxException {
        assertThat(transcripts()).hasSizeGreaterThan(40);
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void asItIsWritten(String file) throws IOException, URISyntaxException {
        List<String> lines = Files.readAllLines(directory().resolve(file));
        List<String> script = new ArrayList<>(List.of("GATE"));
        List<String> expected = new ArrayList<>();
        List<String[]> transfers = new ArrayList<>();
        ClientConfig config = Post.patient();
        for (String line : lines) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "", "#" -> {
                }
                case "deliver" -> transfers.add(words);
                case "timeout" -> config = Post.hasty(Long.parseLong(words[1]), "commandTimeout");
                case "=>" -> expected.add(line.substring(3));
                case "s:" -> script.add("S " + line.substring(3));
                case "c:" -> script.add("C " + line.substring(3));
                default -> script.add(line);
            }
        }
        EventLog events = new EventLog();
        List<String> heard = new ArrayList<>();
        try (var server = SmtpSink.following(String.join("\n", script));
                var carriers = Post.carriers(config.with(new ClientConfig.Ahead(5, 50, DataSize.ofMebibytes(1))),
                        events)) {
            carriers.open(1, Post.route(server), false);
            for (String[] words : transfers) {
                String[] recipients = Arrays.copyOfRange(words, 2, words.length);
                Post.deliver(carriers, 1, Post.transfer(Long.parseLong(words[1]), recipients));
            }
            server.release();
            for (int i = 0; i < expected.size(); i++) {
                if (expected.get(i).equals("close")) {
                    carriers.close(1);
                    heard.add("close");
                }
                while (heard.size() <= i) {
                    heard.addAll(next(events, server));
                }
            }
            server.awaitIdle();
            assertThat(String.join("\n", heard)).as(file).isEqualTo(String.join("\n", expected));
        }
        assertThat(events.results()).as("each delivery is answered once").hasSize(transfers.size());
    }

    private static List<String> next(EventLog events, SmtpSink server) {
        while (true) {
            List<String> lines = lines(events.next());
            if (!lines.isEmpty()) {
                return lines.stream().map(l -> l.replace("127.0.0.1[127.0.0.1]:" + server.port(), "peer")).toList();
            }
        }
    }

    private static List<String> lines(Object news) {
        return switch (news) {
            case Ready _,Depth _ -> List.of();
            case Failed failed -> List.of("failed " + failed.reason());
            case Answered done -> done.outcomes().stream().map(o -> done.delivery() + ": " + outcome(o))
                    .collect(Collectors.collectingAndThen(Collectors.toList(), list -> ended(list, done.usable())));
            case Lost lost -> List.of("lost " + lost.reason());
            case Unanswered returned -> List.of(returned.delivery() + ": returned " + returned.reason()
                    + (returned.mayHaveArrived() ? " (may have arrived)" : ""));
            case Badly badly -> List.of("pipelines badly: " + badly.what());
            default -> throw new AssertionError(news);
        };
    }

    private static List<String> ended(List<String> lines, boolean usable) {
        return usable ? lines : Stream.concat(lines.stream(), Stream.of("ended")).toList();
    }

    private static String outcome(RecipientOutcome outcome) {
        return outcome.number() + " " + outcome.outcome().getClass().getSimpleName() + " " + outcome.outcome().reply();
    }

    private static Path directory() throws URISyntaxException {
        return Path.of(TranscriptsTest.class.getResource("/transcripts").toURI());
    }
}
