package org.slipstream.lab.golden;

import org.slipstream.core.Recipient;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The decisions of a run as rows, in the format of the golden files.
final class GoldenTrace {
    final List<List<Object>> selections = new ArrayList<>();
    final List<List<Object>> preemptions = new ArrayList<>();
    final List<List<Object>> messages = new ArrayList<>();
    final List<List<Object>> feedback = new ArrayList<>();
    final List<List<Object>> reads = new ArrayList<>();
    private final Map<List<Object>, List<Integer>> deferrals = new LinkedHashMap<>();

    void deferred(long now, String message, String destination, List<Recipient> recipients) {
        deferrals.computeIfAbsent(List.of(now, message, destination), _ -> new ArrayList<>())
                .addAll(recipients.stream().map(Recipient::number).toList());
    }

    /// The rows, merged by second, message and destination, and sorted.
    List<List<Object>> deferrals() {
        List<List<Object>> rows = new ArrayList<>();
        deferrals.forEach((key, numbers) -> {
            Collections.sort(numbers);
            rows.add(List.of(key.get(0), key.get(1), key.get(2), ranges(numbers)));
        });
        rows.sort(Comparator.<List<Object>>comparingLong(row -> (Long) row.get(0))
                .thenComparing(row -> (String) row.get(1)).thenComparing(row -> (String) row.get(2)));
        return rows;
    }

    /// The rows, sorted by second and message.
    List<List<Object>> messages() {
        return messages.stream().sorted(Comparator.<List<Object>>comparingLong(row -> (Long) row.get(0))
                .thenComparing(row -> (String) row.get(1))).toList();
    }

    static String ofEntry(List<Recipient> recipients) {
        return ranges(recipients.stream().map(Recipient::number).toList());
    }

    private static String ranges(List<Integer> numbers) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < numbers.size();) {
            int end = i;
            while (end + 1 < numbers.size() && numbers.get(end + 1) == numbers.get(end) + 1) {
                end++;
            }
            text.append(text.isEmpty() ? "" : ",").append(numbers.get(i));
            if (end > i) {
                text.append('-').append(numbers.get(end));
            }
            i = end + 1;
        }
        return text.toString();
    }
}
