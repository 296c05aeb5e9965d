package org.slipstream.server.pictures;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The modules of the program with the threads that each of them starts. The arrows are the imports
/// of the sources, the threads those that the sources name.
final class ModulesPicture {
    private static final String PROGRAM = "mta-dist";
    private static final int BOX = 206;
    private static final int GAP = 14;
    private static final int LEFT = 20;
    private static final int TOP = 60;
    private static final int BETWEEN = 56;
    private static final int COLUMNS_OF_PROGRAM = 3;
    private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?org\\.slipstream\\.([a-z]+)\\.");
    private static final Pattern THREAD = Pattern
            .compile("Thread\\s*\\.of(Virtual|Platform)\\(\\)[^;\"]*?\\.name\\(\"([a-z0-9-]+)\"([^;)]*)\\)");
    /// `pool("report", 1)`, `factory("errand-clock")` of `IoThreads`.
    private static final Pattern POOL = Pattern.compile("= (?:pool|[\\w.]+\\(factory)\\(\"([a-z-]+?)-?\"");
    /// The queue manager knows its shard after its thread.
    private static final Pattern NAMED_LATER = Pattern.compile("thread\\.setName\\(\"([a-z-]+)\" \\+");

    private ModulesPicture() {}

    static String svg(Path root) throws IOException {
        Map<String, Set<String>> uses = new TreeMap<>();
        addUses(root, PROGRAM, uses);
        Map<String, Integer> layers = new TreeMap<>();
        uses.keySet().forEach(module -> layers.put(module, layer(module, uses)));
        Map<String, List<String>> threads = new TreeMap<>();
        for (String module : uses.keySet()) {
            threads.put(module, threads(root.resolve(module)));
        }
        return draw(uses, layers, threads);
    }

    private static void addUses(Path root, String module, Map<String, Set<String>> uses) throws IOException {
        if (uses.containsKey(module)) {
            return;
        }
        Set<String> used = new TreeSet<>();
        for (String source : sources(root.resolve(module))) {
            IMPORT.matcher(source).results().map(each -> moduleOf(each.group(1))).forEach(used::add);
        }
        used.remove(module);
        uses.put(module, used);
        for (String each : used) {
            addUses(root, each, uses);
        }
    }

