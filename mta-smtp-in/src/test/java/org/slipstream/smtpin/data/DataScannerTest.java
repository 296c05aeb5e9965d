package org.slipstream.smtpin.data;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.smtpin.FactsByTheBook;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;

import static org.assertj.core.api.Assertions.assertThat;

class DataScannerTest {
    private record Seen(String content, boolean done, boolean bareNewline, long longestLineBytes, int consumed) {}

    /// The octets between `a` and `b` on the wire, and their meaning. Only one spelling ends the
    /// message.
    @ParameterizedTest(name = "a{0}b")
    @CsvSource(nullValues = "-", value = {//
            "<CRLF>.<CRLF>, end", //
            "<LF>.<LF>, refused", //
            "<LF>.<CRLF>, refused", //
            "<CRLF>.<LF>, refused", //
            "<CR>.<CR>, refused", //
            "<CR>.<CRLF>, refused", //
            "<CRLF>.<CR>, refused", //
            "<LF>.<CR>, refused", //
            "<CR>.<LF>, refused", //
            "<LF>, refused", //
            "<CR>, refused", //
            "<LF><CR>, refused", //
            "<CR><CRLF>, refused", //
            "<CRLF>.<CR><CRLF>, refused", //
            "<CRLF><LF>.<CRLF>, refused", //
            "<CRLF>..<CRLF>, text", //
            "<CRLF>. <CRLF>, text", //
            "<CRLF> .<CRLF>, text", //
            "<CRLF><CRLF>, text", //
    })
    void onlyOneSpellingEndsTheMessage(String between, String meaning) throws IOException {
        String wire = "a" + spelled(between) + "b\r\n";
        Seen seen = scan(bytes(wire), wire.length());
        assertThat(seen.done()).isEqualTo(meaning.equals("end"));
        assertThat(seen.bareNewline()).isEqualTo(meaning.equals("refused"));
    }

    /// The same from a client that the server knows: the octets between `a` and `b` in the message.
    /// Still only one spelling ends it.
    @ParameterizedTest(name = "a{0}b")
    @CsvSource(nullValues = "-", value = {//
            "<CRLF>.<CRLF>, end", //
            "<LF>.<LF>, <CRLF>.<CRLF>", //
            "<LF>.<CRLF>, <CRLF>.<CRLF>", //
            "<CRLF>.<LF>, <CRLF>.<CRLF>", //
            "<LF>..<LF>, <CRLF>..<CRLF>", //
            "<LF>.x<LF>, <CRLF>.x<CRLF>", //
            "<CRLF>..x<LF>, <CRLF>.x<CRLF>", //
            "<LF>.<LF>.<LF>, <CRLF>.<CRLF>.<CRLF>", //
            "<CRLF>.<LF>.<CRLF>, <CRLF>.<CRLF>.<CRLF>", //
            "<LF>.<CRLF>.<CRLF>, end", //
            "<LF>, <CRLF>", //
            "<LF><LF>, <CRLF><CRLF>", //
            "<CRLF><LF><CRLF>, <CRLF><CRLF><CRLF>", //
            "<CRLF><LF>.<CRLF>, <CRLF><CRLF>.<CRLF>", //
            "<CR>.<CR>, refused", //
            "<CR>.<CRLF>, refused", //
            "<CRLF>.<CR>, refused", //
            "<LF>.<CR>, refused", //
            "<CR>.<LF>, refused", //
            "<CR>, refused", //
            "<LF><CR>, refused", //
            "<CR><CRLF>, refused", //
            "<LF>.<CR><CRLF>, refused", //
    })
    void aKnownClientsBareLineFeedsAreMended(String between, String meaning) throws IOException {
        byte[] wire = bytes("a" + spelled(between) + "b\r\n");
        for (int blockBytes = 1; blockBytes <= wire.length; blockBytes++) {
            DataScanner scanner = new DataScanner(true);
            Seen seen = scan(scanner, wire, blockBytes);
            assertThat(seen.done()).isEqualTo(meaning.equals("end"));
            assertThat(seen.bareNewline()).isEqualTo(meaning.equals("refused"));
            if (!seen.done() && !seen.bareNewline()) {
                assertThat(seen.content()).isEqualTo("a" + spelled(meaning) + "b\r\n");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"a<LF>.<LF>, true", "a<CRLF>.<LF>, true", "a<LF>.<CRLF>, true", "a<LF>, false", "a<LF>.<LF>b, false"})
    void aClientThatTakesSomethingElseForTheEndIsNoticed(String said, boolean odd) throws IOException {
        DataScanner scanner = new DataScanner(true);
        scan(scanner, bytes(spelled(said)), 100);
        assertThat(scanner.malformedEnd()).isEqualTo(odd);
    }

    @Test
    void contentOfAKnownClientHasNoBareLineFeedHoweverTheStreamIsCut() throws IOException {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.Random(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] wire = randomBytes(random);
            Seen whole = scan(new DataScanner(true), wire, wire.length);
            assertThat(scanInRandomCuts(new DataScanner(true), wire, random)).as("seed %d round %d", seed, round)
                    .isEqualTo(whole);
            // The next octet after this CR may be LF; a CR without LF is refused.
            assertThat(whole.content().replace("\r\n", "").replaceFirst("\r$", "")).as("seed %d round %d", seed, round)
                    .doesNotContain("\r", "\n");
            int end = ("\r\n" + new String(wire, StandardCharsets.ISO_8859_1)).indexOf("\r\n.\r\n");
            assertThat(whole.done()).as("seed %d round %d", seed, round).isEqualTo(end >= 0);
        }
    }

