package org.slipstream.server.report;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;

import java.time.Instant;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The part for programs: `message/delivery-status` (RFC 3464 section 2), one block for the message
/// and one for each recipient. In `message/global-delivery-status` (RFC 6533 section 3) Unicode stays
/// as it is.
///
/// Each recipient has a block, as the RFC demands. Beyond [#MOST_FULL_CHARS] a block has only the
/// fields that the RFCs require.
final class StatusPart {
    private static final int MOST_FULL_CHARS = ReportText.MOST_CHARS;

    /// `name[address]:port`, the form in which carriers name their peers.
    private static final Pattern PEER = Pattern.compile("([^\\s\\[\\]]+)\\[([0-9A-Fa-f.:]+)\\]:[0-9]+");

    private static final Pattern XTEXT = Pattern.compile("\\\\x\\{([0-9A-Fa-f]{2,6})\\}");

    private final DeliveryReport report;
    private final BinaryOperator<String> field;

    private StatusPart(DeliveryReport report) {
        this.report = report;
        this.field = report.isInternational() ? ReportField::international : ReportField::of;
    }

    static String of(DeliveryReport report) {
        return new StatusPart(report).text();
    }

    private String text() {
        StringBuilder part = new StringBuilder();
        report.message().envelope().envelopeId()
                .ifPresent(id -> part.append(ReportField.of("Original-Envelope-Id", id)));
        part.append(ReportField.of("Reporting-MTA", "dns; " + report.hostname()));
        report.original().flatMap(Original::receivedFrom)
                .ifPresent(from -> part.append(field.apply("Received-From-MTA", "dns; " + from)));
        part.append(ReportField.of("Arrival-Date", report.written(report.arrival())));
        part.append(ReportField.of("X-Slipstream-Queue-ID", report.message().summary().id().toString()));
        for (RecipientState state : report.about()) {
            part.append("\r\n").append(recipient(state, part.length() > MOST_FULL_CHARS));
        }
        return part.toString();
    }

    private String recipient(RecipientState state, boolean required) {
        Recipient recipient = state.recipient();
        StringBuilder block = new StringBuilder();
        recipient.original()
                .ifPresent(original -> block.append(field.apply("Original-Recipient", original(original))));
        block.append(field.apply("Final-Recipient", ReportField.typed("rfc822", recipient.address().toString())));
        block.append(ReportField.of("Action", action(state)));
        block.append(ReportField.of("Status", state.last().map(last -> last.reply().statusOrGeneral().toString())
                .orElse(switch (report.kind().about) {
                    case OPEN -> "4.0.0";
                    case DELIVERED -> "2.0.0";
                    case FAILED, FAILED_AND_REPORTED -> "5.0.0";
                })));
        if (required) {
            return block.toString();
        }
        state.last().ifPresent(last -> block.append(diagnosticCode(last)));
        if (state.last().isPresent() && state.atMillis() > 0) {
            block.append(ReportField.of("Last-Attempt-Date", report.written(Instant.ofEpochMilli(state.atMillis()))));
        }
        block.append(ReportField.of("Final-Log-ID", report.message().summary().id().toString()));
        if (report.kind().about == RecipientStatus.OPEN) {
            block.append(ReportField.of("Will-Retry-Until", report.written(report.retryUntil())));
        }
        return block.toString();
    }

    /// RFC 3464 section 2.3.3: `relayed` means that another server has the message and its further
    /// fate is unknown.
    private String action(RecipientState state) {
        return switch (report.kind().about) {
            case FAILED, FAILED_AND_REPORTED -> "failed";
            case OPEN -> "delayed";
            case DELIVERED -> isWith(Expansion.REMOTE, state)
                    ? "expanded"
                    : isWith("maildir:", state) ? "delivered" : "relayed";
        };
    }

    /// True for a message that a route discards. It is not reported as delivered.
    static boolean isDiscarded(RecipientState state) {
        return isWith("discard:", state);
    }

    private static boolean isWith(String prefix, RecipientState state) {
        return state.last().filter(last -> last.remote().startsWith(prefix)).isPresent();
    }

    // A diagnostic code has a type that names its syntax; text of no peer has our own type. Expiry
    // is our own decision, whichever peer replied last.
    private String diagnosticCode(Outcome last) {
        Optional<String> peer = peer(last.remote());
        EnhancedStatus status = last.reply().statusOrGeneral();
        boolean expired = status.subject() == 4 && status.detail() == 7;
        String type = peer.isPresent() && !expired ? "smtp; " : "x-slipstream; ";
        return peer.map(name -> ReportField.of("Remote-MTA", "dns; " + name)).orElse("")
                + field.apply("Diagnostic-Code", type + last.reply());
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

    private String original(String original) {
        int end = original.indexOf(';');
        return end < 0
                ? ReportField.typed("rfc822", original)
                : ReportField.typed(original.substring(0, end).strip(), readable(original.substring(end + 1).strip()));
    }

    // ORCPT may hold Unicode as numbers (RFC 6533 section 3, utf-8-addr-xtext).
    private String readable(String address) {
        return report.isInternational()
                ? XTEXT.matcher(address).replaceAll(found -> Matcher.quoteReplacement(character(found.group(1))))
                : address;
    }

    private static String character(String hex) {
        int c = Integer.parseInt(hex, 16);
        return Character.isValidCodePoint(c) ? Character.toString(c) : "?";
    }
}
