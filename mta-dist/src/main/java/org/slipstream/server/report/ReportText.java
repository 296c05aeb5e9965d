package org.slipstream.server.report;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Outcome;
import org.slipstream.core.text.Controls;
import org.slipstream.spool.Spool;

import java.util.Optional;

/// The part for people. Says first what happened and whether there is something to do, then for whom and why, then for the
/// technician the words in which the refusal came.
final class ReportText {
    private ReportText() {}

    /// Lines with CRLF, without control characters; any length, any script.
    static String of(DeliveryReport report) {
        StringBuilder text = new StringBuilder();
        line(text, "This is the mail server " + report.hostname() + ".");
        line(text, "");
        switch (report.kind()) {
            case FAILED -> {
                line(text, "Your message could not be delivered to the recipients below. For them it");
                line(text, "will not be tried again. Recipients that are not listed here are not");
                line(text, "affected.");
            }
            case DELAYED -> {
                line(text, "Your message has not yet been delivered to the recipients below. You need");
                line(text, "not do anything: it will be tried again until");
                line(text, report.written(report.retryUntil()) + ".");
            }
            case SUCCEEDED -> {
                line(text, "You asked to hear of it: your message has been delivered to the recipients");
                line(text, "below. Where the next server is named, it has taken the message and is");
                line(text, "responsible for it now; no more is known here.");
            }
        }
        report.about().forEach(state -> recipient(text, state));
        line(text, "");
        line(text, "Your message came in on " + report.written(report.arrival()));
        line(text, "and is known here as " + report.message().summary().id() + ".");
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

    /// RFC 3463, for those who do not know it by heart. Its words where they are clear, and nothing where we can only guess.
    private static Optional<String> plainWords(EnhancedStatus status) {
        return Optional.ofNullable(switch (status.subject() + "." + status.detail()) {
            case "1.1" -> "There is no mailbox of this name.";
            case "1.2" -> "There is no such domain; is the address spelled right?";
            case "1.10" -> "This domain does not take mail at all.";
            case "2.1" -> "The mailbox is closed at present.";
            case "2.2" -> "The mailbox is full.";
            case "2.3", "3.4" -> "The message is too large.";
            case "4.1" -> "The other server could not be reached.";
            case "4.2" -> "The connection to the other server broke.";
            case "4.3" -> "The domain's name servers did not answer.";
            case "4.4" -> "It is not known which server takes mail for this domain.";
            case "4.6" -> "The message goes round in a circle between servers.";
            case "4.7" -> "It was tried for as long as is permitted.";
            case "6.7" -> "The other server does not take such addresses.";
            case "7.1" -> "The other server does not permit it.";
            default -> null;
        });
    }

    // Foreign text must not begin a line of its own.
    private static void line(StringBuilder text, String line) {
        text.append(Controls.replaced(line)).append("\r\n");
    }
}
