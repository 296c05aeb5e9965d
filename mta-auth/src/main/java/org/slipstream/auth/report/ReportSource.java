package org.slipstream.auth.report;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/// The reporter and the time of a report.
///
/// @param organization its name, with us our host name
/// @param contact mail address
/// @param id unique among the reports about the domain
/// @param error words about what the report lacks; empty for none
public record ReportSource(String organization, String contact, String id, Instant begin, Instant end,
        Optional<String> error) {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    /// The first line of a summary.
    public String title(String domain) {
        return "%s reports about %s, from %s to %s UTC".formatted(organization, domain, TIME.format(begin),
                TIME.format(end));
    }

    /// `1 message`, `2 messages`.
    public static String counted(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /// The Subject of the mail in one line (RFC 9990 section 3.5, RFC 8460 section 5.3).
    ///
    /// @param domain the report is about
    public String subject(String domain, String submitter) {
        return "Report Domain: " + name(domain) + " Submitter: " + name(submitter) + " Report-ID: <"
                + id.replaceAll("[^A-Za-z0-9.@_-]", "_") + ">";
    }

    /// `mail.receiver.example!example.com!1013662812!1013749130.xml.gz`; TLS reports have the same form
    /// (RFC 8460 section 5.1).
    ///
    /// @param extension as `xml.gz`
    public String fileName(String domain, String submitter, String extension) {
        return String.join("!", name(submitter), name(domain), String.valueOf(begin.getEpochSecond()),
                String.valueOf(end.getEpochSecond())) + "." + extension;
    }

    private static String name(String domain) {
        return domain.replaceAll("[^A-Za-z0-9._-]", "_");
    }
}
