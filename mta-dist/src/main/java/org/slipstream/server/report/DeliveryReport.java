package org.slipstream.server.report;

import org.slipstream.core.Address;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.ReportKind;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// All data of a report; composing it needs nothing else.
///
/// @param hostname of the reporting server
/// @param postmaster contact address
/// @param sender the report's recipient
/// @param message from the queue index
/// @param about the recipients that the report is about, at least one
/// @param original empty when it could not be read
/// @param date of the report; its offset is used for all dates
/// @param retryUntil when a delayed message will expire
record DeliveryReport(String hostname, Address postmaster, ReportKind kind, Address sender, MessageDetails message,
        List<RecipientState> about, Optional<Original> original, OffsetDateTime date, Instant retryUntil) {
    // RFC 5322 section 3.3; names of days and months are English everywhere.
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("EEE, d MMM yyyy HH:mm:ss xx",
            Locale.ENGLISH);

    DeliveryReport {
        about = List.copyOf(about);
        if (about.isEmpty()) {
            throw new IllegalArgumentException("a report needs a recipient");
        }
    }

    /// True when the sender can read Unicode in fields (RFC 6533 section 4): the sender's address
    /// has some, or the message was declared SMTPUTF8.
    boolean isInternational() {
        return sender.isInternational() || message.envelope().smtpUtf8();
    }

    Instant arrival() {
        return Instant.ofEpochMilli(message.summary().createdMillis());
    }

    String written(Instant when) {
        return DATE.format(when.atOffset(date.getOffset()));
    }
}
