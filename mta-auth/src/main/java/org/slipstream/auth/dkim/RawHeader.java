package org.slipstream.auth.dkim;

import org.slipstream.core.text.Ascii;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The header of a message as the octets that were on the wire, with the places of its fields.
///
/// A field ends at a CRLF that no blank follows. A CR or LF alone is an octet like others, and so is
/// one above 127: what was signed is octets, and each decoding would change some. A line that is no
/// field has no name, so no signature can mean it.
public final class RawHeader {
    /// @param name in lower case; empty for a line that is no field
    /// @param from its first octet
    /// @param colon before the value
    /// @param to behind its last octet, without the CRLF
    record RawField(String name, byte[] octets, int from, int colon, int to) {
        /// One character for each octet.
        String value() {
            return new String(octets, colon + 1, to - colon - 1, StandardCharsets.ISO_8859_1);
        }
    }

    private final List<RawField> fields = new ArrayList<>();
    private final Map<String, List<RawField>> byName = new HashMap<>();

    /// @param octets all fields with their CRLF; an empty line ends them
    public RawHeader(byte[] octets) {
        for (int from = 0; from < octets.length;) {
            int to = endOfField(octets, from);
            if (to == from) {
                break;
            }
            add(field(octets, from, to));
            from = to + 2;
        }
    }

    // Ten thousand fields of one name have one text of it.
    private void add(RawField field) {
        List<RawField> same = byName.computeIfAbsent(field.name, _ -> new ArrayList<>());
        RawField shared = same.isEmpty()
                ? field
                : new RawField(same.getFirst().name, field.octets, field.from, field.colon, field.to);
        fields.add(shared);
        same.add(shared);
    }

    private static int endOfField(byte[] octets, int from) {
        for (int at = from; at < octets.length - 1; at++) {
            if (octets[at] == '\r' && octets[at + 1] == '\n'
                    && (at == from || at + 2 == octets.length || !Canonicalization.isBlank(octets[at + 2]))) {
                return at;
            }
        }
        return octets.length;
    }

    private static RawField field(byte[] octets, int from, int to) {
        int colon = from;
        while (colon < to && octets[colon] != ':') {
            colon++;
        }
        int end = colon;
        while (end > from && Canonicalization.isBlank(octets[end - 1])) {
            end--;
        }
        boolean named = colon < to && end > from;
        for (int at = from; at < end && named; at++) {
            named = octets[at] > ' ' && octets[at] < 127;
        }
        return named
                ? new RawField(Ascii.lower(new String(octets, from, end - from, StandardCharsets.US_ASCII)), octets,
                        from, colon, to)
                : new RawField("", octets, from, from, to);
    }

    /// From the top.
    List<RawField> fields() {
        return fields;
    }

    /// The fields with a name, from the top.
    ///
    /// @param name in lower case
    List<RawField> named(String name) {
        return byName.getOrDefault(name, List.of());
    }

    /// The values of the fields with a name, from the top, one character for each octet.
    ///
    /// @param name in lower case
    public List<String> values(String name) {
        return named(name).stream().map(RawField::value).toList();
    }

    /// How many fields have this name.
    ///
    /// @param name in lower case
    public int count(String name) {
        return named(name).size();
    }
}
