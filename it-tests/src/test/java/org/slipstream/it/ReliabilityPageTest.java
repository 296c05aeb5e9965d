package org.slipstream.it;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The page on reliability names tests that exist, and its figures add up.
class ReliabilityPageTest {
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

    private static List<Integer> numbers(String row) {
        return Pattern.compile("\\| (\\d+) (?=\\|)").matcher(row).results()
                .map(match -> Integer.valueOf(match.group(1))).toList();
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("../docs/reliability.md"));
    }
}