    private static String spelled(String words) {
        return words.replace("<CRLF>", "\r\n").replace("<CR>", "\r").replace("<LF>", "\n");
    }

    @Test
    void octetsAfterTheFinalDotAreLeftAlone() throws IOException {
        Seen seen = scan(bytes("text\r\n.\r\nQUIT\r\n"), 100);
        assertThat(seen).isEqualTo(new Seen("text\r\n", true, false, 6, 9));
    }

    @Test
    void theFinalDotMayBeTheFirstLine() throws IOException {
        assertThat(scan(bytes(".\r\n"), 100)).isEqualTo(new Seen("", true, false, 0, 3));
    }

    @Test
    void oneDotOfTheFirstInALineIsTakenAway() throws IOException {
        assertThat(scan(bytes("..\r\n.x\r\n...y\r\na.\r\n.\r\n"), 100).content()).isEqualTo(".\r\nx\r\n..y\r\na.\r\n");
    }

    @Test
    void nothingAfterABareNewlineIsHandedOn() throws IOException {
        assertThat(scan(bytes("good\r\nbad\nworse\r\n.\r\n"), 100)).isEqualTo(
                new Seen("good\r\nbad", true, true, 11, 20));
    }

    @Test
    void messagesComeOutAsTheyWentInHoweverTheStreamIsCut() throws IOException {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.Random(seed);
        for (int round = 0; round < 2_000; round++) {
            String message = randomMessage(random);
            String wire = stuffed(message) + ".\r\n";
            Seen seen = scanInRandomCuts(bytes(wire + "NOOP\r\n.\r\n"), random);
            assertThat(seen.content()).as("seed %d round %d", seed, round).isEqualTo(message);
            assertThat(seen.consumed()).as("seed %d round %d", seed, round).isEqualTo(wire.length());
            assertThat(seen.bareNewline()).as("seed %d round %d", seed, round).isFalse();
        }
    }

    @Test
    void factsAreTrueOfWhatIsHandedOnHoweverTheStreamIsCut() throws IOException {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.Random(seed);
        for (int round = 0; round < 20_000; round++) {
            boolean normalizes = random.nextBoolean();
            String message = randomMessage(random);
            // Octets after the end do not belong to the message, however near they are.
            String wire = stuffed(message) + ".\r\n.\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\r\n";
            byte[] bytes = bytes(normalizes ? wire.replaceAll("(?<=[^.])\r\n(?!\\.)", "\n") : wire);
            DataScanner scanner = new DataScanner(normalizes);
            Seen seen = scanInRandomCuts(scanner, bytes, random, 1 + random.nextInt(30));
            if (seen.done()) {
                assertThat(scanner.facts()).as("seed %d round %d", seed, round)
                        .isEqualTo(FactsByTheBook.of(seen.content()));
            }
        }
    }

    @Test
    void aDotThatIsLeftInItsPlaceAfterABareLineFeedIsALeadingOne() throws IOException {
        for (String said : new String[]{"a<LF>.x<CRLF>", "a<LF>.<LF>", "a<CRLF>.<LF>", "a<CRLF>..x<CRLF>"}) {
            DataScanner scanner = new DataScanner(true);
            scan(scanner, bytes(spelled(said) + ".\r\n"), 100);
            assertThat(scanner.facts().leadingDot()).as(said).isTrue();
        }
    }

    @Test
    void factsOfChunksAreTrueHoweverTheyAreCut() throws IOException {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.Random(seed);
        for (int round = 0; round < 20_000; round++) {
            boolean normalizes = random.nextBoolean();
            String message = randomMessage(random) + (random.nextBoolean() ? "" : ".\u00ff");
            byte[] bytes = bytes(normalizes ? message.replace("\r\n", "\n") : message);
            LineWatch watch = new LineWatch(normalizes);
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            for (int at = 0, to; at < bytes.length; at = to) {
                to = Math.min(bytes.length, at + 1 + random.nextInt(12));
                watch.pass(bytes, at, to, content::write);
            }
            String ended = content.toString(StandardCharsets.ISO_8859_1) + (watch.atLineStart() ? "" : "\r\n");
            assertThat(watch.bareNewline(true)).as("seed %d round %d", seed, round).isFalse();
            assertThat(watch.facts()).as("seed %d round %d", seed, round).isEqualTo(FactsByTheBook.of(ended));
        }
    }

