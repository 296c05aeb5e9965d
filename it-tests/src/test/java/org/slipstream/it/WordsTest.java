package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// The rules for names and prose that a program can check. The rules themselves are in
/// CONTRIBUTING.md.
class WordsTest {
    private static final int JAVA_COLUMNS = 120;
    private static final int PAGE_COLUMNS = 100;

    /// Old-fashioned words, and verbs that make persons of things.
    private static final Pattern PHRASE = Pattern
            .compile("\\b(nobody|somebody|anybody|anew|for ever|seldom|whoever|whosoever|he who|thereby|hitherto"
                    + "|whilst|henceforth|farewell|owes|owed|hears)\\b", Pattern.CASE_INSENSITIVE);
    /// A sentence needs a noun as its subject.
    private static final Pattern SUBJECT = Pattern
            .compile("(?:^|(?<=[.!] ))(?:Who|Whoever|Nobody|Somebody|What|Whatever)\\b[^?]*$");

    private static final Pattern TICKED = Pattern.compile("`([^`]+)`");
    private static final Pattern TYPE_NAME = Pattern
            .compile("(?:[a-z]\\w*\\.)*((?:[A-Z][a-z0-9]\\w*)(?:\\.[A-Z][a-z0-9]\\w*)*)"
                    + "(?:[.#][a-z]\\w*(?:\\([^)]*\\))?)?");
    private static final Pattern EVENT = Pattern.compile("event=([a-z0-9-]+)");

    private static final Pattern STATEMENT = Pattern
            .compile("\"event=([a-z0-9-]+)((?:[^;]|;(?!\\s*\\n))*?);\\s*\\n");
    private static final Pattern KEY = Pattern.compile("(?:^|[ \"])([a-z][a-z-]*)=");

    private static final Pattern STRING = Pattern.compile("\"((?:\\\\.|[^\"\\\\])*)\"");
    private static final Pattern UNBREAKABLE = Pattern
            .compile(" *[|#].*|    .*|\\S+| *\\S*\\]\\(\\S+|.*`[^`]{50,}`.*|\\S* \\S*");

    /// Names in documentation that are not ours: the RFCs', the JDK's, other programs'.
    private static final Path FOREIGN = Path.of("docs/foreign-names.txt");

    /// The command of an installed program is `mta`. The laboratory is used in a source tree.
    private static final Pattern SOURCE_COMMAND = Pattern.compile("(?<![\\w/.])\\./mta(?!\\.toml| lab)\\b");
    /// Pages of the source tree, where the program is called by its path.
    private static final Set<String> SOURCE_PAGES = Set.of("README.md", "CONTRIBUTING.md", "docs/install.md",
            "docs/performance.md", "docs/scenarios.md", "docs/studies.md", "examples/README.md",
            "examples/servers/README.md");
    private static final List<String> SOURCE_FOLDERS = List.of("docs/course/", "docs/adr/", "mta-");

    private static SourceTree tree;
    private static List<SourceTree.Line> mainJava;
    private static List<SourceTree.Line> pages;

    @BeforeAll
    static void read() {
        tree = SourceTree.ofThisBuild();
        mainJava = tree.mainJava();
        pages = tree.pages();
        assertThat(mainJava).as("the main code was found").hasSizeGreaterThan(10_000);
        assertThat(pages).as("the pages were found").hasSizeGreaterThan(1_000);
    }

    @Test
    void noSimpleNameStandsTwiceInMainCode() {
        assertThat(doubles(SourceTree.types(mainJava))).isEmpty();
    }

    @Test
    void namesInDocumentationExistInTheCode() throws Exception {
        Set<String> known = SourceTree.types(tree.allJava()).stream().map(SourceTree.Type::name)
                .collect(Collectors.toCollection(HashSet::new));
        known.addAll(Files.readAllLines(tree.root().resolve(FOREIGN)));
        known.addAll(namesOfTheSpecification());
        assertThat(unknown(current(pages), known)).isEmpty();
    }

