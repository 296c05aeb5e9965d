package org.slipstream.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The files of this repository as text: Java sources and pages of documentation.
///
/// @param root the folder of the repository
record SourceTree(Path root) {
    private static final Pattern TYPE = Pattern
            .compile("^( *)((?:(?:public|private|protected|static|final|sealed|non-sealed"
                    + "|abstract) )*)(class|interface|record|enum|@interface) ([A-Z]\\w*)");

    /// Folders in which builds and servers write meanwhile.
    private static final Set<String> NOT_OURS = Set.of(".git", "node_modules", "target", "var");

    /// A type and where it stands.
    ///
    /// @param depth of nesting; 0 for a type of its own file
    /// @param isCase a nested type of a sealed family, which is written together with the family's
    ///     name
    record Type(String name, String file, int depth, boolean isPrivate, boolean isCase) {}

    record Line(String file, int number, String text) {
        String at(String what) {
            return file + ":" + number + ": " + what;
        }
    }

    /// The repository that holds the working folder of a test.
    static SourceTree ofThisBuild() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("mta"))) {
            folder = folder.getParent();
        }
        return new SourceTree(folder);
    }

    /// Lines of the main code, module by module.
    List<Line> mainJava() {
        return lines(path -> path.endsWith(".java") && path.contains("/src/main/java/"));
    }

    List<Line> allJava() {
        return lines(path -> path.endsWith(".java"));
    }

    /// Pages for readers, decision records included. The changelog is history, so it keeps the words
    /// of its time.
    List<Line> pages() {
        return lines(path -> path.endsWith(".md") && !path.equals("CHANGELOG.md")
                && !path.startsWith(".github/") && !path.contains("/src/test/"));
    }

    /// The types that these lines declare. Types inside methods are left out.
    static List<Type> types(List<Line> java) {
        List<Type> types = new ArrayList<>();
        Set<String> sealed = new java.util.HashSet<>();
        String file = "";
        List<String> owners = new ArrayList<>();
        for (Line line : java) {
            if (!line.file().equals(file)) {
                file = line.file();
                owners.clear();
            }
            Matcher declared = TYPE.matcher(line.text());
            if (!declared.find()) {
                continue;
            }
            int depth = declared.group(1).length() / 4;
            while (owners.size() > depth) {
                owners.removeLast();
            }
            if (owners.size() < depth) {
                continue;
            }
            String owner = owners.isEmpty() ? "" : file + owners.getLast();
            String name = declared.group(4);
            types.add(new Type(name, file, depth, declared.group(2).contains("private"), sealed.contains(owner)));
            owners.add(name);
            if (declared.group(2).contains("sealed ")) {
                sealed.add(file + name);
            }
        }
        return types;
    }

    private List<Line> lines(Predicate<String> wanted) {
        SortedSet<String> paths = new TreeSet<>();
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    return NOT_OURS.contains(root.relativize(folder).getFileName().toString())
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    String path = root.relativize(file).toString();
                    if (attributes.isRegularFile() && wanted.test(path)) {
                        paths.add(path);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return paths.stream().flatMap(this::lines).toList();
    }

    private Stream<Line> lines(String path) {
        try {
            List<String> texts = Files.readAllLines(root.resolve(path));
            List<Line> lines = new ArrayList<>();
            for (int i = 0; i < texts.size(); i++) {
                lines.add(new Line(path, i + 1, texts.get(i)));
            }
            return lines.stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
