package org.slipstream.server.report;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Outcome;
import org.slipstream.core.Recipient;
import org.slipstream.spool.Spool;

import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The part for programs: `message/delivery-status` (RFC 3464 section 2), one block for the message
/// and one for each recipient.
final class StatusPart {
    /// `name[address]:port`, the form in which carriers name their peers.
    private static final Pattern PEER = Pattern.compile("([^\\s\\[\\]]+)\\[([0-9A-Fa-f.:]+)\\]:[0-9]+");

    private StatusPart() {}

    static String of(DeliveryReport report) {
        StringBuilder part = new StringBuilder();
        report.message().envelope().envelopeId()
                .ifPresent(id -> part.append(ReportField.of("Original-Envelope-Id", id)));
        part.append(ReportField.of("Reporting-MTA", "dns; " + report.hostname()));
        part.append(ReportField.of("Arrival-Date", report.written(report.arrival())));
        part.append(ReportField.of("X-Slipstream-Queue-ID", report.message().summary().id().toString()));
        for (Spool.RecipientState state : report.about()) {
            part.append("\r\n").append(recipient(report, state));
        }
        return part.toString();
    }

    private static String recipient(DeliveryReport report, Spool.RecipientState state) {
        Recipient recipient = state.recipient();
        StringBuilder block = new StringBuilder();
        recipient.original()
                .ifPresent(original -> block.append(ReportField.of("Original-Recipient", original(original))));
        block.append(ReportField.of("Final-Recipient", ReportField.typed("rfc822", recipient.address().toString())));
        block.append(ReportField.of("Action", report.kind().action(state)));
        block.append(ReportField.of("Status", state.last().map(last -> last.reply().statusOrGeneral().toString())
                .orElse(report.kind() == ReportKind.SUCCEEDED ? "2.0.0" : report.isFailure() ? "5.0.0" : "4.0.0")));
        state.last().ifPresent(last -> block.append(diagnosticCode(last)));
        if (state.last().isPresent() && state.atMillis() > 0) {
            block.append(ReportField.of("Last-Attempt-Date", report.written(Instant.ofEpochMilli(state.atMillis()))));
        }
        if (report.kind() == ReportKind.DELAYED) {
            block.append(ReportField.of("Will-Retry-Until", report.written(report.retryUntil())));
        }
        return block.toString();
    }

    // A diagnostic code has a type that names its syntax; text of no peer has our own type. Expiry
    // is our own decision, whichever peer replied last.
    private static String diagnosticCode(Outcome last) {
        Optional<String> peer = peer(last.remote());
        EnhancedStatus status = last.reply().statusOrGeneral();
        boolean expired = status.subject() == 4 && status.detail() == 7;
        String type = peer.isPresent() && !expired ? "smtp; " : "x-slipstream; ";
        return peer.map(name -> ReportField.of("Remote-MTA", "dns; " + name)).orElse("")
                + ReportField.of("Diagnostic-Code", type + last.reply());
    }

    private static Optional<String> peer(String remote) {
        Matcher peer = PEER.matcher(remote);
        if (!peer.matches()) {
            return Optional.empty();
        }
        String name = peer.group(1);
        boolean literal = name.equals(peer.group(2));
        return Optional.of(literal ? "[" + (name.contains(":") ? "IPv6:" : "") + name + "]" : name);
    }

    private static String original(String original) {
        int end = original.indexOf(';');
        return end < 0
                ? ReportField.typed("rfc822", original)
                : ReportField.typed(original.substring(0, end).strip(), original.substring(end + 1).strip());
    }
}
