package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.wake.RetryClause;
import org.slipstream.qmgr.wake.RetryTimes;
import org.slipstream.qmgr.wake.RetryTimes.RetryAttempt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/// `docs/retry.md` carries the times of the built-in policies between two marks.
class RetryPageTest {
    private static final Path PAGE = Path.of("../docs/retry.md");
    private static final String BEGIN = "<!-- times: written by RetryPageTest -->\n";
    private static final String END = "<!-- end of times -->\n";
    private static final List<Integer> SHOWN = List.of(2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30);

    /// When it fails after a change of policies: `-Dslipstream.golden=write`.
    @Test
    void thePageHasTheTimesAsTheyAre() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(PAGE, page.substring(0, begin) + table() + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).isEqualTo(table());
        }
    }

    private static String table() {
        QmgrConfig config = QmgrConfig.defaults();
        List<RetryClause> clauses = List.copyOf(config.retryPolicies().all().values());
        List<List<RetryAttempt>> times = clauses.stream()
                .map(clause -> RetryTimes.range(clause, config.lifetimeMillis(), 0, 1_000)).toList();
        StringBuilder table = new StringBuilder("\n| Attempt |");
        clauses.forEach(clause -> table.append(" `").append(clause.name()).append("` |"));
        table.append("\n|---|").append("---|".repeat(clauses.size())).append('\n');
        SHOWN.forEach(number -> table.append("| ").append(number).append(" |")
                .append(times.stream().map(each -> each.size() < number ? " |" : span(each.get(number - 1)) + " |")
                        .collect(Collectors.joining()))
                .append('\n'));
        table.append("| the last, then the message is returned |")
                .append(times.stream().map(each -> span(each.getLast()) + " |").collect(Collectors.joining()))
                .append('\n');
        return table.append("| attempts in five days |")
                .append(times.stream().map(each -> " " + each.size() + " |").collect(Collectors.joining()))
                .append("\n\n").toString();
    }

    private static String span(RetryAttempt attempt) {
        long seconds = attempt.afterMillis() / 1_000;
        return seconds < 3_600
                ? " %d min %02d s".formatted(seconds / 60, seconds % 60)
                : " %d h %02d min".formatted(seconds / 3_600, seconds / 60 % 60);
    }
}
