package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.lab.scenario.BundledScenarios;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import static org.assertj.core.api.Assertions.assertThat;

/// The course keeps its promises: the output of each experiment is current, the patch of each exercise
/// fits the sources, and the changed line has the stated effect. `-Dslipstream.golden=write` writes the
/// outputs into the pages.
class CourseTest {
    private static final Path ROOT = Path.of("..");
    private static final Path COURSE = ROOT.resolve("docs/course");
    private static final int EVENINGS = 8;
    private static final Pattern OUTPUT = Pattern
            .compile("<!-- written by CourseTest -->\n```text\n\\$ (.*)\n(?s:.*?)```\n");
    private static final Pattern PICTURE = Pattern
            .compile("\\(`(\\./mta lab run \\S+) --svg picture.svg`\\):\\s+!\\[[^]]+]\\((\\S+\\.svg)\\)");
    private static final Pattern SCENARIO = Pattern.compile("\\./mta lab run ([a-z0-9-]+)(?=[\\s`])");
    /// It stands on a slide, in large letters; `site/evenings.js` has the room for the other texts.
    private static final Pattern REMEMBER = Pattern.compile("(?m)^> \\*\\*To remember\\.\\*\\* ((?:.*\n> )*.*)\n(?!>)");
    private static final int REMEMBER_CHARS = 120;
    private static final Map<String, String> UNCHANGED = new ConcurrentHashMap<>();

    @TempDir
    private Path folder;

    static List<CoursePatch> patches() throws IOException {
        try (Stream<Path> files = Files.list(COURSE.resolve("solutions"))) {
            return files.sorted().map(CoursePatch::read).toList();
        }
    }

    static List<Path> evenings() {
        return IntStream.rangeClosed(1, EVENINGS).mapToObj(n -> COURSE.resolve("evening-" + n + ".md")).toList();
    }

    @Test
    void everyEveningHasTwoExercises() throws IOException {
        assertThat(patches()).extracting(CoursePatch::id).containsExactlyElementsOf(
                IntStream.rangeClosed(1, EVENINGS).boxed().flatMap(n -> Stream.of(n + "-1", n + "-2")).toList());
    }

    @ParameterizedTest
    @MethodSource("patches")
    void aChangedLineHasTheStatedEffect(CoursePatch patch) throws Exception {
        assertThat(patch.changedLines()).as("one line is changed").isOne();
        assertThat(patch.before()).isNotEqualTo(patch.after());
        assertThat(patch.figureIn(unchanged(patch.command()))).isEqualTo(patch.before());
        assertThat(patch.figureIn(changed(patch))).isEqualTo(patch.after());
    }

    /// As the page says; git is stricter than the test above.
    @ParameterizedTest
    @MethodSource("patches")
    void gitAppliesASolution(CoursePatch patch) throws Exception {
        Process git = new ProcessBuilder("git", "apply", "--check", "docs/course/solutions/" + patch.id() + ".patch")
                .directory(ROOT.toFile()).redirectErrorStream(true).start();
        assertThat(new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEmpty();
        assertThat(git.waitFor()).isZero();
    }

    @ParameterizedTest
    @MethodSource("patches")
    void thePageNamesTheCommandAndTheFiguresOfTheExercise(CoursePatch patch) throws IOException {
        assertThat(Files.readString(evenings().get(Integer.parseInt(patch.id().split("-")[0]) - 1)))
                .contains("solutions/" + patch.id() + ".patch", patch.command(),
                        "| " + patch.figure() + " | " + patch.before() + " | " + patch.after() + " |");
    }

    @ParameterizedTest
    @MethodSource("evenings")
    void theOutputsOfTheExperimentsAreCurrent(Path page) throws IOException {
        String text = Files.readString(page);
        String current = OUTPUT.matcher(text)
                .replaceAll(box -> Matcher.quoteReplacement("<!-- written by CourseTest -->\n"
                        + "```text\n$ " + box.group(1) + "\n" + unchanged(box.group(1)).stripTrailing() + "\n```\n"));
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(page, current);
        }
        assertThat(OUTPUT.matcher(text).results()).as("an experiment").isNotEmpty();
        assertThat(text).isEqualTo(current);
    }

    /// Essay, experiment, two changes, questions, credits, open questions and literature, in this order.
    @ParameterizedTest
    @MethodSource("evenings")
    void anEveningHasAllItsParts(Path page) throws IOException {
        String number = page.getFileName().toString().replaceAll("\\D", "");
        assertThat(Files.readString(page).lines().filter(line -> line.startsWith("## "))
                .map(line -> line.replaceAll("(## Exercise \\S+).*", "$1"))).containsExactly("## Goals", "## Essay",
                        "## Reading", "## Experiment", "## Exercise " + number + "-1:",
                        "## Exercise " + number + "-2:", "## Questions", "## Found by", "## Still open",
                        "## Further reading");
    }

    @ParameterizedTest
    @MethodSource("evenings")
    void anEveningHasOneSentenceToRemember(Path page) throws IOException {
        assertThat(
                REMEMBER.matcher(Files.readString(page)).results().map(result -> result.group(1).replace("\n> ", " ")))
                .singleElement().asString().endsWith(".").hasSizeBetween(20, REMEMBER_CHARS);
    }

    /// `--svg` of the command that the page names.
    @ParameterizedTest
    @MethodSource("evenings")
    void thePictureOfAnEveningIsDrawnByItsCommand(Path page) throws IOException {
        Matcher named = PICTURE.matcher(Files.readString(page));
        assertThat(named.find()).as("a picture").isTrue();
        Path kept = COURSE.resolve(named.group(2));
        Path drawn = folder.resolve(kept.getFileName());
        CourseProgram.run(named.group(1) + " --svg " + drawn);
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.copy(drawn, kept, StandardCopyOption.REPLACE_EXISTING);
        }
        assertThat(drawn).hasSameTextualContentAs(kept);
    }

    /// Commands in the text have no frame, but a scenario.
    @ParameterizedTest
    @MethodSource("evenings")
    void everyScenarioThatAPageNamesExists(Path page) throws IOException {
        assertThat(SCENARIO.matcher(Files.readString(page)).results().map(result -> result.group(1)))
                .allSatisfy(name -> assertThat(BundledScenarios.find(name)).as(name).isPresent());
    }

    private static String unchanged(String command) {
        return UNCHANGED.computeIfAbsent(command, CourseProgram::run);
    }

    /// The output with the patched class in front of the class path, in a class loader of its own.
    private String changed(CoursePatch patch) throws Exception {
        String source = Files.readString(ROOT.resolve(patch.file()));
        assertThat(source.split(Pattern.quote(patch.oldText()), -1)).as("the patch fits at one place").hasSize(2);
        Path changed = folder.resolve(Path.of(patch.file()).getFileName());
        Files.writeString(changed, source.replace(patch.oldText(), patch.newText()));
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-nowarn", "-parameters",
                "-d", folder.toString(), "-cp", classPath, changed.toString())).as("the change compiles").isZero();
        List<Path> path = new ArrayList<>(List.of(folder));
        Stream.of(classPath.split(File.pathSeparator)).map(Path::of).forEach(path::add);
        try (URLClassLoader loader = new URLClassLoader(path.stream().map(CourseTest::url).toArray(URL[]::new),
                ClassLoader.getPlatformClassLoader())) {
            return (String) loader.loadClass(CourseProgram.class.getName()).getMethod("run", String.class).invoke(null,
                    patch.command());
        }
    }

    private static URL url(Path path) {
        try {
            return path.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(path.toString(), e);
        }
    }
}
