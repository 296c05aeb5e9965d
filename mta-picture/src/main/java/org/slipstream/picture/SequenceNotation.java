package org.slipstream.picture;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The notation of a sequence of names: `1×4 2×2 1×4 3×2 1×2`, with repeated groups in brackets:
/// `(1×5 2)×20`. Printed text can be read again, so it can be copied into a file as an expectation.
public final class SequenceNotation {
    private static final int LONGEST_GROUP = 6;
    private static final int LEAST_REPEATS = 3;
    private static final Pattern TOKEN = Pattern
            .compile("(\\()?([^\\s()×]+?)(?:×([0-9]{1,7}))?(\\)(?:×([0-9]{1,7}))?)?");

    /// A name and the number of its repetitions.
    public record Repeated(String name, int count) {
        @Override
        public String toString() {
            return count == 1 ? name : name + "×" + count;
        }
    }

    private SequenceNotation() {}

    public static List<Repeated> of(List<String> names) {
        List<Repeated> runs = new ArrayList<>();
        for (String name : names) {
            boolean same = !runs.isEmpty() && runs.getLast().name().equals(name);
            int count = same ? runs.removeLast().count() + 1 : 1;
            runs.add(new Repeated(name, count));
        }
        return runs;
    }

    /// The parts between which a line may be wrapped.
    public static List<String> words(List<String> names) {
        List<Repeated> runs = of(names);
        List<String> words = new ArrayList<>();
        for (int i = 0; i < runs.size();) {
            int length = bestGroup(runs, i);
            int repeats = length == 0 ? 1 : repeats(runs, i, length);
            int end = i + Math.max(1, length);
            for (int k = i; k < end; k++) {
                words.add((length > 0 && k == i ? "(" : "") + runs.get(k)
                        + (length > 0 && k == end - 1 ? ")×" + repeats : ""));
            }
            i += Math.max(1, length) * repeats;
        }
        return words;
    }

    public static String text(List<String> names) {
        return String.join(" ", words(names));
    }

    // The length of the group at i that shortens the text most; 0 if no group is repeated enough.
    private static int bestGroup(List<Repeated> runs, int i) {
        int best = 0;
        int saved = 0;
        for (int length = 2; length <= LONGEST_GROUP; length++) {
            int repeats = repeats(runs, i, length);
            if (repeats >= LEAST_REPEATS && length * (repeats - 1) > saved) {
                best = length;
                saved = length * (repeats - 1);
            }
        }
        return best;
    }

    private static int repeats(List<Repeated> runs, int i, int length) {
        if (i + length > runs.size()) {
            return 0;
        }
        List<Repeated> group = runs.subList(i, i + length);
        int repeats = 1;
        while (i + (repeats + 1) * length <= runs.size()
                && runs.subList(i + repeats * length, i + (repeats + 1) * length).equals(group)) {
            repeats++;
        }
        return repeats;
    }

    /// The names, one by one. Empty if the text is not a sequence.
    public static Optional<List<String>> parse(String text) {
        List<String> names = new ArrayList<>();
        int group = -1;
        for (String word : text.strip().split("\\s+")) {
            Matcher token = TOKEN.matcher(word);
            if (!token.matches() || token.group(1) != null && group >= 0 || token.group(4) != null && group < 0
                    && token.group(1) == null) {
                return Optional.empty();
            }
            group = token.group(1) != null ? names.size() : group;
            add(names, List.of(token.group(2)), count(token.group(3)));
            if (token.group(4) != null) {
                add(names, List.copyOf(names.subList(group, names.size())), count(token.group(5)) - 1);
                group = -1;
            }
        }
        return group < 0 ? Optional.of(names) : Optional.empty();
    }

    private static int count(String digits) {
        return digits == null ? 1 : Integer.parseInt(digits);
    }

    private static void add(List<String> names, List<String> more, int times) {
        for (int i = 0; i < times; i++) {
            names.addAll(more);
        }
    }
}
