package org.slipstream.lab.scene;

import java.util.Collection;
import java.util.Comparator;

/// Finds the known word that is most similar to a misspelt one.
final class Nearest {
    private Nearest() {}

    /// `; did you mean "x"?`, or the list of what there is when nothing is near.
    static String hint(String written, Collection<String> known) {
        return known.stream().filter(word -> distance(written, word) <= Math.max(2, written.length() / 3))
                .min(Comparator.comparingInt((String word) -> distance(written, word)).thenComparing(word -> word))
                .map(word -> "; did you mean \"" + word + "\"?")
                .orElse(known.isEmpty() ? "" : "; there is " + String.join(", ", known.stream().sorted().toList()));
    }

    // Insertions, deletions and replacements that turn one word into the other (Levenshtein).
    private static int distance(String a, String b) {
        int[] above = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(above[j], row[j - 1]) + 1);
            }
            above = row;
        }
        return above[b.length()];
    }
}
