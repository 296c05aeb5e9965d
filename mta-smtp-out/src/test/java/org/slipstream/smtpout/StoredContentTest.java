package org.slipstream.smtpout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.auth.dkim.KeyFailedException;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.DeliveryResult.OwnFailure;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SmtpSink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// Contents with facts, delivered: the octets that a peer gets, and whether this side had to read
/// them.
class StoredContentTest {
    private static final String TEXT = "Subject: x\r\n\r\n" + "A line of text.\r\n".repeat(100_000);

    private final EventLog events = new EventLog();

    @TempDir
    private Path files;

    @ParameterizedTest
    @CsvSource({"CHUNKING", "8BITMIME", "HELP"})
    void aPlainContentArrivesAndIsNotLookedAt(String extension) throws IOException {
        List<StoredContent> messages = List.of(StoredContent.inMemory(TEXT),
                StoredContent.inFile(TEXT, files.resolve("1")),
                StoredContent.inMemory("Subject: y\r\n\r\n"));
        assertThat(delivered(messages, extension)).containsExactly(TEXT, TEXT, "Subject: y\r\n\r\n");
        assertThat(messages).extracting(StoredContent::opened).containsOnly(0);
    }

    @ParameterizedTest
    @CsvSource({"CHUNKING", "8BITMIME"})
    void aLineThatBeginsWithADotArrivesAsItIs(String extension) throws IOException {
        String dotted = "Subject: x\r\n\r\n.\r\n..\r\n.a\r\n" + TEXT;
        assertThat(delivered(List.of(StoredContent.inMemory(dotted), StoredContent.inFile(dotted, files.resolve("1"))),
                extension)).containsExactly(dotted, dotted);
    }

    @Test
    void eightBitAndLongLinesAreStillConverted() throws IOException {
        String wide = "Subject: x\r\n\r\n" + "y".repeat(1_200) + "\r\n";
        String eightBit = "Subject: x\r\n\r\ncaf\u00e9\r\n";
        assertThat(delivered(List.of(StoredContent.inMemory(wide), StoredContent.inMemory(eightBit)), "HELP"))
                .allSatisfy(content -> assertThat(content).contains("quoted-printable"))
                .allSatisfy(content -> assertThat(content.lines()).allMatch(line -> line.length() < 80));
    }

    @ParameterizedTest
    @CsvSource({"CHUNKING", "8BITMIME"})
    void aFileThatEndsTooEarlyIsOurFailureAndNeverAMessage(String extension) throws IOException {
        StoredContent message = StoredContent.inFile(TEXT, files.resolve("1"));
        Files.write(files.resolve("1"), new byte[1_200_000]);
        try (SmtpSink sink = SmtpSink.start(Post.accepting("PIPELINING", extension));
                Carriers carriers = Post.carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(sink), false);
            Post.deliver(carriers, 1, Post.transfer(1, message));
            assertThat(events.result(1)).isInstanceOf(OwnFailure.class);
            assertThat(sink.messages()).isEmpty();
        }
    }

    @Test
    void aMessageWhoseKeyFailsWaitsAndOtherMailIsSent() {
        ContentSigner failing = (delivery, _, _, _) -> {
            if (delivery.id().equals(new QueueId(1001))) {
                throw new KeyFailedException(new IllegalStateException("a key of 2048 bits signs"));
            }
            return new byte[0];
        };
        try (SmtpSink sink = SmtpSink.start(Post.accepting("PIPELINING"));
                Carriers carriers = new Carriers(Post.patient(), events, failing)) {
            carriers.open(1, Post.route(sink), false);
            Post.deliver(carriers, 1, Post.transfer(1));
            Post.deliver(carriers, 1, Post.transfer(2));
            assertThat(events.result(1)).isInstanceOfSatisfying(OwnFailure.class,
                    failure -> assertThat(failure.reason().toString())
                            .startsWith("451 4.7.5 a DKIM key cannot sign the message"));
            events.results(2);
            assertThat(sink.messages()).hasSize(1);
        }
    }

    private List<String> delivered(List<StoredContent> messages, String extension) throws IOException {
        try (SmtpSink sink = SmtpSink.start(Post.accepting("PIPELINING", extension));
                Carriers carriers = Post.carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(sink), false);
            for (int i = 0; i < messages.size(); i++) {
                Post.deliver(carriers, 1, Post.transfer(i + 1, messages.get(i)));
            }
            events.results(messages.size());
            return sink.messages().stream().map(ReceivedMessage::text).toList();
        }
    }
}
