package org.slipstream.smtpout.dialog;

import org.junit.jupiter.api.Test;
import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;
import org.slipstream.smtpout.dialog.ReplyParser.Progress;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

import static org.assertj.core.api.Assertions.assertThat;

class ReplyParserTest {
    @Test
    void aReplyOfOneLine() {
        assertThat(reply("250 2.1.0 Ok\r\n")).isEqualTo(Reply.of(250, "2.1.0", "Ok"));
    }

    @Test
    void aReplyOfManyLinesWithTheStatusOnEach() {
        Reply reply = reply("550-5.1.1 No such user\r\n550-5.1.1 here.\r\n550 5.1.1 See https://example.org\r\n");
        assertThat(reply.code()).isEqualTo(550);
        assertThat(reply.status()).contains(EnhancedStatus.of("5.1.1"));
        assertThat(reply.lines()).containsExactly("No such user", "here.", "See https://example.org");
    }

    @Test
    void noTextNoSpaceAndBareLineFeedsAreUnderstood() {
        assertThat(reply("250\r\n")).isEqualTo(Reply.of(250, ""));
        assertThat(reply("250 \r\n")).isEqualTo(Reply.of(250, ""));
        assertThat(reply("250-\n250 ok\n")).isEqualTo(
                new Reply(250, java.util.Optional.empty(), List.of("", "ok")));
        assertThat(reply("250 ok\r\r\n")).isEqualTo(Reply.of(250, "ok"));
    }

    @Test
    void aLongRefusalLeavesShortenedAndEqualOnesAreOneObject() {
        String refusal = ("550-5.7.1 " + "x".repeat(500) + "\r\n").repeat(39) + "550 5.7.1 " + "x".repeat(500) + "\r\n";
        ReplyParser parser = new ReplyParser();
        Progress first = parser.take(ByteBuffer.wrap(refusal.getBytes(StandardCharsets.UTF_8)));
        Progress second = parser.take(ByteBuffer.wrap(refusal.getBytes(StandardCharsets.UTF_8)));
        Reply reply = ((Progress.Complete) first).reply();
        assertThat(reply.text()).hasSizeBetween(900, Reply.MOST_KEPT_OCTETS).endsWith(" [...]");
        assertThat(reply.status()).contains(EnhancedStatus.of("5.7.1"));
        assertThat(((Progress.Complete) second).reply()).isSameAs(reply);
        assertThat(reply("250-x\r\n".repeat(50) + "250 AUTH PLAIN\r\n").lines()).hasSize(51);
    }

    @Test
    void aStatusThatContradictsTheCodeIsText() {
        Reply reply = reply("450 5.7.1 make up your mind\r\n");
        assertThat(reply.status()).isEmpty();
        assertThat(reply.lines()).containsExactly("5.7.1 make up your mind");
    }

    @Test
    void aVersionNumberIsNoStatus() {
        assertThat(reply("220 2.6.4.1 mail\r\n").status()).isEmpty();
    }

    @Test
    void controlCharactersDoNotReachTheLog() {
        assertThat(reply("250 a\u0007b\tc\u001b[2Jd\u0000\r\n").text()).isEqualTo("a?b c?[2Jd?");
        assertThat(reply("250 caf\u00e9\r\n").text()).isEqualTo("caf\u00e9");
    }

    @Test
    void bytesThatAreNoUtf8AreReplaced() {
        ByteBuffer bytes = ByteBuffer.wrap(new byte[]{'2', '5', '0', ' ', (byte) 0xe9, '\r', '\n'});
        assertThat(((Progress.Complete) new ReplyParser().take(bytes)).reply().text()).isEqualTo("\ufffd");
    }

    @Test
    void textThatIsNoReplyIsNamed() {
        for (String garbage : List.of("\r\n", "25\r\n", "hello\r\n", "2500 ok\r\n", "150 go\r\n", "650 no\r\n",
                "25o ok\r\n",
                "250ok\r\n", " 250 ok\r\n", "HTTP/1.1 400 Bad Request\r\n", "250_ok\r\n")) {
            assertThat(parse(garbage)).as(garbage).isInstanceOf(Progress.Malformed.class);
        }
        assertThat(parse("HTTP/1.1 400 Bad Request\r\n"))
                .isEqualTo(new Progress.Malformed("not a reply: \"HTTP/1.1 400 Bad Request\""));
    }

