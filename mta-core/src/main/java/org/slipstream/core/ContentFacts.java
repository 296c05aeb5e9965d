package org.slipstream.core;

import java.util.Optional;

/// Facts about a content that intake learns while it receives it. They are kept with the message, so that sending it needs no second
/// look at each byte.
///
/// Facts exist only for a content whose lines all end in CR LF and that holds no other CR or LF. A sender relies on that: such a
/// content goes out as it is stored, and nothing in it can be taken for the end of a message (CVE-2023-51764 and its family).
///
/// @param leadingDot a line begins with a dot, so DATA has to stuff it (RFC 5321 section 4.5.2)
/// @param eightBit an octet is above 127
/// @param longestLine octets of the longest line without its CR LF
/// @param lines how many lines
public record ContentFacts(boolean leadingDot, boolean eightBit, long longestLine, long lines) {
    /// Of a content without a byte.
    public static final ContentFacts EMPTY = new ContentFacts(false, false, 0, 0);

    /// Facts of a content at hand; empty when a line has another end than CR LF, or none.
    public static Optional<ContentFacts> of(byte[] content) {
        LineEnds ends = new LineEnds();
        ContentFacts facts = EMPTY;
        for (int at = 0; at < content.length;) {
            int end = ends.next(content, at, content.length);
            if (end > content.length - 2 || content[end] != '\r' || content[end + 1] != '\n') {
                return Optional.empty();
            }
            facts = facts.and(new ContentFacts(content[at] == '.', ends.eightBit(), end - at, 1));
            at = end + 2;
        }
        return Optional.of(facts);
    }

    /// Facts of two contents, one behind the other.
    public ContentFacts and(ContentFacts other) {
        return new ContentFacts(leadingDot || other.leadingDot, eightBit || other.eightBit,
                Math.max(longestLine, other.longestLine), lines + other.lines);
    }
}
