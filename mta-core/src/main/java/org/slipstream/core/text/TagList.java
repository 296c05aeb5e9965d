package org.slipstream.core.text;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The notation `tag=value; tag=value` of DKIM signatures and keys (RFC 6376 section 3.2), of DMARC
/// (RFC 9989 section 4.7), MTA-STS and TLS reports.
///
/// The text is read once from left to right. A reader of signatures that searches for `b=` with a
/// regular expression also finds it in the value of `z=`, and refuses signatures that are good; here
/// a tag knows where its value begins.
///
/// @param tags in their order, names in lower case; of a tag that stands twice, the first
/// @param starts where the text of a value begins, behind its equals sign; it ends at the next
/// semicolon
/// @param faults the parts that are not `tag=value`, those whose tag stands twice, and those with a
/// control character
public record TagList(Map<String, String> tags, Map<String, Integer> starts, List<String> faults) {
    /// Longer texts are not read: a record of DNS with its tags has some hundred characters.
    public static final int LONGEST = 16 << 10;

    /// A list without faults; empty for every other text.
    public static Optional<TagList> parse(String text) {
        return Optional.of(read(text)).filter(list -> list.faults.isEmpty());
    }

    /// The tags that are well written.
    public static TagList read(String text) {
        TagList list = new TagList(new LinkedHashMap<>(), new HashMap<>(), new ArrayList<>());
        if (text.length() > LONGEST) {
            list.faults.add("a record of more than " + LONGEST + " characters");
            return list;
        }
        for (int start = 0; start <= text.length();) {
            int semicolon = text.indexOf(';', start);
            int end = semicolon < 0 ? text.length() : semicolon;
            String part = text.substring(start, end);
            // A semicolon may end the last part.
            if ((semicolon >= 0 || !part.isBlank()) && !list.add(part, start)) {
                list.faults.add(part.strip());
            }
            start = end + 1;
        }
        return list;
    }

    private boolean add(String part, int start) {
        int equals = part.indexOf('=');
        String tag = Ascii.lower(part.substring(0, Math.max(0, equals)).strip());
        if (!isName(tag) || !part.chars().allMatch(TagList::isText)
                || tags.putIfAbsent(tag, part.substring(equals + 1).strip()) != null) {
            return false;
        }
        starts.put(tag, start + equals + 1);
        return true;
    }

    private static boolean isName(String tag) {
        return !tag.isEmpty() && isLetter(tag.charAt(0))
                && tag.chars().allMatch(c -> isLetter(c) || c >= '0' && c <= '9' || c == '_');
    }

    private static boolean isLetter(int c) {
        return c >= 'a' && c <= 'z';
    }

    // A field of a header has an octet of UTF-8 in each character.
    private static boolean isText(int c) {
        return c >= ' ' && c != 127 || isBlank(c);
    }

    private static boolean isBlank(int c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }

    public Optional<String> get(String tag) {
        return Optional.ofNullable(tags.get(tag));
    }

    /// A value without blanks: base64 may be folded at each place.
    public Optional<String> unfolded(String tag) {
        return get(tag).map(TagList::withoutBlanks);
    }

    /// A text without blanks and line ends.
    public static String withoutBlanks(String text) {
        StringBuilder plain = new StringBuilder(text.length());
        text.chars().filter(c -> !isBlank(c)).forEach(c -> plain.append((char) c));
        return plain.toString();
    }

    /// True when the first tag is `v` with this value.
    public boolean isVersion(String value) {
        return tags.entrySet().stream().findFirst()
                .filter(first -> first.getKey().equals("v") && first.getValue().equals(value)).isPresent();
    }
}
