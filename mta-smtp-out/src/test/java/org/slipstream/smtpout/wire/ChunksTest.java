package org.slipstream.smtpout.wire;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Content;
import org.slipstream.core.ContentSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ChunksTest {
    @Test
    void dotsAtLineStartsAreDoubledAndOthersAreNot() {
        assertThat(framed(".a\r\nb.\r\n..c\r\n.\r\n")).isEqualTo("..a\r\nb.\r\n...c\r\n..\r\n.\r\n");
    }

    @Test
    void everyOddEndingBecomesOneEndOfData() {
        assertThat(framed("")).isEqualTo(".\r\n");
        assertThat(framed("a")).isEqualTo("a\r\n.\r\n");
        assertThat(framed("a\r")).isEqualTo("a\r\n.\r\n");
        assertThat(framed("a\n")).isEqualTo("a\r\n.\r\n");
        assertThat(framed("a\r\n")).isEqualTo("a\r\n.\r\n");
        assertThat(framed("a\r\n\r\n")).isEqualTo("a\r\n\r\n.\r\n");
        assertThat(framed("a\r\n.")).isEqualTo("a\r\n..\r\n.\r\n");
        assertThat(framed(".")).isEqualTo("..\r\n.\r\n");
        assertThat(framed("\r\n")).isEqualTo("\r\n.\r\n");
    }

    @Test
    void nothingThatAPeerCouldTakeForTheEndOfDataSurvives() {
        for (String smuggled : List.of("a\n.\nMAIL FROM:<x>", "a\n.\r\nMAIL", "a\r\n.\nMAIL", "a\r\n.\rMAIL",
                "a\r.\rMAIL",
                "a\r.\r\nMAIL", "a\n.\rMAIL", "a\r\r\n.\r\r\nMAIL")) {
            String wire = framed(smuggled);
            assertThat(wire.replace("\r\n", "")).as(smuggled).doesNotContain("\r", "\n");
            assertThat(wire.indexOf("\r\n.\r\n")).as(smuggled).isEqualTo(wire.length() - 5);
        }
    }

    @Test
    void allOtherBytesAndLongLinesPass() {
        String text = "x".repeat(3000) + "\u0000\u0001\u007f\u00ff\u001a\t\r\n";
        assertThat(framed(text)).isEqualTo(text + ".\r\n");
    }

    @Test
    void longLinesAreBrokenAsPostfixDoesWhereThatIsWanted() {
        for (int length : new int[]{998, 999, 1996, 70_000}) {
            String broken = framed(".".repeat(length) + "\r\n.x\r\n", LongLines.BREAK);
            assertThat(broken.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(999));
            assertThat(broken).endsWith("\r\n..x\r\n.\r\n");
            assertThat(broken.replace("\r\n ", "")).isEqualTo("." + ".".repeat(length) + "\r\n..x\r\n.\r\n");
        }
    }

    @Test
    void aLongLineIsNoticedHoweverTheBlocksFall() throws IOException {
        for (int before : new int[]{0, 30, 1_020, 1_023, 1_024}) {
            for (int length : new int[]{998, 999}) {
                String message = ("x".repeat(28) + "\r\n").repeat(before / 30) + "y".repeat(length) + "\r\nend\r\n";
                byte[] bytes = message.getBytes(StandardCharsets.ISO_8859_1);
                assertThat(LongLines.areIn(new ByteArrayInputStream(bytes))).isEqualTo(length > 998);
                for (int sizeBytes : new int[]{bytes.length, 100}) {
                    Content stored = stored(bytes, sizeBytes);
                    assertThat(Chunks.of(stored, false, LongLines.CONVERT).hasLongLine()).isEqualTo(length > 998);
                    assertThat(Chunks.of(stored, true, LongLines.CONVERT).hasLongLine()).isEqualTo(length > 998);
                }
            }
        }
    }

    @Test
    void aReceiverGetsBackWhatWasStoredHoweverTheBlocksFall() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 300; round++) {
            StringBuilder message = new StringBuilder();
            int size = random.nextInt(100_000);
            while (message.length() < size) {
                message.append(switch (random.nextInt(6)) {
                    case 0 -> ".";
                    case 1 -> "..";
                    case 2 -> "\r\n";
                    case 3 -> "\r\n.";
                    case 4 -> "x".repeat(random.nextInt(2000));
                    default -> "\u00e4b";
                });
            }
            message.append("\r\n");
            assertThat(unframed(framed(message.toString()))).as("seed %d round %d", seed, round)
                    .isEqualTo(message.toString());
        }
    }

    @Test
    void onlyTheLastBlockHoldsTheDotAndSmallMessagesAreOneBlock() throws IOException {
        List<Boolean> blocks = new ArrayList<>();
        byte[] large = "0123456789\r\n".repeat(20_000).getBytes(StandardCharsets.US_ASCII);
        write(stored(large, 100), LongLines.SEND, chunks -> blocks.add(chunks.isLast()));
        assertThat(blocks).hasSizeGreaterThan(2);
        assertThat(blocks.subList(0, blocks.size() - 1)).containsOnly(false);
        assertThat(blocks.getLast()).isTrue();
        blocks.clear();
        write(stored("small\r\n".getBytes(StandardCharsets.US_ASCII), 100), LongLines.SEND,
                chunks -> blocks.add(chunks.isLast()));
        assertThat(blocks).containsExactly(true);
    }

    @Test
    void aMessageThatBreaksOffNeverGetsADot() {
        InputStream broken = new InputStream() {
            private int left = 100_000;

            @Override
            public int read() throws IOException {
                if (left-- <= 0) {
                    throw new IOException("disk");
                }
                return 'x';
            }
        };
        List<Boolean> blocks = new ArrayList<>();
        assertThatThrownBy(
                () -> write(stored(() -> broken, 100), LongLines.SEND, chunks -> blocks.add(chunks.isLast())))
                .isInstanceOf(IOException.class);
        assertThat(blocks).isNotEmpty().containsOnly(false);
    }

    private static void write(Content content, LongLines longLines, Consumer<Chunks> pieces) throws IOException {
        try (Chunks chunks = Chunks.of(content, false, longLines)) {
            do {
                chunks.read();
                pieces.accept(chunks);
            } while (!chunks.isLast());
        }
    }

    private static Content stored(byte[] bytes, int sizeBytes) {
        return stored(() -> new ByteArrayInputStream(bytes), sizeBytes);
    }

    /// A content without facts.
    private static Content stored(Supplier<InputStream> in, int sizeBytes) {
        return new Content() {
            @Override
            public long sizeBytes() {
                return sizeBytes;
            }

            @Override
            public InputStream open() {
                return in.get();
            }
        };
    }

    private static String framed(String message) {
        return framed(message, LongLines.SEND);
    }

    private static String framed(String message, LongLines longLines) {
        ByteArrayOutputStream wire = new ByteArrayOutputStream();
        try {
            write(stored(message.getBytes(StandardCharsets.ISO_8859_1), message.length()), longLines, chunks -> {
                ContentSource.InMemory piece = (ContentSource.InMemory) chunks.piece();
                wire.write(piece.bytes(), piece.offset(), piece.length());
            });
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return wire.toString(StandardCharsets.ISO_8859_1);
    }

    private static String unframed(String wire) {
        assertThat(wire).endsWith("\r\n.\r\n");
        StringBuilder message = new StringBuilder();
        for (String line : wire.substring(0, wire.length() - 3).split("\r\n", -1)) {
            message.append(line.startsWith(".") ? line.substring(1) : line).append("\r\n");
        }
        return message.substring(0, message.length() - 2);
    }
}
