package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.slipstream.it.fixture.MailAccount;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// The page on reliability names tests that exist, and its figures add up. The figures are those of
/// a run: after the integration tests, `-Dslipstream.golden=write` takes them from their accounts.
class ReliabilityPageTest {
    private static final Path PAGE = Path.of("../docs/reliability.md");
    private static final Pattern TEST = Pattern.compile("`(\\w+IT)`");
    private static final Pattern ROW = Pattern.compile("\\| (`\\w+IT`|sum) \\|( \\d+ \\|){7}");

    @Test
    void theTestsOfThePageExist() throws IOException {
        assertThat(TEST.matcher(page()).results().map(match -> match.group(1)).distinct())
                .isNotEmpty()
                .allMatch(name -> Files.exists(Path.of("src/test/java/org/slipstream/it", name + ".java")));
    }

    /// Columns: class, accounts, acknowledged, delivered, bounced, queued, further copies, bound.
    @Test
    void theFiguresBalance() throws IOException {
        if ("write".equals(System.getProperty("slipstream.golden"))) {
            writeFiguresOfTheLastRun();
        }
        var rows = page().lines().filter(line -> ROW.matcher(line).matches()).map(ReliabilityPageTest::numbers)
                .toList();
        assertThat(rows).hasSizeGreaterThan(2).allSatisfy(row -> {
            assertThat(row.get(1)).as("acknowledged").isEqualTo(row.get(2) + row.get(3) + row.get(4));
            assertThat(row.get(5)).as("further copies").isLessThanOrEqualTo(row.get(6));
        });
        var parts = rows.subList(0, rows.size() - 1);
        assertThat(rows.getLast()).isEqualTo(IntStream.range(0, 7)
                .mapToObj(column -> parts.stream().mapToInt(row -> row.get(column)).sum()).toList());
    }

    private static void writeFiguresOfTheLastRun() throws IOException {
        var rows = new TreeMap<String, List<Integer>>();
        lastOfEachStory().values().forEach(
                row -> rows.merge("`" + row[0] + "`", figures(row), ReliabilityPageTest::sum));
        rows.values().stream().reduce(ReliabilityPageTest::sum).ifPresent(sum -> rows.put("sum", sum));
        var table = rows.entrySet().stream().map(row -> "| " + row.getKey() + " | "
                + row.getValue().stream().map(String::valueOf).collect(Collectors.joining(" | ")) + " |").toList();
        var lines = new ArrayList<>(page().lines().toList());
        int first = IntStream.range(0, lines.size()).filter(i -> ROW.matcher(lines.get(i)).matches()).findFirst()
                .orElseThrow();
        lines.removeIf(line -> ROW.matcher(line).matches());
        lines.addAll(first, table);
        Files.write(PAGE, lines);
    }

    /// A story may count more than once: while the mail waits, and at its end.
    private static Map<String, String[]> lastOfEachStory() throws IOException {
        return Files.readAllLines(MailAccount.FIGURES).stream().map(line -> line.split("\t"))
                .collect(Collectors.toMap(row -> row[0] + "/" + row[1], row -> row, (_, last) -> last));
    }

    /// One account, then the figures of its row.
    private static List<Integer> figures(String[] row) {
        return Stream.concat(Stream.of(1), Arrays.stream(row).skip(2).map(Integer::valueOf)).toList();
    }

    private static List<Integer> sum(List<Integer> one, List<Integer> other) {
        return IntStream.range(0, one.size()).mapToObj(i -> one.get(i) + other.get(i)).toList();
    }

    private static List<Integer> numbers(String row) {
        return Pattern.compile("\\| (\\d+) (?=\\|)").matcher(row).results()
                .map(match -> Integer.valueOf(match.group(1))).toList();
    }

    private static String page() throws IOException {
        return Files.readString(PAGE);
    }
}
