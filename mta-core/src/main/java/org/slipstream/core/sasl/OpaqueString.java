package org.slipstream.core.sasl;

import java.text.Normalizer;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The preparation of passwords: the profile OpaqueString (RFC 8265 section 4.2), by which client
/// and server compare the same octets.
///
/// Keyboards and systems write one password as different code points. The profile maps every kind
/// of space to U+0020, composes characters (NFC), and then allows the code points of the
/// FreeformClass (RFC 8264 sections 4.3 and 8). Case, width and compatibility characters stay: "²"
/// is not "2", as it was under SASLprep.
///
/// The class follows from the general category of a code point, with the exceptions below. Join
/// controls (U+200C, U+200D) are refused: their rules need the joining types and combining classes
/// of Unicode, which the JDK does not offer.
public final class OpaqueString {
    /// Section 9.6 (exceptions), 9.9 (old Hangul jamo) and 9.13 (default ignorable, of a category
    /// that is allowed) of RFC 8264.
    private static final Pattern DISALLOWED = Pattern.compile("[\\u0640\\u07fa\\u302e\\u302f\\u3031-\\u3035\\u303b"
            + "\\u1100-\\u11ff\\ua960-\\ua97c\\ud7b0-\\ud7c6\\ud7cb-\\ud7fb"
            + "\\u034f\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\ufe00-\\ufe0f\\uffa0\\x{e0100}-\\x{e01ef}]");
    /// The contextual rules of RFC 5892 appendix A.3 to A.6: a middle dot outside of "l·l", a Greek
    /// keraia that no Greek letter follows, Hebrew punctuation that no Hebrew letter precedes.
    private static final Pattern OUT_OF_CONTEXT = Pattern.compile(
            "(?<!l)\\u00b7|\\u00b7(?!l)|\\u0375(?!\\p{IsGreek})|(?<!\\p{IsHebrew})[\\u05f3\\u05f4]");
    private static final Pattern KATAKANA_DOT = Pattern.compile("\\u30fb");
    private static final Pattern JAPANESE = Pattern.compile("[\\p{IsHiragana}\\p{IsKatakana}\\p{IsHan}]");
    private static final Pattern ARABIC_DIGIT = Pattern.compile("[\\u0660-\\u0669]");
    private static final Pattern EXTENDED_ARABIC_DIGIT = Pattern.compile("[\\u06f0-\\u06f9]");

    private OpaqueString() {}

    /// The prepared form; empty when the text is empty or has a code point that the profile does
    /// not allow.
    public static Optional<String> enforce(String raw) {
        StringBuilder mapped = new StringBuilder(raw.length());
        raw.codePoints().map(c -> Character.getType(c) == Character.SPACE_SEPARATOR ? ' ' : c)
                .forEach(mapped::appendCodePoint);
        // The code points are checked last (RFC 8264 section 7), so a decomposed letter is judged
        // as the letter.
        String text = Normalizer.normalize(mapped, Normalizer.Form.NFC);
        boolean allowed = !text.isEmpty() && text.codePoints().allMatch(OpaqueString::hasAllowedCategory)
                && !DISALLOWED.matcher(text).find() && !OUT_OF_CONTEXT.matcher(text).find()
                && (!KATAKANA_DOT.matcher(text).find() || JAPANESE.matcher(text).find())
                && !(ARABIC_DIGIT.matcher(text).find() && EXTENDED_ARABIC_DIGIT.matcher(text).find());
        return allowed ? Optional.of(text) : Optional.empty();
    }

    /// The forms of a password that a stored hash may have been made of, in the order in which they
    /// are compared, at least one. The first is the one that a client uses. The second, where it
    /// differs, is what earlier versions and RFC 5802 prepare.
    public static List<String> forms(String raw) {
        String earlier = SaslPrep.text(raw);
        return enforce(raw).filter(prepared -> !prepared.equals(earlier)).map(prepared -> List.of(prepared, earlier))
                .orElse(List.of(earlier));
    }

    private static boolean hasAllowedCategory(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED,
                    Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                false;
            default -> true;
        };
    }
}
