package org.slipstream.world;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/// Mistakes that this project once made, put back: do the worlds find them?
///
/// Each mistake is a patch with its story in front. Its classes are compiled from the sources beside
/// this module, take the place of those of the program in a running JVM, and worlds run until one
/// fails. The sources stay as they are.
final class WorldBugs {
    /// Before the name of a mistake: the folder of its classes.
    static final String FOLDER = "bug-";
    private static final Pattern HUNTED = Pattern.compile("hunted bug=(\\S+) worlds=(\\d+) virtual=(\\S+) real=(\\S+)"
            + " (?:seed=(\\S+) trouble=(.*)|and not found)");
    private static final Pattern KINDS = Pattern.compile("worlds: ([a-z -]+)$");
    private static final int MOST_TEXT = 200;

    private final Path project;
    private final Path folder;
    private final PrintStream out;

    /// One mistake, put back.
    ///
    /// @param story in sentences: what was wrong
    /// @param kinds what a plan must have to be run with it, as [WorldPlan#hasAll] knows it; from the line `worlds:`
    /// @param sources the text of each changed file, by its path in the project
    record WorldBug(String name, String story, List<String> kinds, Map<String, String> sources) {
        /// @throws IllegalArgumentException when the patch does not fit the present sources
        static WorldBug read(Path patch, Path project) throws IOException {
            List<String> lines = Files.readAllLines(patch);
            int begin = 0;
            while (begin < lines.size() && !lines.get(begin).startsWith("--- a/")) {
                begin++;
            }
            String story = String.join(" ", lines.subList(0, begin)).strip();
            Matcher kinds = KINDS.matcher(story);
            List<String> needed = kinds.find() ? List.of(kinds.group(1).split(" ")) : List.of();
            story = kinds.replaceAll("").strip();
            Map<String, String> sources = new LinkedHashMap<>();
            String file = "";
            for (int i = begin; i < lines.size(); i++) {
                String line = lines.get(i);
                if (line.startsWith("+++ b/")) {
                    file = line.substring(6);
                    sources.putIfAbsent(file, Files.readString(project.resolve(file)));
                } else if (line.startsWith("@@")) {
                    List<String> hunk = lines.subList(i + 1, endOfHunk(lines, i + 1));
                    sources.put(file,
                            replaced(sources.get(file), side(hunk, '-'), side(hunk, '+'), patch + " " + line));
                }
            }
            if (story.isEmpty() || sources.isEmpty()) {
                throw new IllegalArgumentException(patch + " has no story, or changes nothing");
            }
            return new WorldBug(patch.getFileName().toString().replace(".patch", ""), story, needed, sources);
        }

        private static int endOfHunk(List<String> lines, int begin) {
            int end = begin;
            while (end < lines.size() && lines.get(end).matches("(?s)(?!--- a/)[-+ ].*|")) {
                end++;
            }
            return end;
        }

        /// The lines of a hunk that one side has.
        private static String side(List<String> hunk, char sign) {
            StringBuilder text = new StringBuilder("\n");
            for (String line : hunk) {
                if (!line.isEmpty() && (line.charAt(0) == ' ' || line.charAt(0) == sign)) {
                    text.append(line, 1, line.length()).append('\n');
                }
            }
            return text.toString();
        }

        /// The numbers of lines in a patch are for people: a hunk stands where its text stands.
        private static String replaced(String text, String before, String after, String hunk) {
            String whole = "\n" + text;
            int at = whole.indexOf(before);
            if (at < 0 || whole.indexOf(before, at + 1) >= 0) {
                throw new IllegalArgumentException(
                        (at < 0 ? "the sources have no place for " : "the sources have several places for ") + hunk);
            }
            return (whole.substring(0, at) + after + whole.substring(at + before.length())).substring(1);
        }

        /// Compiles the changed files.
        ///
        /// @param into a folder
        void compile(Path into) throws IOException {
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            List<Path> files = new ArrayList<>();
            for (Map.Entry<String, String> each : sources.entrySet()) {
                Path file = into.resolve("sources").resolve(each.getKey());
                Files.createDirectories(file.getParent());
                Files.writeString(file, each.getValue());
                files.add(file);
            }
            Path classes = Files.createDirectories(into.resolve("classes"));
            StringWriter text = new StringWriter();
            try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
                boolean good = compiler.getTask(text, manager, null,
                        List.of("-proc:none", "-nowarn", "-implicit:none", "-parameters", "-cp",
                                System.getProperty("java.class.path"), "-d", classes.toString()),
                        null, manager.getJavaFileObjectsFromPaths(files)).call();
                if (!good) {
                    throw new IllegalArgumentException(name + " does not compile: " + text);
                }
            }
        }
    }

    /// @param project the folder with all modules
    WorldBugs(Path project, Path folder, PrintStream out) {
        this.project = project;
        this.folder = folder;
        this.out = out;
    }

    static List<Path> patches(Path bugs) throws IOException {
        try (Stream<Path> all = Files.list(bugs)) {
            return all.filter(file -> file.toString().endsWith(".patch")).sorted().toList();
        }
    }

    /// Runs worlds with each of these mistakes, in one JVM, and writes the table.
    ///
    /// @param minutes of real time for each
    boolean hunt(List<Path> patches, long minutes, long firstSeed) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(
                List.of(folder.toString(), "hunt", String.valueOf(minutes), String.valueOf(firstSeed)));
        Map<String, WorldBug> bugs = new LinkedHashMap<>();
        for (Path patch : patches) {
            WorldBug bug = WorldBug.read(patch, project);
            bug.compile(Files.createDirectories(folder.resolve(FOLDER + bug.name())));
            bugs.put(bug.name(), bug);
            arguments.add(bug.name() + ":" + String.join(",", bug.kinds()));
        }
        Process worlds = new ProcessBuilder(WorldProcess.command(folder, System.getProperty("java.class.path"),
                WorldMain.class.getName(), arguments)).redirectErrorStream(true).start();
        List<String> rows = new ArrayList<>();
        try (BufferedReader lines = worlds.inputReader(StandardCharsets.UTF_8);
                Writer output = Files.newBufferedWriter(folder.resolve("output.txt"))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.write(line + "\n");
                output.flush();
                Matcher hunted = HUNTED.matcher(line);
                if (hunted.matches()) {
                    rows.add(row(Objects.requireNonNull(bugs.get(hunted.group(1))), hunted));
                    out.println(rows.getLast());
                    Files.writeString(folder.resolve("bugs.md"), """
                            | Mistake, put back | Worlds with | Run | Their time | Real time | Seed | The checker says |
                            |---|---|---|---|---|---|---|
                            %s
                            """.formatted(String.join("\n", rows)));
                }
            }
        }
        return worlds.waitFor() == 0;
    }

    private static String row(WorldBug bug, Matcher hunted) {
        boolean found = hunted.group(5) != null;
        return "| %s | %s | %s | %s h | %s s | %s | %s |".formatted(bug.name(), String.join(", ", bug.kinds()),
                hunted.group(2), hunted.group(3), hunted.group(4), found ? hunted.group(5) : "",
                found ? shortened(hunted.group(6)) : "not found");
    }

    private static String shortened(String text) {
        String line = text.replace("|", "\\|");
        return line.length() > MOST_TEXT ? line.substring(0, MOST_TEXT) + " …" : line;
    }
}
