package org.slipstream.server.intake;

import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;
import org.slipstream.core.text.QuotedPrintable;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The report to the sender of a file of the maildrop that the server refuses, such as a message
/// above `limits.message-size`. `sendmail` reads no settings, so it cannot refuse such a message.
///
/// The message never had a place in the queue, so the report has no status for programs. Its size
/// has a bound, because it names only the first recipients.
final class RefusedFile {
    private static final int MOST_RECIPIENTS = 20;

    private RefusedFile() {}

    /// NOTIFY=NEVER, because no report about a report is sent (RFC 3461 section 4.1).
    static Envelope envelope(Address sender) {
        return new Envelope(Optional.empty(), BodyType.SEVEN_BIT, sender.isInternational(), Optional.empty(),
                DsnReturn.UNSPECIFIED,
                List.of(new Recipient(1, sender, Optional.empty(), Set.of(DsnNotify.NEVER))));
    }

    /// @param domain of this server's address
    static byte[] report(Envelope refused, String domain, String reason, Instant now) {
        List<Recipient> all = refused.recipients();
        String names = all.stream().limit(MOST_RECIPIENTS).map(each -> "  <" + each.address() + ">\r\n")
                .collect(Collectors.joining());
        String more = all.size() > MOST_RECIPIENTS ? "  and " + (all.size() - MOST_RECIPIENTS) + " more\r\n" : "";
        byte[] text = ("The program sendmail took a message from you that this server cannot send:\r\n\r\n  "
                + reason.replaceAll("[\\r\\n]+", " ") + "\r\n\r\nIts recipients were:\r\n\r\n" + names + more)
                .getBytes(StandardCharsets.UTF_8);
        return ("From: Mail Delivery System <MAILER-DAEMON@" + domain + ">\r\n"
                + "To: undisclosed-recipients:;\r\n"
                + "Subject: Undelivered Mail Returned to Sender\r\n"
                + "Date: " + DateTimeFormatter.RFC_1123_DATE_TIME.format(now.atOffset(ZoneOffset.UTC)) + "\r\n"
                // RFC 3834 section 5: prevents automatic replies.
                + "Auto-Submitted: auto-replied\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
                + "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
                + new String(QuotedPrintable.encode(text), StandardCharsets.US_ASCII) + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
