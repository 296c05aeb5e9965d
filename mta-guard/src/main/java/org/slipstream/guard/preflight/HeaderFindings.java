package org.slipstream.guard.preflight;

import org.slipstream.auth.dkim.RawHeader;
import org.slipstream.auth.dmarc.AuthorDomains;
import org.slipstream.core.FindingList;
import org.slipstream.core.text.Ascii;
import org.slipstream.core.text.TagList;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// Whether the header is one that receivers accept (RFC 5322 section 3.6), with the fields that lists
/// need (RFC 8058).
final class HeaderFindings {
    private static final Duration OLD = Duration.ofDays(7);
    private static final Duration AHEAD = Duration.ofHours(1);
    private static final int MOST_SIGNATURES = 10;
    private static final int LONGEST_VALUE = 1000;
    private static final Pattern MESSAGE_ID = Pattern.compile("<[^<>@\\s]++@[^<>@\\s]++>");
    /// Fields that stand once at most.
    private static final List<String> SINGLE = List.of("from", "sender", "reply-to", "to", "cc", "subject", "date",
            "message-id", "in-reply-to", "references", "mime-version", "content-type");
    private static final List<String> OF_LISTS = List.of("list-id", "list-unsubscribe", "feedback-id", "list-post");
    private static final Set<String> BULK = Set.of("bulk", "list", "junk");
    private static final String ONE_CLICK = "List-Unsubscribe=One-Click";

    private final RawHeader header;
    private final FindingList findings;

    HeaderFindings(RawHeader header, FindingList findings) {
        this.header = header;
        this.findings = findings;
    }

    void all(Instant now) {
        List<String> twice = SINGLE.stream().filter(name -> header.count(name) > 1).toList();
        if (!twice.isEmpty()) {
            findings.lacks("header", "more than one field " + String.join(", ", twice)
                    + "; receivers refuse that or show either");
        }
        from();
        date(now);
        messageId();
        if (header.count("subject") == 0) {
            findings.advice("header", "there is no Subject");
        }
        if (header.count("to") + header.count("cc") == 0) {
            findings.advice("header", "there is no To; mail to hidden recipients is suspicious");
        }
        list();
    }

    private void from() {
        AuthorDomains authors = AuthorDomains.of(header.values("from"));
        authors.faults().forEach(fault -> findings.lacks("from", fault + "; a message has one From with an address"));
        if (authors.domains().size() > 1) {
            findings.lacks("from", "From has addresses of several domains; receivers refuse that");
        } else if (authors.faults().isEmpty()) {
            findings.ok("from", "the author is of " + String.join(", ", authors.domains()));
        }
    }

    private void date(Instant now) {
        String text = first("date");
        if (text.isEmpty()) {
            findings.lacks("date", "there is no Date");
            return;
        }
        try {
            int comment = text.indexOf('(');
            Instant date = ZonedDateTime.parse((comment < 0 ? text : text.substring(0, comment)).strip(),
                    DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
            if (date.isAfter(now.plus(AHEAD))) {
                findings.lacks("date", "Date is in the future: " + text);
            } else if (date.isBefore(now.minus(OLD))) {
                findings.advice("date", "Date is more than a week ago: " + text);
            } else {
                findings.ok("date", text);
            }
        } catch (DateTimeException unreadable) {
            findings.lacks("date", "Date cannot be read: " + text + "; it is written as \"Fri, 27 Nov 2026 07:00:00"
                    + " +0000\"");
        }
    }

    private void messageId() {
        String text = first("message-id");
        if (text.isEmpty()) {
            findings.lacks("message-id", "there is no Message-ID; Gmail refuses mail without one");
        } else if (!MESSAGE_ID.matcher(text).matches()) {
            findings.lacks("message-id", "Message-ID is not of the form <unique@host>: " + text);
        } else {
            findings.ok("message-id", text);
        }
    }

    private void list() {
        boolean isBulk = OF_LISTS.stream().anyMatch(name -> header.count(name) > 0)
                || BULK.contains(Ascii.lower(first("precedence")));
        if (!isBulk) {
            findings.unknown("list", "no field of lists: right for mail to persons; a newsletter needs List-Unsubscribe"
                    + " with one click (RFC 8058)");
            return;
        }
        List<String> missing = new ArrayList<>();
        if (!Ascii.lower(first("list-unsubscribe")).contains("<https:")) {
            missing.add("List-Unsubscribe with an address \"<https:…>\"");
        }
        if (!Ascii.same(first("list-unsubscribe-post").replace(" ", ""), ONE_CLICK)) {
            missing.add("List-Unsubscribe-Post: " + ONE_CLICK);
        }
        if (!missing.isEmpty()) {
            findings.lacks("list", "mail of a list lacks " + String.join(", and ", missing)
                    + "; Gmail and Yahoo want one click (RFC 8058)");
        } else if (header.values("dkim-signature").stream().limit(MOST_SIGNATURES).noneMatch(HeaderFindings::covers)) {
            findings.lacks("list", "no signature covers List-Unsubscribe and List-Unsubscribe-Post, so one click does"
                    + " not count (RFC 8058)");
        } else {
            findings.ok("list", "one click unsubscribes");
        }
    }

    private static boolean covers(String signature) {
        List<String> names = TagList.read(signature).unfolded("h").map(Ascii::lower)
                .map(text -> List.of(text.split(":"))).orElse(List.of());
        return names.containsAll(List.of("list-unsubscribe", "list-unsubscribe-post"));
    }

    /// The first value on one line, and not longer than a person reads.
    private String first(String name) {
        List<String> values = header.values(name);
        if (values.isEmpty()) {
            return "";
        }
        String value = values.getFirst();
        return (value.length() > LONGEST_VALUE ? value.substring(0, LONGEST_VALUE) : value).replaceAll("[\r\n]", "")
                .strip();
    }
}
