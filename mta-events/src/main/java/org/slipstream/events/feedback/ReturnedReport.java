package org.slipstream.events.feedback;

import org.slipstream.core.Reply;

/// A report about a message of this server.
///
/// @param trace of the message
/// @param reporter the name that the report gives its author; a text of a stranger
public record ReturnedReport(MailTrace trace, ReportMeaning meaning, String reporter) {
    /// The statement of the report.
    public sealed interface ReportMeaning {
        /// @param feedbackType as in RFC 5965: `abuse`
        record Complaint(String feedbackType) implements ReportMeaning {}

        /// @param reply of the host that refused, as far as the report has it; 5xx
        record Failure(Reply reply) implements ReportMeaning {}
    }
}
