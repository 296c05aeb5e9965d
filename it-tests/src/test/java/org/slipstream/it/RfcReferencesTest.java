package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// A reference to an RFC names a section that exists, and docs/rfc5321.md lists the sections of
/// RFC 5321 that no main code mentions. The table of sections is `rfc-sections.txt`.
class RfcReferencesTest {
    private static final String SECTION = "(?:\\d+(?:\\.\\d+)*|[A-Z](?:\\.\\d+)*(?![\\w-]))";
    private static final Pattern REFERENCE = Pattern.compile("\\bRFC (\\d+)(?:,? (?:sections?|appendix) (" + SECTION
            + "(?:(?:, and |, | and | to )" + SECTION + ")*))?");
    private static final Pattern COMMENT_MARK = Pattern.compile("^\\s*(?:///?|\\*)?\\s*");
    private static final Pattern ROW = Pattern.compile("\\| (" + SECTION + ") .*\\| .+ \\|");

    /// @param section empty for the whole RFC
    private record Reference(String rfc, String section) {}

    private static SourceTree tree;
    private static Map<String, Set<String>> sections;

    @BeforeAll
    static void read() throws IOException {
        tree = SourceTree.ofThisBuild();
        sections = table();
    }

    private static Map<String, Set<String>> table() throws IOException {
        Map<String, Set<String>> table = new HashMap<>();
        String rfc = "";
        try (var in = RfcReferencesTest.class.getResourceAsStream("/rfc-sections.txt")) {
            for (String line : new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines()
                    .filter(each -> !each.startsWith("#")).toList()) {
                List<String> words = new ArrayList<>(List.of(line.strip().split(" ")));
                if (!line.startsWith(" ")) {
                    rfc = words.removeFirst();
                }
                table.computeIfAbsent(rfc, _ -> new TreeSet<>()).addAll(words);
            }
        }
        return table;
    }

    /// A sentence of a comment goes on in the next line.
    private static List<Reference> references(List<SourceTree.Line> lines) {
        String text = lines.stream().map(line -> COMMENT_MARK.matcher(line.text()).replaceFirst(""))
                .collect(Collectors.joining(" "));
        return REFERENCE.matcher(text).results().flatMap(RfcReferencesTest::references).toList();
    }

    private static Stream<Reference> references(MatchResult found) {
        return found.group(2) == null
                ? Stream.of(new Reference(found.group(1), ""))
                : Pattern.compile(SECTION).matcher(found.group(2)).results()
                        .map(each -> new Reference(found.group(1), each.group()));
    }

    private static boolean isUnknown(Reference reference) {
        return !sections.containsKey(reference.rfc()) || !reference.section().isEmpty()
                && !sections.get(reference.rfc()).contains(reference.section());
    }

    @Test
    void eachSectionThatIsNamedExists() {
        List<SourceTree.Line> all = Stream.concat(tree.allJava().stream(), tree.pages().stream())
                .filter(line -> !line.file().endsWith("RfcReferencesTest.java")).toList();
        List<Reference> references = references(all);
        assertThat(references).hasSizeGreaterThan(500);
        assertThat(references.stream().filter(RfcReferencesTest::isUnknown)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"as RFC 5321 section 4.5.3 says, 0", "'(RFC 5321, section 4.9)', 1", "RFC 5231, 1",
            "RFC 5321 sections 3.1 and 3.99, 1", "RFC 5321 appendix Z, 1", "RFC 5321 section 3. RFC 7505, 0"})
    void aSectionThatDoesNotExistIsFound(String sentence, int wrong) {
        assertThat(references(List.of(new SourceTree.Line("A.java", 1, "    /// " + sentence))).stream()
                .filter(RfcReferencesTest::isUnknown)).hasSize(wrong);
    }

    @Test
    void aReferenceOverTwoLinesIsRead() {
        assertThat(references(List.of(new SourceTree.Line("A.java", 1, "    /// see RFC 5321 section"),
                new SourceTree.Line("A.java", 2, "    /// 4.99). Next."))))
                .containsExactly(new Reference("5321", "4.99"));
    }

    @Test
    void thePageListsTheSectionsOfSmtpThatNoCodeMentions() {
        Set<String> missing = new TreeSet<>(sections.get("5321"));
        references(tree.mainJava()).stream().filter(each -> each.rfc().equals("5321"))
                .forEach(each -> missing.remove(each.section()));
        assertThat(tree.pages().stream().filter(line -> line.file().equals("docs/rfc5321.md"))
                .map(line -> ROW.matcher(line.text())).filter(Matcher::matches).map(row -> row.group(1)))
                .containsExactlyInAnyOrderElementsOf(missing);
    }
}
