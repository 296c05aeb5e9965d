package org.slipstream.server.report;

import org.slipstream.core.text.Ascii;

import java.util.Set;

/// Recognizes mail that no person sent by hand: programs and mailing lists (RFC 3834 section 2).
final class AutomaticMail {
    private static final Set<String> BULK = Set.of("bulk", "list", "junk");

    private AutomaticMail() {}

    /// True for a header with `Auto-Submitted` other than `no`, `Precedence` of bulk mail, or a
    /// field of a mailing list (RFC 2369, RFC 2919).
    static boolean is(String header) {
        return header.replaceAll("\r\n(?=[ \t])", "").lines().takeWhile(line -> !line.isEmpty())
                .anyMatch(AutomaticMail::isSign);
    }

    private static boolean isSign(String field) {
        int end = field.indexOf(':');
        if (end < 0) {
            return false;
        }
        String name = Ascii.lower(field.substring(0, end).strip());
        String value = Ascii.lower(field.substring(end + 1).strip());
        return switch (name) {
            case "auto-submitted" -> !value.equals("no") && !value.startsWith("no;") && !value.startsWith("no ");
            case "precedence" -> BULK.contains(value);
            default -> name.startsWith("list-");
        };
    }
}
