package org.slipstream.smtpout.wire;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Content;
import org.slipstream.smtpout.StoredContent;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The octets that a peer with small buffers receives, one by one, for every place of a content and
/// any facts about it.
class ContentOnTheWireTest {
    private static final long TIMEOUT_MILLIS = 90_000;
    private static final String END = "QUIT\r\n";
    private static final Pattern BDAT = Pattern.compile("BDAT ([0-9]+)( LAST)?\r\n");

    private final WireWatchdog watchdog = new WireWatchdog();
    private ServerSocket listener;
    private Wire wire;
    private Socket peer;

    @TempDir
    private Path files;

    @BeforeEach
    void connect() throws IOException {
        listener = new ServerSocket();
        listener.setReceiveBufferSize(4096);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        wire = new Wire(new Endpoint.Tcp("peer", InetAddress.getLoopbackAddress(), listener.getLocalPort()), watchdog);
        assertThat(wire.connect(TIMEOUT_MILLIS)).isEmpty();
        peer = listener.accept();
    }

    @AfterEach
    void close() throws IOException {
        wire.abort(WireInput.End.ABORTED, "over");
        peer.close();
        listener.close();
        watchdog.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 900, 8_190, 8_200, 32_768, 66_000, 131_072, 140_000, 2_500_000})
    void theBytesAreTheSameWhateverIsKnown(int size) throws Exception {
        long seed = System.nanoTime();
        for (String content : List.of(content(size, seed, ""), content(size, seed, "."))) {
            List<StoredContent> all = List.of(StoredContent.unknown(content), StoredContent.inMemory(content),
                    StoredContent.inFile(content, files.resolve("content")));
            StringBuilder expected = new StringBuilder();
            all.forEach(_ -> expected.append("MAIL\r\nDATA\r\n").append(stuffed(content)).append(".\r\n"));
            CompletableFuture<String> received = receive();
            for (Content each : all) {
                wire.put("MAIL\r\n", TIMEOUT_MILLIS);
                wire.put("DATA\r\n", TIMEOUT_MILLIS);
                try (Chunks chunks = Chunks.of(each, false, LongLines.SEND)) {
                    assertThat(wire.putContent(chunks, TIMEOUT_MILLIS)).isTrue();
                }
            }
            wire.send(END, TIMEOUT_MILLIS);
            assertThat(received.orTimeout(90, TimeUnit.SECONDS).join().equals(expected + END)).as("seed %d", seed)
                    .isTrue();
        }
        assertThat(wire.writtenBytes()).isEqualTo(wire.putBytes()).isEqualTo(wire.handedOverBytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 900, 66_000, 140_000, 2_500_000})
    void chunksAddUpToTheContentWhateverIsKnown(int size) throws Exception {
        String content = content(size, System.nanoTime(), ".");
        for (StoredContent each : List.of(StoredContent.unknown(content), StoredContent.inMemory(content),
                StoredContent.inFile(content, files.resolve("content")))) {
            long before = wire.putBytes();
            CompletableFuture<String> received = receiveChunks();
            try (Chunks chunks = Chunks.of(each, true, LongLines.SEND)) {
                do {
                    chunks.read();
                    wire.put(chunks, TIMEOUT_MILLIS);
                } while (!chunks.isLast());
            }
            wire.flush(TIMEOUT_MILLIS);
            assertThat(received.orTimeout(90, TimeUnit.SECONDS).join().equals(content)).isTrue();
            assertThat(wire.putBytes() - before).isGreaterThan(size);
        }
    }

    @Test
    void aContentWhoseFactsPermitIsNeverRead() throws IOException {
        String dotted = ".a\r\n";
        String wide = "x".repeat(999) + "\r\n";
        assertThat(reads("a\r\n", false, LongLines.CONVERT)).isZero();
        assertThat(reads(dotted, true, LongLines.BREAK)).isZero();
        assertThat(reads(wide, false, LongLines.SEND)).isZero();
        assertThat(reads(dotted, false, LongLines.SEND)).as("a dot is to be doubled").isOne();
        assertThat(reads(wide, true, LongLines.BREAK)).as("a line is to be broken").isOne();
    }

    private static int reads(String content, boolean bdat, LongLines longLines) throws IOException {
        StoredContent each = StoredContent.inMemory(content);
        try (Chunks chunks = Chunks.of(each, bdat, longLines)) {
            assertThat(chunks.hasLongLine()).isEqualTo(content.length() > 1000);
            return each.opened();
        }
    }

    /// A peer that stops reading is abandoned after the time limit of one step, and the octets that
    /// it cannot have are known.
    @Test
    void aPeerThatStopsReadingIsLeftWithoutTheFinalDot() throws IOException {
        String content = content(20_000_000, 1, "");
        try (Chunks chunks = Chunks.of(StoredContent.inFile(content, files.resolve("content")), false,
                LongLines.SEND)) {
            assertThat(wire.putContent(chunks, 300)).isFalse();
        }
        assertThat(wire.mute().orElseThrow().end()).isEqualTo(WireInput.End.TIMED_OUT);
        assertThat(wire.handedOverBytes()).isLessThan(content.length());
    }

    @Test
    void anArrayThatAPeerDoesNotTakeIsNotHandedOver() throws IOException {
        String content = content(20_000_000, 1, "");
        try (Chunks chunks = Chunks.of(StoredContent.inMemory(content), false, LongLines.SEND)) {
            assertThat(wire.putContent(chunks, 300)).isFalse();
        }
        assertThat(wire.mute().orElseThrow().reason()).startsWith("write timed out after");
        assertThat(wire.handedOverBytes()).isLessThan(content.length());
    }

    @Test
    void aFileThatBecomesShorterNeverGetsAnEnd() throws IOException {
        String content = content(2_500_000, 1, "");
        Path file = files.resolve("content");
        StoredContent each = StoredContent.inFile(content, file);
        CompletableFuture<String> received = CompletableFuture.supplyAsync(this::receiveAll,
                Thread::startVirtualThread);
        try (Chunks chunks = Chunks.of(each, false, LongLines.SEND)) {
            try (FileChannel cut = FileChannel.open(file, StandardOpenOption.WRITE)) {
                cut.truncate(1_500_000);
            }
            assertThatThrownBy(() -> wire.putContent(chunks, TIMEOUT_MILLIS)).isInstanceOf(IOException.class)
                    .hasMessageContaining("truncated");
            assertThat(wire.mute()).as("the peer is not to blame").isEmpty();
        }
        wire.abort(WireInput.End.ABORTED, "message cannot be read");
        assertThat(received.orTimeout(90, TimeUnit.SECONDS).join()).hasSizeLessThan(1_500_001)
                .doesNotContain("\r\n.\r\n");
    }

    private String receiveAll() {
        StringBuilder all = new StringBuilder();
        byte[] block = new byte[50_000];
        try {
            InputStream in = peer.getInputStream();
            for (int count = in.read(block); count >= 0; count = in.read(block)) {
                all.append(new String(block, 0, count, StandardCharsets.ISO_8859_1));
            }
        } catch (IOException _) {
            // Interrupted; the octets before count.
        }
        return all.toString();
    }

    /// All octets before the end mark, which no content has.
    private CompletableFuture<String> receive() {
        return CompletableFuture.supplyAsync(() -> {
            StringBuilder all = new StringBuilder();
            byte[] block = new byte[50_000];
            try {
                InputStream in = peer.getInputStream();
                while (all.indexOf(END, Math.max(0, all.length() - END.length())) < 0) {
                    all.append(new String(block, 0, in.read(block), StandardCharsets.ISO_8859_1));
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return all.toString();
        }, Thread::startVirtualThread);
    }

    private String read(int bytes) {
        try {
            return new String(peer.getInputStream().readNBytes(bytes), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private CompletableFuture<String> receiveChunks() {
        return CompletableFuture.supplyAsync(() -> {
            StringBuilder content = new StringBuilder();
            boolean last;
            do {
                StringBuilder command = new StringBuilder();
                do {
                    command.append(read(1));
                } while (command.charAt(command.length() - 1) != '\n');
                Matcher bdat = BDAT.matcher(command);
                assertThat(bdat.matches()).as(command.toString()).isTrue();
                content.append(read(Integer.parseInt(bdat.group(1))));
                last = bdat.group(2) != null;
            } while (!last);
            return content.toString();
        }, Thread::startVirtualThread);
    }

    private static String stuffed(String content) {
        return ("\r\n" + content).replace("\r\n.", "\r\n..").substring(2);
    }

    /// @param first how some lines begin
    private static String content(int size, long seed, String first) {
        SplittableRandom random = new SplittableRandom(seed);
        StringBuilder content = new StringBuilder();
        while (content.length() < size) {
            content.append(random.nextInt(3) == 0 ? first : "");
            int length = random.nextInt(80);
            for (int i = 0; i < length; i++) {
                content.append("ab .\u00ff".charAt(i == 0 ? random.nextInt(2) : random.nextInt(5)));
            }
            content.append("\r\n");
        }
        return content.toString();
    }
}
