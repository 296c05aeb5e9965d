package org.slipstream.events.suppression;

import org.slipstream.core.Address;
import org.slipstream.core.order.SuppressionVerb.Cause;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// An address, or all addresses of a domain, that get no mail, from a sender's domain or from all.
///
/// @param recipient an address or a domain, in lower case
/// @param senderDomain in lower case; empty for all senders
/// @param origin the author, or the reply of a host
/// @param untilMillis [Long#MAX_VALUE]: until it is removed
public record Suppression(String recipient, String senderDomain, Cause cause, String origin, long sinceMillis,
        long untilMillis) {
    static final int LONGEST_ORIGIN = 500;
    private static final char TAB = '\t';
    /// A domain has no slash, and a local part may have one. A visible character, because the key is the place that a
    /// request for the next page names.
    private static final char BEHIND_RECIPIENT = '/';
    private static final Pattern BLANKS = Pattern.compile("\\p{Cntrl}+");

    /// The form of an entry that is suppressed; empty when the text is neither an address nor a domain.
    public static Optional<String> recipientOf(String text) {
        if (text.indexOf('@') > 0) {
            return Address.parse(text).map(address -> address.folded().toString());
        }
        String domain = text.startsWith("@") ? text.substring(1) : text;
        return Address.isDomain(domain) ? Optional.of(domain.toLowerCase(Locale.ROOT)) : Optional.empty();
    }

    public Suppression {
        String line = BLANKS.matcher(origin).replaceAll(" ");
        origin = line.substring(0, Math.min(line.length(), LONGEST_ORIGIN));
    }

    boolean isOver(long nowMillis) {
        return untilMillis <= nowMillis;
    }

    /// The reason for a reply or a report: `hard-bounce since 2026-11-27 (550 5.1.1 User unknown)`.
    public String words() {
        return cause.word() + " since " + LocalDate.ofInstant(Instant.ofEpochMilli(sinceMillis), ZoneOffset.UTC)
                + (origin.isEmpty() ? "" : " (" + origin + ")");
    }

    String key() {
        return key(recipient, senderDomain);
    }

    static int behindRecipient(String key) {
        return key.lastIndexOf(BEHIND_RECIPIENT);
    }

    static String key(String recipient, String senderDomain) {
        return recipient + BEHIND_RECIPIENT + senderDomain;
    }

    String value() {
        return cause.word() + TAB + sinceMillis + TAB + untilMillis + TAB + origin;
    }

    static Suppression of(String key, String value) {
        int behind = behindRecipient(key);
        String[] values = value.split("\t", 4);
        return new Suppression(key.substring(0, behind), key.substring(behind + 1), cause(values[0]), values[3],
                Long.parseLong(values[1]), Long.parseLong(values[2]));
    }

    /// A cause of a newer program is a reason nevertheless.
    private static Cause cause(String word) {
        return Arrays.stream(Cause.values()).filter(each -> each.word().equals(word)).findFirst()
                .orElse(Cause.MANUAL);
    }
}