    private static Set<String> namesOfTheSpecification() throws IOException {
        Set<String> names = new HashSet<>();
        try (Stream<Path> modules = Files.list(tree.root().resolve("spec"))) {
            for (Path module : (Iterable<Path>) modules.filter(file -> file.toString().endsWith(".tla"))::iterator) {
                Pattern.compile("\\w+").matcher(Files.readString(module)).results().map(MatchResult::group)
                        .forEach(names::add);
            }
        }
        return names;
    }

    @Test
    void eventsInDocumentationAreLoggedByTheCode() {
        Set<String> logged = events(mainJava);
        assertThat(logged).isNotEmpty();
        assertThat(events(pages)).isSubsetOf(logged);
    }

    @Test
    void everyEventOfTheLogIsDocumented() {
        assertThat(events(pages.stream().filter(line -> line.file().equals("docs/logging.md")).toList()))
                .containsExactlyInAnyOrderElementsOf(events(mainJava));
    }

    /// The keys in one statement with the event's name; keys that a program adds later are in the
    /// page only.
    @Test
    void everyKeyOfAnEventIsDocumented() {
        Map<String, String> rows = pages.stream().filter(line -> line.file().equals("docs/logging.md"))
                .map(SourceTree.Line::text).filter(text -> text.startsWith("| `event="))
                .collect(Collectors.toMap(text -> text.substring(9, text.indexOf('`', 3)), text -> text));
        assertThat(undocumentedKeys(mainJava, rows)).isEmpty();
    }

    @Test
    void pagesForOperatorsUseTheCommandOfAnInstalledProgram() {
        assertThat(sourceCommands(pages)).isEmpty();
    }

    @Test
    void linesAreNotTooLong() {
        assertThat(Stream.concat(tooLong(tree.allJava(), JAVA_COLUMNS).stream(), tooLong(pages, PAGE_COLUMNS).stream()))
                .isEmpty();
    }

    @Test
    void sentencesHaveNounsAsSubjectsAndNoOldFashionedWords() {
        assertThat(Stream.of(prose(pages), comments(tree.allJava()), texts(mainJava)).map(WordsTest::phrases)
                .flatMap(List::stream)).isEmpty();
    }

    @Test
    void theRulesFindWhatBreaksThem() {
        assertThat(doubles(
                SourceTree.types(List.of(line("A.java", "final class Wire {"), line("B.java", "class Wire {")))))
                .containsExactly("Wire: A.java, B.java");
        assertThat(doubles(SourceTree.types(List.of(line("A.java", "class Peer {"), line("B.java", "class House {"),
                line("B.java", "    record Peer() {}"))))).containsExactly("Peer: A.java, B.java");
        assertThat(doubles(
                SourceTree.types(List.of(line("A.java", "class Failed {"), line("B.java", "sealed interface Outcome {"),
                        line("B.java", "    record Failed() {}")))))
                .as("a case of a sealed family").isEmpty();
        assertThat(unknown(List.of(line("a.md", "see `qmgr.Anteroom` and `Envelope.sender`, not `Message-ID`")),
                Set.of("Envelope"))).containsExactly("a.md:1: qmgr.Anteroom");
        assertThat(current(List.of(line("a.md", "Superseded by ADR [46](0046-one-log.md)."),
                line("a.md", "`ClaimWriter`"), line("b.md", "Supersedes ADR 2.")))).extracting(SourceTree.Line::file)
                .containsExactly("b.md");
        assertThat(tooLong(List.of(line("A.java", "// " + "x ".repeat(58)), line("A.java", "/// " + "x ".repeat(60))),
                120)).hasSize(1);
        assertThat(tooLong(List.of(line("a.md", "x ".repeat(60)), line("a.md", "| " + "x ".repeat(60))), 100))
                .as("rows of tables may be long").hasSize(1);
        assertThat(sourceCommands(List.of(line("a.md", "`./mta check` and ./mta.toml"), line("a.md", "mta check"),
                line("a.md", "./mta lab list"), line("README.md", "./mta check")))).hasSize(1);
        assertThat(phrases(List.of(line("a.md", "Who wants a carrier to stop cuts the wire."),
                line("a.md", "Who is next? The scheduler says so."), line("a.md", "It is seldom asked."),
                line("a.md", "Mail waits. What follows is told."),
                line("a.md", "A delivery that shares a connection takes no slot."))))
                .hasSize(3);
        assertThat(phrases(prose(List.of(line("a.md", "| a folder | nobody; the server starts as without a cache |"),
                line("a.md", "| a full disk | Nobody is told. |"), line("a.md", "| Who | What it costs |"),
                line("a.md", "|---|---|"), line("a.md", "> Nobody is told."),
                line("a.md", "| a host | seldom asked |")))))
                .as("rows of tables, cell by cell").containsExactly("a.md:1: nobody", "a.md:1: Nobody",
                        "a.md:1: Nobody is told.",
                        "a.md:1: seldom");
        assertThat(phrases(comments(List.of(line("ATest.java", "    /// What a client reads."),
                line("ATest.java", "    assertThat(log).contains(\"Nobody is told.\");")))))
                .as("comments of tests").containsExactly("ATest.java:1: What a client reads.");
        assertThat(phrases(texts(List.of(line("A.java", "throw new IOException(\"Nobody takes the call\");"),
                line("A.java", "put(\"owed\", \"ends \\\"anew\\\"\");"),
                line("A.java", "/// \"It is seldom asked.\"")))))
                .as("a text has several words").containsExactly("A.java:1: Nobody", "A.java:1: Nobody takes the call");
        assertThat(undocumentedKeys(
                List.of(line("A.java", "LOG.info(\"event=login user={} password={}\", a, b);"), line("A.java", "")),
                Map.of("login", "| `event=login` | info | `user` | …"))).containsExactly("login password in A.java");
        assertThat(events(List.of(line("A.java", "LOG.warn(\"event=index-went-back from={}\""))))
                .containsExactly("index-went-back");
    }

