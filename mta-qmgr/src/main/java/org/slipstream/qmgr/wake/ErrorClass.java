package org.slipstream.qmgr.wake;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/// The class of a temporary failure, by which a retry policy can differ. Each reply has exactly one
/// class.
///
/// The enhanced status decides where it is specific (RFC 3463), then the code, then the customary
/// text. Texts of greylisting come first, because implementations use all codes from 421 to 451 for
/// it: postgrey `450 4.2.0`, SQLgrey `450 4.7.1`, milter-greylist and rspamd `451 4.7.1`, spamd of
/// OpenBSD `451` without a status.
public enum ErrorClass {
    /// The recipient's server accepts the message when it comes again after some minutes.
    GREYLISTING,
    /// The remote host is busy, or limits the rate of this sender.
    LOAD, FULL_MAILBOX,
    /// The route is unknown, because DNS does not answer or has no usable host.
    DNS,
    /// A policy requires TLS, and the session has none.
    TLS,
    /// No connection, or one that broke: refused, timed out, no route to the host.
    REFUSED, OTHER;

    private static final List<String> GREYLISTING_TEXTS = List.of("greylist", "graylist", "grey list", "grey-list",
            "gray list", "temporary failure, please try again later");
    private static final List<String> LOAD_TEXTS = List.of("too many connections", "too many messages", "rate limit",
            "limit exceeded", "unusual rate", "at a rate", "too quickly", "too fast", "throttl", "server busy",
            "too busy", "temporarily deferred due to", "load average", "insufficient system");
    private static final List<String> FULL_TEXTS = List.of("over quota", "overquota", "quota exceeded",
            "mailbox full", "mailbox is full", "exceeded storage", "quota limit");

    /// The class of a reply that defers a recipient.
    public static ErrorClass of(Reply reply) {
        String text = reply.text().toLowerCase(Locale.ROOT);
        if (has(text, GREYLISTING_TEXTS)) {
            return GREYLISTING;
        }
        return reply.status().flatMap(ErrorClass::byStatus).orElseGet(() -> byCodeAndText(reply, text));
    }

    private static Optional<ErrorClass> byStatus(EnhancedStatus status) {
        return Optional.ofNullable(switch (status.subject() * 1_000 + status.detail()) {
            case 2_002 -> FULL_MAILBOX;
            case 3_001, 3_002, 4_005, 7_028 -> LOAD;
            case 4_001, 4_002 -> REFUSED;
            case 4_003, 4_004 -> DNS;
            case 7_004, 7_005, 7_010, 7_011 -> TLS;
            default -> null;
        });
    }

    private static ErrorClass byCodeAndText(Reply reply, String text) {
        if (has(text, FULL_TEXTS)) {
            return FULL_MAILBOX;
        }
        if (reply.code() == 421 || has(text, LOAD_TEXTS)) {
            return LOAD;
        }
        if (reply.code() == 454 && text.contains("tls")) {
            return TLS;
        }
        boolean policy = reply.status().filter(isExactly(7, 1)).isPresent();
        return reply.code() == 451 && policy ? GREYLISTING : OTHER;
    }

    private static Predicate<EnhancedStatus> isExactly(int subject, int detail) {
        return status -> status.subject() == subject && status.detail() == detail;
    }

    private static boolean has(String text, List<String> words) {
        return words.stream().anyMatch(text::contains);
    }
}