    @Test
    void aCodeThatChangesInTheMiddleIsMalformed() {
        assertThat(parse("250-one\r\n550 two\r\n"))
                .isEqualTo(new Progress.Malformed("code changes from 250 to 550 within a reply"));
    }

    @Test
    void longLinesAndEndlessRepliesAreBounded() {
        String longest = "x".repeat(ReplyParser.MAX_LINE_BYTES - 5);
        assertThat(reply("250 " + longest + "\r\n").text()).isEqualTo(longest);
        assertThat(parse("250 " + "x".repeat(ReplyParser.MAX_LINE_BYTES))).isInstanceOf(Progress.Malformed.class);
        assertThat(parse("250-more\r\n".repeat(ReplyParser.MAX_LINES - 1))).isInstanceOf(Progress.Incomplete.class);
        assertThat(parse("250-more\r\n".repeat(ReplyParser.MAX_LINES))).isInstanceOf(Progress.Malformed.class);
    }

    @Test
    void theCodeOfAReplyThatIsTooLongOrCutOffStands() {
        for (String tooLong : List.of("250 2.0.0 ok " + "x".repeat(ReplyParser.MAX_LINE_BYTES),
                "250-2.0.0 ok\r\n250-2.0.0 " + "x".repeat(ReplyParser.MAX_LINE_BYTES),
                "250-2.0.0 more\r\n".repeat(ReplyParser.MAX_LINES))) {
            assertThat(((Progress.Malformed) parse(tooLong)).begun().map(Reply::code)).as(tooLong).hasValue(250);
        }
        assertThat(begun("250 2.0.0 que").map(Reply::code)).hasValue(250);
        assertThat(begun("250-2.0.0 que\r\n").map(Reply::code)).hasValue(250);
        for (String open : List.of("", "25", "250", "250x", "250-one\r\n55", "250-one\r\n550 t")) {
            assertThat(begun(open)).as(open).isEmpty();
        }
    }

    private static Optional<Reply> begun(String wire) {
        ReplyParser parser = new ReplyParser();
        parser.take(ByteBuffer.wrap(wire.getBytes(StandardCharsets.UTF_8)));
        return parser.begun();
    }

    @Test
    void pipelinedRepliesComeOneByOneHoweverTheBytesAreCut() {
        String wire = "250 2.1.0 one\r\n550-5.1.1 two\r\n550 5.1.1 too\r\n354 three\r\n";
        List<Reply> expected = replies(wire.getBytes(StandardCharsets.UTF_8), wire.length());
        assertThat(expected).extracting(Reply::code).containsExactly(250, 550, 354);
        for (int piece = 1; piece < wire.length(); piece++) {
            assertThat(replies(wire.getBytes(StandardCharsets.UTF_8), piece)).as("pieces of %d", piece)
                    .isEqualTo(expected);
        }
    }

    @Test
    void randomBytesNeverThrowAndNeverGrow() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        byte[] alphabet = "2250 -\r\n\r\n5.1.1\u0000\u00ff".getBytes(StandardCharsets.ISO_8859_1);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new byte[random.nextInt(60)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = random.nextInt(8) == 0
                        ? (byte) random.nextInt(256)
                        : alphabet[random.nextInt(alphabet.length)];
            }
            ByteBuffer in = ByteBuffer.wrap(bytes);
            ReplyParser parser = new ReplyParser();
            Progress progress = parser.take(in);
            while (progress instanceof Progress.Complete(Reply reply)) {
                assertThat(reply.toWire()).as("seed %d", seed).endsWith("\r\n");
                progress = parser.take(in);
            }
        }
    }

    private static List<Reply> replies(byte[] wire, int piece) {
        ReplyParser parser = new ReplyParser();
        List<Reply> replies = new ArrayList<>();
        for (int at = 0; at < wire.length; at += piece) {
            ByteBuffer in = ByteBuffer.wrap(wire, at, Math.min(piece, wire.length - at));
            while (parser.take(in) instanceof Progress.Complete(Reply reply)) {
                replies.add(reply);
            }
        }
        assertThat(parser.isAtStart()).isTrue();
        return replies;
    }

    private static Progress parse(String wire) {
        return new ReplyParser().take(ByteBuffer.wrap(wire.getBytes(StandardCharsets.UTF_8)));
    }

    private static Reply reply(String wire) {
        return ((Progress.Complete) parse(wire)).reply();
    }
}
