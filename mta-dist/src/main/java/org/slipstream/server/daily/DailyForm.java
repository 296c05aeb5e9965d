package org.slipstream.server.daily;

import org.slipstream.auth.report.ReportSource;
import org.slipstream.core.Address;
import org.slipstream.core.dns.DnsLookup;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The differences between the two kinds of daily reports. A file on disk is the report as it will be sent.
///
/// @param <R> a row
interface DailyForm<R> {
    /// In the log and in the names of folders.
    String name();

    /// Of the names of files.
    String extension();

    int weight(R row);

    /// A report with further rows.
    ///
    /// @param before the file of the day; empty for none
    /// @param fresh the source of a report that begins
    /// @param others number of rows that are not told apart
    /// @throws IOException with a sentence, when the file is damaged
    byte[] with(Optional<byte[]> before, ReportSource fresh, Map<R, Long> rows, long others) throws IOException;

    /// The source of a report.
    ///
    /// @throws IOException with a sentence, when the file is damaged
    ReportSource source(byte[] file) throws IOException;

    /// Asks DNS where reports about a domain go now.
    Places places(DnsLookup dns, String domain);

    /// The fields and the type of the mail.
    MailForm mail(String domain, String submitter);

    /// Where a report goes.
    sealed interface Places {
        record Mailboxes(List<Address> addresses) implements Places {}

        /// Web pages; the report is posted to one of them.
        record Pages(List<URI> pages) implements Places {}

        record None(String reason) implements Places {}

        /// DNS does not answer at present.
        record Unknown(String reason) implements Places {}

        /// One place is enough (RFC 8460 section 3), and the queue tries longer than one request.
        static Places of(List<Address> addresses, List<URI> pages, String otherwise) {
            return !addresses.isEmpty()
                    ? new Mailboxes(addresses)
                    : pages.isEmpty() ? new None(otherwise) : new Pages(pages);
        }
    }

    /// @param type of the whole message, with its parameters
    /// @param fileType of the attachment
    /// @param about the first words of the text for people
    /// @param fields further ones, with their values
    record MailForm(String type, String fileType, String about, Map<String, String> fields) {}
}
