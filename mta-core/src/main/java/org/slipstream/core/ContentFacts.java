package org.slipstream.core;

import java.util.Optional;

/// Facts about a content that the SMTP server records while it receives the content. They are
/// stored with the message, so sending does not need to scan the bytes again.
///
/// Facts exist only for a content whose lines all end in CRLF and that contains no other CR or LF.
/// A sender relies on this: it transmits such a content as stored, and no part of it can be
/// mistaken for the end of DATA (SMTP smuggling, CVE-2023-51764).
///
/// @param leadingDot a line begins with a dot, so DATA requires dot-stuffing (RFC 5321 section
/// 4.5.2)
/// @param eightBit an octet is above 127
/// @param longestLine octets of the longest line without its CRLF
/// @param lines the number of lines
public record ContentFacts(boolean leadingDot, boolean eightBit, long longestLine, long lines) {
    /// Facts of an empty content.
    public static final ContentFacts EMPTY = new ContentFacts(false, false, 0, 0);

    /// Computes the facts of a content in memory; empty when a line ends in anything but CRLF.
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

    /// Facts of the concatenation of two contents.
    public ContentFacts and(ContentFacts other) {
        return new ContentFacts(leadingDot || other.leadingDot, eightBit || other.eightBit,
                Math.max(longestLine, other.longestLine), lines + other.lines);
    }
}