    private static SourceTree.Line line(String file, String text) {
        return new SourceTree.Line(file, 1, text);
    }

    /// A top-level name is the only one of its kind. Cases of sealed families and private types are
    /// written inside or behind their owner and may share a name with each other.
    private static List<String> doubles(List<SourceTree.Type> types) {
        Map<String, Set<String>> files = types.stream()
                .filter(type -> type.depth() == 0 || !type.isPrivate() && !type.isCase())
                .collect(Collectors.groupingBy(SourceTree.Type::name,
                        Collectors.mapping(SourceTree.Type::file, Collectors.toCollection(TreeSet::new))));
        return files.entrySet().stream().filter(each -> each.getValue().size() > 1)
                .map(each -> each.getKey() + ": " + String.join(", ", each.getValue())).sorted().toList();
    }

    private static List<String> unknown(List<SourceTree.Line> lines, Set<String> known) {
        return lines.stream().flatMap(line -> TICKED.matcher(line.text()).results()
                .map(found -> found.group(1))
                .filter(name -> {
                    Matcher type = TYPE_NAME.matcher(name);
                    return type.matches() && !known.containsAll(List.of(type.group(1).split("\\.")));
                })
                .map(line::at)).toList();
    }

    /// Without decision records that a later one supersedes: they name classes that are gone.
    private static List<String> sourceCommands(List<SourceTree.Line> pages) {
        return pages.stream().filter(line -> !SOURCE_PAGES.contains(line.file())
                && SOURCE_FOLDERS.stream().noneMatch(line.file()::startsWith)
                && SOURCE_COMMAND.matcher(line.text()).find()).map(line -> line.at(line.text())).toList();
    }

    private static List<SourceTree.Line> current(List<SourceTree.Line> pages) {
        Set<String> superseded = pages.stream()
                .filter(line -> line.text().toLowerCase(Locale.ROOT).contains("superseded by adr"))
                .map(SourceTree.Line::file).collect(Collectors.toSet());
        return pages.stream().filter(line -> !superseded.contains(line.file())).toList();
    }