    private static List<String> sources(Path module) throws IOException {
        try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
            List<String> sources = new ArrayList<>();
            for (Path file : files.filter(each -> each.toString().endsWith(".java")).sorted().toList()) {
                sources.add(Files.readString(file));
            }
            return sources;
        }
    }

    /// The first package of a module has its name, but for these.
    private static String moduleOf(String firstPackage) {
        return switch (firstPackage) {
            case "server" -> PROGRAM;
            case "smtpin" -> "mta-smtp-in";
            case "smtpout" -> "mta-smtp-out";
            default -> "mta-" + firstPackage;
        };
    }

    private static int layer(String module, Map<String, Set<String>> uses) {
        return uses.get(module).stream().mapToInt(used -> layer(used, uses) + 1).max().orElse(0);
    }

    /// Names of threads, platform threads first.
    private static List<String> threads(Path module) throws IOException {
        Set<String> platform = new TreeSet<>();
        Set<String> virtual = new TreeSet<>();
        for (String text : sources(module)) {
            for (MatchResult thread : THREAD.matcher(text).results().toList()) {
                boolean many = !thread.group(3).isBlank() || thread.group(2).endsWith("-");
                (thread.group(1).equals("Virtual") ? virtual : platform).add(thread.group(2) + (many ? "…" : ""));
            }
            POOL.matcher(text).results().forEach(pool -> platform.add(pool.group(1) + "-…"));
            NAMED_LATER.matcher(text).results().forEach(thread -> platform.add(thread.group(1) + "…"));
        }
        List<String> all = new ArrayList<>(platform);
        virtual.forEach(name -> all.add(name + " (virtual)"));
        return all;
    }

    private static String draw(Map<String, Set<String>> uses, Map<String, Integer> layers,
            Map<String, List<String>> threads) {
        int highest = layers.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        List<List<String>> rows = new ArrayList<>();
        for (int layer = highest; layer >= 0; layer--) {
            int wanted = layer;
            // Modules that only the program uses stand to the left, so that the arrows of the
            // others do not cross them.
            rows.add(uses.keySet().stream().filter(module -> layers.get(module) == wanted)
                    .sorted(Comparator.comparingLong((String module) -> users(module, uses))
                            .thenComparing(Comparator.naturalOrder()))
                    .toList());
        }
        int columns = rows.stream().mapToInt(List::size).max().orElse(1);
        int width = 2 * LEFT + columns * (BOX + GAP) - GAP;
        Drawing drawing = new Drawing(width, "Modules of the program and the threads that they start");
        Map<String, double[]> places = new TreeMap<>();
        double y = TOP;
        for (List<String> row : rows) {
            double bottom = y;
            for (int i = 0; i < row.size(); i++) {
                String module = row.get(i);
                // A row that is not full stands to the right, above or below the modules that it
                // uses.
                double x = row.size() == columns
                        ? LEFT + i * (BOX + GAP)
                        : LEFT + (columns - row.size() + i) * (BOX + GAP);
                boolean wide = module.equals(PROGRAM) || layers.get(module) == 0;
                double left = wide ? LEFT : x;
                double wideness = wide ? width - 2.0 * LEFT : BOX;
                double end = module.equals(PROGRAM)
                        ? program(drawing, left, y, wideness, threads.get(module))
                        : drawing.box(left, y, wideness, "c" + (layers.get(module) == 0 ? 3 : 1), module,
                                threads.get(module));
                places.put(module, new double[]{left, y, left + wideness, end});
                bottom = Math.max(bottom, end);
            }
            y = bottom + BETWEEN;
        }
        arrows(drawing, uses, places);
        return drawing.svg(y - BETWEEN,
                "An arrow leads to a module that is used. Arrows that follow from others are left out.",
                "…: several threads with a number or an addition. Threads of libraries and threads without a fixed name are left out.");
    }

    private static long users(String module, Map<String, Set<String>> uses) {
        return uses.values().stream().filter(used -> used.contains(module)).count();
    }

    /// The program has many threads; they stand in columns.
    private static double program(Drawing drawing, double x, double y, double wide, List<String> threads) {
        int lines = (threads.size() + COLUMNS_OF_PROGRAM - 1) / COLUMNS_OF_PROGRAM;
        double high = 12 + Drawing.LINE * (lines + 1.0);
        drawing.frame(x, y, wide, high, "c0").text(x + 12, y + Drawing.LINE, "bold", PROGRAM);
        for (int i = 0; i < threads.size(); i++) {
            drawing.text(x + 12 + i / lines * (wide / COLUMNS_OF_PROGRAM), y + Drawing.LINE * (i % lines + 2.0), "",
                    threads.get(i));
        }
        return y + high;
    }

    private static void arrows(Drawing drawing, Map<String, Set<String>> uses, Map<String, double[]> places) {
        uses.forEach((module, used) -> used.stream().filter(each -> isNotImplied(module, each, uses)).forEach(each -> {
            double[] from = places.get(module);
            double[] to = places.get(each);
            // A wide box is reached straight from a narrow one.
            double begin = (from[2] - from[0] > BOX ? to[0] + to[2] : from[0] + from[2]) / 2;
            double end = (to[2] - to[0] > BOX ? from[0] + from[2] : to[0] + to[2]) / 2;
            drawing.arrow(begin, from[3], end, to[1]);
        }));
    }

    private static boolean isNotImplied(String module, String used, Map<String, Set<String>> uses) {
        return uses.get(module).stream().noneMatch(other -> uses.get(other).contains(used));
    }
}
