package org.slipstream.server.report;

import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientState;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The part for people, from the template of its kind. For each recipient it says the meaning of
/// the last reply and the sender's next step; then it gives the host, the time and the reply itself
/// for administrators.
///
/// Recipients are named up to [#MOST_CHARS]. A line then has the number of the others, and the part
/// for programs names all.
final class ReportText {
    /// Half of a report's text. No person reads more, and a peer chooses the replies: without a
    /// bound, 10,000 of them make a report that is larger than any permitted message.
    static final int MOST_CHARS = 512 * 1024;

    private ReportText() {}

    /// Lines with CRLF; any length, any script.
    static String of(DeliveryReport report, ReportTemplate template) {
        List<String> recipients = new ArrayList<>();
        int chars = 0;
        for (int i = 0; i < report.about().size(); i++) {
            if (chars > MOST_CHARS) {
                recipients.add("");
                recipients.add("  and " + (report.about().size() - i) + " more recipients, which the delivery status in"
                        + " this report names.");
                break;
            }
            List<String> next = recipient(report, report.about().get(i));
            chars += next.stream().mapToInt(String::length).sum();
            recipients.addAll(i == 0 ? next.subList(1, next.size()) : next);
        }
        List<String> lines = new ArrayList<>(template.text(report, recipients));
        if (report.original().isEmpty()) {
            lines.add("The message itself could not be read and is not returned.");
        }
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append("\r\n"));
        return text.toString();
    }

    private static List<String> recipient(DeliveryReport report, RecipientState state) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add("  <" + state.recipient().address() + ">");
        state.recipient().original().map(ReportText::address)
                .filter(meant -> !meant.equalsIgnoreCase(state.recipient().address().toString()))
                .ifPresent(meant -> lines.add("    which you wrote as <" + meant + ">"));
        Optional<Outcome> last = state.last();
        if (last.isEmpty()) {
            lines.add("    not tried yet");
            return lines;
        }
        if (!(last.get() instanceof Outcome.Delivered)) {
            PlainWords words = PlainWords.of(last.get().reply().statusOrGeneral());
            lines.addAll(List.of(words.meaning(), words.advice()).stream().filter(each -> !each.isEmpty())
                    .map(each -> "    " + each).toList());
        }
        if (state.atMillis() > 0) {
            lines.add("    On " + report.written(Instant.ofEpochMilli(state.atMillis())));
        }
        lines.add("    " + (last.get().remote().contains("[")
                ? last.get().remote() + " replied:"
                : "this server noted:"));
        lines.add("    " + last.get().reply());
        return lines;
    }

    private static String address(String original) {
        return original.substring(original.indexOf(';') + 1).strip();
    }
}