    private static Set<String> events(List<SourceTree.Line> lines) {
        return lines.stream().flatMap(line -> EVENT.matcher(line.text()).results()).map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> undocumentedKeys(List<SourceTree.Line> java, Map<String, String> rows) {
        Set<String> missing = new TreeSet<>();
        java.stream().collect(Collectors.groupingBy(SourceTree.Line::file,
                Collectors.mapping(SourceTree.Line::text, Collectors.joining("\n")))).forEach((file, text) -> {
                    Matcher statement = STATEMENT.matcher(text);
                    while (statement.find()) {
                        String event = statement.group(1);
                        KEY.matcher(statement.group(2)).results().map(key -> key.group(1))
                                .filter(key -> !rows.getOrDefault(event, "").contains("`" + key + "`"))
                                .forEach(key -> missing.add(event + " " + key + " in " + file));
                    }
                });
        return missing;
    }

    /// The formatter wraps code, so the limit of Java is checked in comments. Rows of tables, links
    /// and code may be longer.
    private static List<String> tooLong(List<SourceTree.Line> lines, int columns) {
        List<String> found = new ArrayList<>();
        boolean inCode = false;
        String file = "";
        for (SourceTree.Line line : lines) {
            inCode = inCode && line.file().equals(file);
            file = line.file();
            boolean page = file.endsWith(".md");
            String text = line.text();
            String prose = page ? text : text.strip().replaceFirst("^///? ?", "");
            boolean fence = prose.startsWith("```");
            boolean checked = page || text.strip().startsWith("//");
            if (checked && !inCode && !fence && !UNBREAKABLE.matcher(prose).matches()
                    && text.codePointCount(0, text.length()) > columns) {
                found.add(line.at(text.length() + " columns"));
            }
            inCode ^= fence;
        }
        return found;
    }

    private static List<SourceTree.Line> comments(List<SourceTree.Line> java) {
        return java.stream().filter(line -> line.text().strip().startsWith("//"))
                .map(line -> new SourceTree.Line(line.file(), line.number(),
                        line.text().strip().replaceFirst("^/+ ?", "")))
                .toList();
    }

    /// Without code and quotations, whose words have other authors, and without the headings of tables.
    /// Each cell of a table is a line of its own.
    private static List<SourceTree.Line> prose(List<SourceTree.Line> pages) {
        List<SourceTree.Line> found = new ArrayList<>();
        boolean inCode = false;
        for (int i = 0; i < pages.size(); i++) {
            SourceTree.Line line = pages.get(i);
            String text = line.text().strip();
            inCode ^= text.startsWith("```");
            boolean heading = i + 1 < pages.size() && pages.get(i + 1).text().startsWith("|---");
            if (inCode || heading || text.startsWith(">") || text.startsWith("`") || line.text().startsWith("    ")) {
                continue;
            }
            (text.startsWith("|") ? cells(line) : Stream.of(line)).forEach(found::add);
        }
        return found;
    }

    private static Stream<SourceTree.Line> cells(SourceTree.Line row) {
        return Stream.of(row.text().split("\\|")).map(String::strip)
                .map(cell -> new SourceTree.Line(row.file(), row.number(), cell));
    }

    /// The strings of a program that consist of several words and are not lines of the log.
    private static List<SourceTree.Line> texts(List<SourceTree.Line> java) {
        return java.stream().filter(line -> !line.text().strip().startsWith("//"))
                .flatMap(line -> STRING.matcher(line.text()).results().map(found -> found.group(1))
                        .filter(text -> text.contains(" ") && !text.contains("event="))
                        .map(text -> new SourceTree.Line(line.file(), line.number(), text)))
                .toList();
    }

    private static List<String> phrases(List<SourceTree.Line> lines) {
        return lines.stream().flatMap(line -> {
            String text = line.text().replaceAll("`[^`]*`|\"[^\"]*\"|“[^”]*”|\\*[^*]+\\*", "x");
            return Stream.of(PHRASE, SUBJECT).map(rule -> rule.matcher(text)).filter(Matcher::find)
                    .map(found -> line.at(found.group()));
        }).toList();
    }
}
