package org.slipstream.server.report;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.core.queue.ReportKind;

import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/// The examples of RFC 3464, appendix E: the same facts give each field of the example, with the
/// same value. Reports here have more fields, and one report has one action, so the example with
/// failures and a delay is two reports.
class RfcExamplesTest {
    private static final OffsetDateTime ATTEMPT = OffsetDateTime.parse("Thu, 7 Jul 1994 17:15:49 -0400",
            DateTimeFormatter.RFC_1123_DATE_TIME);

    @Test
    @Tag("ZM-43")
    void theSimpleExampleOfAFailure() {
        assertThat(fields("cs.utk.edu", ReportKind.FAILED,
                recipient(1, "louisl@larry.slip.umd.edu", true, 426, "connection timed out", "larry.slip.umd.edu")))
                .contains("Reporting-MTA: dns; cs.utk.edu",
                        "Original-Recipient: rfc822; louisl@larry.slip.umd.edu",
                        "Final-Recipient: rfc822; louisl@larry.slip.umd.edu",
                        "Action: failed",
                        "Status: 4.0.0",
                        "Diagnostic-Code: smtp; 426 connection timed out",
                        "Last-Attempt-Date: Thu, 7 Jul 1994 17:15:49 -0400");
    }

    @Test
    @Tag("ZM-43")
    void theFailuresOfTheExampleWithSeveralRecipients() {
        List<String> fields = fields("cs.utk.edu", ReportKind.FAILED,
                recipient(1, "arathib@vnet.ibm.com", true, 550,
                        "'arathib@vnet.IBM.COM' is not a registered gateway user",
                        "vnet.ibm.com"),
                recipient(2, "wsnell@sdcc13.ucsd.edu", true, 550, "user unknown", "sdcc13.ucsd.edu"));

        assertThat(fields).containsSubsequence("Reporting-MTA: dns; cs.utk.edu",
                "Final-Recipient: rfc822; arathib@vnet.ibm.com",
                "Action: failed",
                "Status: 5.0.0",
                "Final-Recipient: rfc822; wsnell@sdcc13.ucsd.edu",
                "Action: failed",
                "Status: 5.0.0");
        assertThat(fields).contains(
                "Original-Recipient: rfc822; arathib@vnet.ibm.com",
                "Diagnostic-Code: smtp; 550 'arathib@vnet.IBM.COM' is not a registered gateway user",
                "Remote-MTA: dns; vnet.ibm.com",
                "Original-Recipient: rfc822; wsnell@sdcc13.ucsd.edu",
                "Diagnostic-Code: smtp; 550 user unknown",
                "Remote-MTA: dns; sdcc13.ucsd.edu");
    }

    @Test
    @Tag("ZM-42")
    void theExampleOfADelay() {
        List<String> fields = fields("sun2.nsfnet-relay.ac.uk", ReportKind.DELAYED,
                recipient(1, "thomas@de-montfort.ac.uk", false, 451, "unknown temporary failure", "de-montfort.ac.uk"));

        assertThat(fields).contains("Reporting-MTA: dns; sun2.nsfnet-relay.ac.uk",
                "Final-Recipient: rfc822; thomas@de-montfort.ac.uk",
                "Status: 4.0.0",
                "Action: delayed");
        assertThat(fields).noneMatch(each -> each.startsWith("Original-Recipient"));
    }

    private static RecipientState recipient(int number, String address, boolean original, int code, String text,
            String host) {
        Reply reply = new Reply(code, Optional.empty(), List.of(text));
        return new RecipientState(
                new Recipient(number, Address.of(address),
                        original ? Optional.of("rfc822;" + address) : Optional.empty(),
                        Set.of()),
                RecipientStatus.OPEN, Optional.of(outcome(reply, host + "[192.0.2.1]:25")),
                ATTEMPT.toInstant().toEpochMilli());
    }

    private static Outcome outcome(Reply reply, String remote) {
        return reply.isTransient() ? new Outcome.Deferred(reply, remote) : new Outcome.Failed(reply, remote);
    }

    /// The fields of the status part, unfolded, with one blank after each semicolon.
    private static List<String> fields(String hostname, ReportKind kind, RecipientState... states) {
        Address sender = Address.of("owner-info-mime@cs.utk.edu");
        QueueId id = QueueId.after(0, 1);
        List<Recipient> recipients = Arrays.stream(states).map(RecipientState::recipient).toList();
        Envelope envelope = new Envelope(Optional.of(sender), BodyType.SEVEN_BIT, false, Optional.empty(),
                DsnReturn.HEADERS, recipients);
        MessageDetails details = new MessageDetails(
                new MessageSummary(id, Optional.of(sender), 0, 1_000, states.length, 1, 0, 1, false, false), envelope,
                0,
                List.of());
        DeliveryReport report = new DeliveryReport(hostname, Address.of("postmaster@cs.utk.edu"), kind, sender, details,
                List.of(states), Optional.empty(), ATTEMPT, ATTEMPT.toInstant());
        return StatusPart.of(report).replaceAll("\r\n(?=[ \t])", "").lines()
                .map(line -> line.replaceAll(";[ \t]*", "; ")).toList();
    }
}