    @Test
    void arbitraryBytesMeanTheSameHoweverTheStreamIsCut() throws IOException {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.Random(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] wire = randomBytes(random);
            Seen whole = scan(wire, wire.length);
            assertThat(scanInRandomCuts(wire, random)).as("seed %d round %d", seed, round).isEqualTo(whole);
            assertThat(whole).as("seed %d round %d", seed, round).isEqualTo(byTheBook(wire));
        }
    }

    /// The rule without a machine: look for the first CRLF.CRLF, cut lines, take dots away.
    private static Seen byTheBook(byte[] wire) {
        String text = "\r\n" + new String(wire, StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\r\n.\r\n");
        String data = end < 0 ? text : text.substring(0, end + 2);
        // An unfinished line may still become the final dot; its meaning is not known before it is
        // complete.
        String known = end >= 0
                ? data
                : data.endsWith("\r\n.\r")
                        ? data.substring(0, data.length() - 2)
                        : data.endsWith("\r\n.") ? data.substring(0, data.length() - 1) : data;
        int bare = firstBare(data, end >= 0);
        String content = (bare < 0 ? known : data.substring(0, bare)).substring(2);
        long longest = 0;
        for (String line : text.substring(2, end < 0 ? text.length() : end + 2).split("(?<=\r\n)")) {
            boolean maybeFinalDot = line.equals(".\r");
            longest = Math.max(longest, maybeFinalDot ? 0 : line.length() - (line.startsWith(".") ? 1 : 0));
        }
        return new Seen(("\r\n" + content).replace("\r\n.", "\r\n").substring(2), end >= 0, bare >= 0, longest,
                end < 0 ? wire.length : end + 3);
    }

    // A CR at the very end may still be followed by its LF.
    private static int firstBare(String data, boolean complete) {
        for (int i = 2; i < data.length(); i++) {
            if (data.charAt(i) == '\n' && data.charAt(i - 1) != '\r') {
                return i;
            }
            boolean last = i == data.length() - 1;
            if (data.charAt(i) == '\r' && (last ? complete : data.charAt(i + 1) != '\n')) {
                // The CR itself is passed on unless it stood where the final dot might have ended.
                return data.startsWith("\r\n.", i - 3) ? i : i + 1;
            }
        }
        return -1;
    }

    private static String randomMessage(RandomGenerator random) {
        StringBuilder message = new StringBuilder();
        int lines = random.nextInt(8);
        for (int i = 0; i < lines; i++) {
            int length = random.nextInt(6);
            for (int k = 0; k < length; k++) {
                message.append("..\0a\u00ff".charAt(random.nextInt(5)));
            }
            message.append("\r\n");
        }
        return message.toString();
    }

    private static byte[] randomBytes(RandomGenerator random) {
        StringBuilder wire = new StringBuilder();
        int pieces = random.nextInt(12);
        String[] choice = {"\r\n", "\r\n", "\r\n", ".", ".", "\r", "\n", "a", "bc"};
        for (int i = 0; i < pieces; i++) {
            wire.append(choice[random.nextInt(choice.length)]);
        }
        return bytes(wire.toString());
    }

    private static String stuffed(String message) {
        return ("\r\n" + message).replace("\r\n.", "\r\n..").substring(2);
    }

    private static Seen scan(byte[] wire, int blockBytes) throws IOException {
        return scan(new DataScanner(false), wire, blockBytes);
    }

    private static Seen scan(DataScanner scanner, byte[] wire, int blockBytes) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        int at = 0;
        while (at < wire.length && !scanner.done()) {
            at = scanner.scan(wire, at, Math.min(wire.length, at + blockBytes), content::write);
        }
        return seen(scanner, content, at);
    }

    private static Seen scanInRandomCuts(byte[] wire, RandomGenerator random) throws IOException {
        return scanInRandomCuts(new DataScanner(false), wire, random);
    }

    private static Seen scanInRandomCuts(DataScanner scanner, byte[] wire, RandomGenerator random) throws IOException {
        return scanInRandomCuts(scanner, wire, random, 5);
    }

    private static Seen scanInRandomCuts(DataScanner scanner, byte[] wire, RandomGenerator random, int most)
            throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        int at = 0;
        while (at < wire.length && !scanner.done()) {
            at = scanner.scan(wire, at, Math.min(wire.length, at + 1 + random.nextInt(most)), content::write);
        }
        return seen(scanner, content, at);
    }

    private static Seen seen(DataScanner scanner, ByteArrayOutputStream content, int consumed) {
        return new Seen(content.toString(StandardCharsets.ISO_8859_1), scanner.done(), scanner.bareNewline(),
                scanner.longestLineBytes(), consumed);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
