package org.slipstream.auth.aggregate;

import org.slipstream.auth.aggregate.AggregateReport.ReportRow;
import org.slipstream.auth.aggregate.ReportedMessage.ReportedSignature;
import org.slipstream.auth.report.ReportSource;
import org.slipstream.core.text.Controls;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// A report in words, for a reader who has never seen one: what passes, which sources fail, why, and
/// what to change. A line is one line, whatever the report holds.
public final class ReportSummary {
    private static final int MOST_SOURCES = 20;

    private ReportSummary() {}

    public static List<String> lines(AggregateReport report) {
        List<String> lines = new ArrayList<>();
        lines.add(report.source().title(report.policy().domain()));
        long all = report.messages();
        long failed = all - report.passed();
        lines.add("the policy is p=%s%s".formatted(report.policy().policy(), report.policy().testing()
                ? ", and it is only tested (t=y)"
                : ""));
        lines.add(ReportSource.counted(all, "message") + ": " + report.passed() + " pass, " + failed + " fail");
        report.source().error().ifPresent(error -> lines.add("the reporter found a fault: " + error));
        Map<String, Long> causes = causes(report);
        causes.entrySet().stream().sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
                .limit(MOST_SOURCES).forEach(cause -> lines.add("  " + cause.getValue() + "  " + cause.getKey()));
        if (causes.size() > MOST_SOURCES) {
            lines.add("  and " + (causes.size() - MOST_SOURCES) + " more sources");
        }
        lines.add(advice(report, failed));
        return lines.stream().map(Controls::onOneLine).toList();
    }

    /// Failed messages by source and cause.
    private static Map<String, Long> causes(AggregateReport report) {
        return report.rows().stream().filter(row -> !row.message().passes()).collect(Collectors.groupingBy(
                row -> row.message().source() + " as " + row.message().author() + ": " + cause(row.message()),
                LinkedHashMap::new, Collectors.summingLong(ReportRow::count)));
    }

    private static String cause(ReportedMessage message) {
        List<ReportedSignature> good = message.signatures().stream().filter(each -> each.result().equals("pass"))
                .toList();
        String dkim = !good.isEmpty()
                ? "signed by " + good.getFirst().domain() + ", which is another domain"
                : message.signatures().isEmpty()
                        ? "not signed"
                        : "the signature of " + message.signatures().getFirst().domain() + " is "
                                + message.signatures().getFirst().result();
        String spf = message.spf().map(each -> each.result().equals("pass")
                ? "SPF passes for " + each.domain() + ", which is another domain"
                : "SPF of " + each.domain() + " is " + each.result()).orElse("no SPF");
        return dkim + "; " + spf + "; " + done(message);
    }

    private static String done(ReportedMessage message) {
        return switch (message.disposition()) {
            case "reject" -> "refused";
            case "quarantine" -> "put aside";
            default -> "delivered";
        } + message.override().map(type -> " (" + type.replace('_', ' ') + ")").orElse("");
    }

    private static String advice(AggregateReport report, long failed) {
        if (failed == 0) {
            return report.policy().policy().equals("reject")
                    ? "nothing to do"
                    : "all mail passes; when reports stay like this, p=reject protects the name";
        }
        return "find out for each source whether it sends for you: if so, let it sign with d="
                + report.policy().domain() + " or put it into the SPF record; if not, the policy is what stops it";
    }
}
