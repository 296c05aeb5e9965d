package org.slipstream.it;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// docs/libraries.md names each exported package of the parts for other programs, and the examples use
/// only those that stay.
class LibrariesPageTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern EXPORT = Pattern.compile("exports org\\.slipstream\\.([\\w.]+);");
    private static final Pattern IMPORT = Pattern
            .compile("import (?:static )?org\\.slipstream\\.((?:[a-z]\\w*\\.)*[a-z]\\w*)\\.[A-Z]");

    private record Library(String module, List<String> stay, List<String> mayChange) {}

    @Test
    void eachExportedPackageIsInOneColumn() throws IOException {
        assertThat(libraries()).hasSize(6);
        for (Library library : libraries()) {
            Path sources = ROOT.resolve(library.module()).resolve("src/main/java");
            List<String> named = Stream.concat(library.stay().stream(), library.mayChange().stream()).toList();
            assertThat(named).as(library.module()).containsExactlyInAnyOrderElementsOf(exports(sources));
        }
    }

    @Test
    void theExamplesUseOnlyPackagesThatStay() throws IOException {
        List<String> stay = libraries().stream().flatMap(each -> each.stay().stream()).toList();
        List<String> used = new ArrayList<>();
        for (Path source : files(ROOT.resolve("examples"), ".java")) {
            used.addAll(matches(IMPORT, Files.readString(source)));
        }
        assertThat(stay).containsAll(used);
        assertThat(used).contains("smtpin", "qmgr", "spool.tools", "sink.server", "testkit.server");
    }

    private static List<Library> libraries() throws IOException {
        return Files.readAllLines(ROOT.resolve("docs/libraries.md")).stream().filter(line -> line.startsWith("| mta-"))
                .map(line -> line.split("\\|"))
                .map(cells -> new Library(cells[1].strip(), matches(CODE, cells[2]), matches(CODE, cells[3]))).toList();
    }

    /// The exports of a module; all packages of one that is no module.
    private static List<String> exports(Path sources) throws IOException {
        Path module = sources.resolve("module-info.java");
        if (Files.exists(module)) {
            return matches(EXPORT, Files.readString(module));
        }
        return files(sources, ".java").stream().map(Path::getParent).distinct()
                .map(folder -> sources.resolve("org/slipstream").relativize(folder).toString().replace('/', '.'))
                .toList();
    }

    private static List<Path> files(Path folder, String end) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.toString().endsWith(end) && !file.toString().contains("/target/")).toList();
        }
    }

    private static List<String> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult match) -> match.group(1)).toList();
    }
}
