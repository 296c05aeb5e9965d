package org.slipstream.server.report;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Outcome;
import org.slipstream.core.text.Controls;
import org.slipstream.spool.Spool;

import java.util.Optional;

/// The part for people. It says first what happened and whether the reader has to act, then for
/// which recipients and why, then gives the original reply for administrators.
final class ReportText {
    private ReportText() {}

    /// Lines with CRLF, without control characters; any length, any script.
    static String of(DeliveryReport report) {
        StringBuilder text = new StringBuilder();
        line(text, "This is the mail server " + report.hostname() + ".");
        line(text, "");
        switch (report.kind()) {
            case FAILED -> {
                line(text, "Your message could not be delivered to the recipients below. Delivery to");
                line(text, "them will not be tried again. Recipients that are not listed here are not");
                line(text, "affected.");
            }
            case DELAYED -> {
                line(text, "Your message has not yet been delivered to the recipients below. You need");
                line(text, "not do anything: delivery will be tried again until");
                line(text, report.written(report.retryUntil()) + ".");
            }
            case SUCCEEDED -> {
                line(text, "You asked for this confirmation: your message has been delivered to the recipients");
                line(text, "below. Where the next server is named, that server has accepted the message");
                line(text, "and is responsible for it now; nothing further is known here.");
            }
        }
        report.about().forEach(state -> recipient(text, state));
        line(text, "");
        line(text, "Your message arrived on " + report.written(report.arrival()));
        line(text, "and has the queue id " + report.message().summary().id() + ".");
        line(text, "For questions write to <" + report.postmaster() + "> and include this report.");
        if (report.original().isEmpty()) {
            line(text, "The message itself could not be read and is not returned.");
        }
        return text.toString();
    }

    private static void recipient(StringBuilder text, Spool.RecipientState state) {
        line(text, "");
        line(text, "  <" + state.recipient().address() + ">");
        state.recipient().original().map(ReportText::address)
                .filter(meant -> !meant.equalsIgnoreCase(state.recipient().address().toString()))
                .ifPresent(meant -> line(text, "    which you wrote as <" + meant + ">"));
        Optional<Outcome> last = state.last();
        last.filter(outcome -> !(outcome instanceof Outcome.Delivered))
                .flatMap(outcome -> plainWords(outcome.reply().statusOrGeneral()))
                .ifPresent(why -> line(text, "    " + why));
        line(text, "    " + last.map(outcome -> outcome.reply().toString()).orElse("not tried yet"));
        last.map(Outcome::remote).filter(remote -> remote.contains("[")).ifPresent(
                remote -> line(text, "    at " + remote));
    }

    private static String address(String original) {
        return original.substring(original.indexOf(';') + 1).strip();
    }

    /// RFC 3463 codes in plain words, where their meaning is clear; empty otherwise.
    private static Optional<String> plainWords(EnhancedStatus status) {
        return Optional.ofNullable(switch (status.subject() + "." + status.detail()) {
            case "1.1" -> "There is no mailbox of this name.";
            case "1.2" -> "There is no such domain; is the address spelled correctly?";
            case "1.10" -> "This domain does not accept mail.";
            case "2.1" -> "The mailbox is disabled.";
            case "2.2" -> "The mailbox is full.";
            case "2.3", "3.4" -> "The message is too large.";
            case "4.1" -> "The other server could not be reached.";
            case "4.2" -> "The connection to the other server was lost.";
            case "4.3" -> "The domain's name servers did not answer.";
            case "4.4" -> "No mail server for this domain could be determined.";
            case "4.6" -> "A mail loop between servers was detected.";
            case "4.7" -> "The message expired: it could not be delivered in the permitted time.";
            case "6.7" -> "The other server does not accept such addresses.";
            case "7.1" -> "The other server refused the message for policy reasons.";
            default -> null;
        });
    }

    // Text from remote systems must not add lines.
    private static void line(StringBuilder text, String line) {
        text.append(Controls.replaced(line)).append("\r\n");
    }
}
