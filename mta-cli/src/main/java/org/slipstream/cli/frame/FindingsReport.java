package org.slipstream.cli.frame;

import org.slipstream.core.CheckFinding;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.text.Controls;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Prints the results of a check.
///
/// @param lacking the number of those that need work
public record FindingsReport(int lacking, List<FindingLine> findings) {
    /// One result, in JSON.
    public record FindingLine(String subject, String level, String text, Optional<String> record) {}

    /// @param of the thing that was checked
    /// @return the exit code: whether something is lacking
    public static int print(MtaCommand mta, boolean json, String of, List<CheckFinding> findings) {
        return print(mta, of, findings, json
                ? Optional.of(new FindingsReport(lacking(findings), lines(findings)))
                : Optional.empty());
    }

    /// @param json printed in place of the text
    public static int print(MtaCommand mta, String of, List<CheckFinding> findings, Optional<Record> json) {
        mta.world().out().println(json.map(RecordJson::write).orElseGet(() -> text(of, findings)));
        return lacking(findings) == 0 ? Exit.DONE : Exit.NO;
    }

    public static int lacking(List<CheckFinding> findings) {
        return (int) findings.stream().filter(CheckFinding::isLacking).count();
    }

    public static List<FindingLine> lines(List<CheckFinding> findings) {
        return findings.stream().map(finding -> new FindingLine(finding.subject(),
                SettingsRecords.word(finding.level()), finding.text(), finding.record())).toList();
    }

    private static String text(String of, List<CheckFinding> findings) {
        List<String> lines = new ArrayList<>();
        for (CheckFinding finding : findings) {
            lines.add("%-9s  %-11s  %s".formatted(SettingsRecords.word(finding.level()), finding.subject(),
                    Controls.replaced(finding.text())));
            finding.record().ifPresent(record -> lines.add(" ".repeat(24) + Controls.replaced(record)));
        }
        int lacking = lacking(findings);
        lines.add(lacking == 0
                ? of + ": nothing is lacking"
                : of + ": " + lacking + " of " + findings.size() + " results need work");
        return String.join(System.lineSeparator(), lines);
    }
}
