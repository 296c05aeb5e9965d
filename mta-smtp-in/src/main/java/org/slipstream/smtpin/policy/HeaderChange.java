package org.slipstream.smtpin.policy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A change of a message's header before it is stored. Fields that stay keep their bytes and their
/// order.
///
/// New fields come before all others, as trace fields do (RFC 5321 section 4.4): the field that was
/// added last is the first of the message.
///
/// @param removals applied before the additions
/// @param additions ASCII, in the order of the message; a folded value has CRLF before a blank
public record HeaderChange(List<FieldRemoval> removals, List<Header.Field> additions) {
    public static final HeaderChange NONE = new HeaderChange(List.of(), List.of());

    public HeaderChange {
        removals = List.copyOf(removals);
        additions = List.copyOf(additions);
    }

    /// @param place of the field among those with its name: from 1, from -1 backwards from the last;
    ///     0: all of them
    public record FieldRemoval(String name, int place) {
        private boolean concerns(int number, int of) {
            return place == 0 || number == (place > 0 ? place : of + 1 + place);
        }
    }

    public boolean isEmpty() {
        return removals.isEmpty() && additions.isEmpty();
    }

    /// This change, and then another.
    public HeaderChange and(HeaderChange next) {
        // Every check of every message asks, and nearly none changes anything.
        if (next.isEmpty()) {
            return this;
        }
        return new HeaderChange(Stream.concat(removals.stream(), next.removals.stream()).toList(),
                Stream.concat(next.additions.stream(), additions.stream()).toList());
    }

    /// The new fields as lines.
    public byte[] addedLines() {
        return additions.stream().map(field -> field.name() + ": " + field.value() + "\r\n")
                .collect(Collectors.joining()).getBytes(StandardCharsets.US_ASCII);
    }

    /// The header as it is after this change.
    Header applied(Header before) {
        Set<Integer> gone = removed(before.fields().stream().map(Header.Field::name).toList());
        List<Header.Field> fields = new ArrayList<>();
        additions.forEach(each -> fields.add(Header.unfolded(each.name(), each.value())));
        for (int i = 0; i < before.fields().size(); i++) {
            if (!gone.contains(i)) {
                fields.add(before.fields().get(i));
            }
        }
        return new Header(fields);
    }

    /// The header's fields after the removals.
    ///
    /// @param fields lines that end with CRLF
    public byte[] remaining(byte[] fields) {
        List<String> texts = Header.split(new String(fields, StandardCharsets.ISO_8859_1));
        Set<Integer> gone = removed(texts.stream().map(Header::name).toList());
        StringBuilder rest = new StringBuilder(fields.length);
        for (int i = 0; i < texts.size(); i++) {
            rest.append(gone.contains(i) ? "" : texts.get(i));
        }
        return rest.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /// The places of the fields that are removed.
    private Set<Integer> removed(List<String> names) {
        Set<Integer> gone = new HashSet<>();
        Map<String, List<Integer>> places = new HashMap<>();
        for (int i = 0; i < names.size(); i++) {
            places.computeIfAbsent(key(names.get(i)), _ -> new ArrayList<>()).add(i);
        }
        for (FieldRemoval removal : removals) {
            List<Integer> named = places.getOrDefault(key(removal.name()), List.of());
            for (int number = 1; number <= named.size(); number++) {
                if (removal.concerns(number, named.size())) {
                    gone.add(named.get(number - 1));
                }
            }
        }
        return gone;
    }

    private static String key(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
