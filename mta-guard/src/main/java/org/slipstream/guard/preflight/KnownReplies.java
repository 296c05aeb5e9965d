package org.slipstream.guard.preflight;

import org.slipstream.core.text.WholeWords;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Replies of large providers, with their meaning and the remedy. The table is the file `replies.txt`
/// beside this class; the first row whose words all occur in the reply explains it.
public final class KnownReplies {
    /// A reply has at most some lines of 512 octets.
    private static final int LONGEST_REPLY = 4000;
    private static final List<KnownReply> ROWS = read();

    /// @param words that the reply has, as whole words
    /// @param provider who says it
    public record KnownReply(List<String> words, String provider, String meaning, String change) {
        /// `Gmail: …. To do: …`
        public String text() {
            return provider + ": " + meaning + ". To do: " + change;
        }

        private boolean fits(String reply) {
            return words.stream().allMatch(word -> WholeWords.indexOf(reply, word, 0) >= 0);
        }
    }

    private KnownReplies() {}

    /// Empty for a reply that no row knows.
    public static Optional<KnownReply> of(String reply) {
        String start = reply.substring(0, Math.min(reply.length(), LONGEST_REPLY));
        return ROWS.stream().filter(row -> row.fits(start)).findFirst();
    }

    static List<KnownReply> rows() {
        return ROWS;
    }

    private static List<KnownReply> read() {
        try (InputStream in = Objects.requireNonNull(KnownReplies.class.getResourceAsStream("replies.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#")).map(line -> line.split(" \\| "))
                    .map(cell -> new KnownReply(List.of(cell[0].split(" ")), cell[1], cell[2], cell[3])).toList();
        } catch (IOException e) {
            throw new IllegalStateException("a file of the program is missing", e);
        }
    }
}
