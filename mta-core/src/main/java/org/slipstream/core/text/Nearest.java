package org.slipstream.core.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/// The known word next to a misspelled one, for the hint "did you mean …".
public final class Nearest {
    private Nearest() {}

    /// The nearest word; empty when none is near, because a wrong guess is worse than none. Near is
    /// a third of the word, at least two steps.
    public static Optional<String> to(String written, Collection<String> known) {
        int near = Math.max(2, written.length() / 3);
        String word = written.toLowerCase(Locale.ROOT);
        return known.stream().filter(k -> steps(word, k) <= near && steps(word, k) < k.length())
                .min(Comparator.comparingInt((String k) -> steps(word, k)).thenComparing(k -> k));
    }

    /// `; did you mean "x"?`, or the list of known words when none is near.
    public static String hint(String written, Collection<String> known) {
        return to(written, known).map(word -> "; did you mean \"" + word + "\"?")
                .orElse(known.isEmpty() ? "" : "; there is " + String.join(", ", known.stream().sorted().toList()));
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one word into the
    /// other (optimal string alignment distance).
    static int steps(String a, String b) {
        int[][] table = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                table[i][j] = i == 0 ? j : j == 0 ? i : cheapest(table, a, b, i, j);
            }
        }
        return table[a.length()][b.length()];
    }

    private static int cheapest(int[][] table, String a, String b, int i, int j) {
        int replaced = table[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int best = Math.min(replaced, Math.min(table[i - 1][j], table[i][j - 1]) + 1);
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(best, table[i - 2][j - 2] + 1) : best;
    }
}
