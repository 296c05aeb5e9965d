package org.slipstream.smtpout;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.queue.DeliveryResult.Unanswered;
import org.slipstream.smtpout.wire.LongLines;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SmtpSink;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import static org.assertj.core.api.Assertions.assertThat;

/// No content is written that a peer, with any interpretation of a line, reads as two messages or
/// as commands; neither in DATA nor in BDAT, whose content a peer may pass on by DATA.
class SmugglingTest {
    private static final String EVIL = "MAIL FROM:<boss@here.example>\r\nRCPT TO:<victim@x.example>\r\n"
            + "DATA\r\nSubject: smuggled\r\n\r\n.\r\n";
    private static final List<String> ENDS = List.of("\n.\n", "\r.\r", "\n.\r\n", "\r\n.\n", "\r\n.\r", "\r.\r\n",
            "\r\n.\r\n", "\n\n.\r\n", "\r\n\0.\r\n", "\r\n.\0\r\n", "\0\r\n.\r\n\0", "\r\r\n.\r\r\n", "\n.\r",
            "\r\n.\r\r\n",
            "\u0085.\u0085", "\u000b.\u000b", "\f.\f", "\r\n.\r\n.\r\n", "\r\n..\r\n", "\r", "\n", "\r\n.", ".");

    @ParameterizedTest
    @ValueSource(strings = {"", "PIPELINING", "PIPELINING,CHUNKING"})
    void oneMessageIsOneMessage(String extensions) throws IOException {
        List<String> messages = new ArrayList<>();
        for (String end : ENDS) {
            messages.add("Subject: innocent\r\n\r\ntext" + end + EVIL);
            messages.add(end + EVIL + end);
            messages.add("text" + end);
            // On the seam of two blocks of every size that is used.
            for (int block : new int[]{1024, 32 * 1024, 64 * 1024}) {
                for (int before = 0; before <= end.length(); before++) {
                    messages.add("x".repeat(block - before) + end + EVIL);
                }
            }
        }
        SplittableRandom random = new SplittableRandom(42);
        for (int i = 0; i < 300; i++) {
            StringBuilder odd = new StringBuilder();
            for (int n = random.nextInt(40); n > 0; n--) {
                odd.append(List.of("\r", "\n", ".", "\r\n", "a", "\0", EVIL).get(random.nextInt(7)));
            }
            messages.add(odd.toString());
        }
        EventLog events = new EventLog();
        try (SmtpSink sink = SmtpSink.start(Post.accepting(("8BITMIME," + extensions).split(",")));
                Carriers carriers = Post.carriers(Post.patient().with(LongLines.SEND), events)) {
            carriers.open(1, Post.route(sink), false);
            for (int i = 0; i < messages.size(); i++) {
                Post.deliver(carriers, 1, Post.transfer(i + 1, Post.content(messages.get(i))));
            }
            events.results(messages.size());
            assertThat(sink.messages()).hasSameSizeAs(messages);
            assertThat(events.all()).noneMatch(Unanswered.class::isInstance);
            for (int i = 0; i < messages.size(); i++) {
                ReceivedMessage taken = sink.messages().get(i);
                assertThat(taken.sender()).isEqualTo("me@here.example");
                assertThat(taken.recipients()).containsExactly("you@there.example");
                assertThat(taken.text().replace("\r\n", "")).as("bare line ends on the wire").doesNotContain("\r",
                        "\n");
                assertThat(taken.text()).as("message %d", i).isEqualTo(clean(messages.get(i)));
            }
        }
    }

    /// Every CR, LF and CRLF is a line end.
    private static String clean(String message) {
        String lines = message.replace("\r\n", "\n").replace('\r', '\n').replace("\n", "\r\n");
        return lines.isEmpty() || lines.endsWith("\r\n") ? lines : lines + "\r\n";
    }
}
