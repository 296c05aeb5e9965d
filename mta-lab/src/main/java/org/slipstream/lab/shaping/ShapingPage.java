package org.slipstream.lab.shaping;

import org.slipstream.lab.shaping.ShapingTrial.TrialCurves;
import org.slipstream.lab.shaping.ShapingTrial.TrialReport;
import org.slipstream.picture.LivePictures;
import org.slipstream.picture.LivePictures.Curve;
import org.slipstream.picture.Markup;
import org.slipstream.picture.Template;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongFunction;

/// A trial of rules as one page that needs no other file: the sums of both runs, their curves over the
/// same time, and the rules that came into force.
public final class ShapingPage {
    private static final Template PAGE = Template.of(ShapingPage.class, "/page/shaping.html");
    private static final String WITHOUT = "without";
    private static final String WITH = "with rules";

    private ShapingPage() {}

    /// The sums of both runs as rows: a name, without rules, with rules.
    ///
    /// @param time a duration in words, from milliseconds
    public static List<List<String>> rows(TrialReport report, LongFunction<String> time) {
        return List.of(row(report, "recipients delivered", run -> Long.toString(run.delivered())),
                row(report, "refusals of hosts", run -> Long.toString(run.refused())),
                row(report, "recipients refused for good", run -> Long.toString(run.failed())),
                row(report, "messages left at the end", run -> Integer.toString(run.waiting())),
                row(report, "greatest age of a message", run -> time.apply(run.oldestSeconds() * 1000)),
                row(report, "end of the run after", run -> time.apply(run.endMillis())));
    }

    private static List<String> row(TrialReport report, String name, Function<TrialCurves, String> figure) {
        return List.of(name, figure.apply(report.without()), figure.apply(report.with()));
    }

    /// @param title names the rules and the journal
    /// @param moment in words, from milliseconds since 1970
    /// @param time a duration in words, from milliseconds
    public static String of(TrialReport report, String title, LongFunction<String> moment,
            LongFunction<String> time) {
        return PAGE.fill(Map.of("style", LivePictures.style(), "title", title, "from",
                moment.apply(report.fromMillis()),
                "to", moment.apply(report.fromMillis()
                        + report.without().deliveries().size() * report.bucketMillis()),
                "bucket", time.apply(report.bucketMillis()), "remarks", report.remarks(), "assumptions",
                report.assumptions(), "rows",
                rows(report, time).stream()
                        .map(row -> Map.of("name", row.get(0), "without", row.get(1), "with", row.get(2))).toList(),
                "charts", List.of(chart(report, "deliveries", TrialCurves::deliveries),
                        chart(report, "refusals", TrialCurves::refusals),
                        chart(report, "age of the oldest message, in seconds", TrialCurves::ages)),
                "rules", report.rules().stream()
                        .map(each -> Map.of("rule", each.rule(), "subject", each.subject(), "first",
                                moment.apply(each.firstMillis()), "times", each.times(), "reply", each.reply()))
                        .toList()));
    }

    private static Map<String, Markup> chart(TrialReport report, String title,
            Function<TrialCurves, List<Long>> values) {
        return Map.of("picture", LivePictures.curves(List.of(curve(WITHOUT, values.apply(report.without())),
                curve(WITH, values.apply(report.with()))), title));
    }

    private static Curve curve(String name, List<Long> values) {
        return new Curve(name, values.stream().mapToDouble(Long::doubleValue).toArray());
    }
}
