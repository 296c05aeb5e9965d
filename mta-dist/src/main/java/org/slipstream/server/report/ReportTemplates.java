package org.slipstream.server.report;

import org.slipstream.core.queue.ReportKind;
import org.slipstream.settings.AccessRemedy;
import org.slipstream.settings.BoundedFiles;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The template of each kind of report: the operator's file in the folder `templates` of the home,
/// otherwise the one that comes with the program. Every kind has a usable template; a file with a
/// mistake is reported and not used.
public final class ReportTemplates {
    public static final String FOLDER = "templates";

    private final Map<ReportKind, ReportTemplate> byKind = new EnumMap<>(ReportKind.class);
    private final List<String> mistakes = new ArrayList<>();

    private ReportTemplates() {}

    /// Those of a server.
    public static ReportTemplates in(Path home) {
        ReportTemplates templates = new ReportTemplates();
        for (ReportKind kind : ReportKind.values()) {
            String file = kind.word() + ".txt";
            List<String> bundled = bundled(kind.word()).lines().toList();
            templates.byKind.put(kind, templates.own(home, file)
                    .flatMap(own -> ReportTemplate.read(FOLDER + "/" + file, own, templates.mistakes))
                    .orElseGet(() -> ReportTemplate.read(file, bundled, new ArrayList<>()).orElseThrow()));
        }
        templates.others(home);
        return templates;
    }

    /// The text of a template that comes with the program.
    public static String bundled(String name) {
        try (InputStream text = ReportTemplates.class.getResourceAsStream(name + ".txt")) {
            return new String(Objects.requireNonNull(text).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A sentence for each mistake in the operator's files.
    public List<String> mistakes() {
        return List.copyOf(mistakes);
    }

    ReportTemplate of(ReportKind kind) {
        return Objects.requireNonNull(byKind.get(kind));
    }

    private Optional<List<String>> own(Path home, String file) {
        try {
            return Optional.of(BoundedFiles.lines(home.resolve(FOLDER).resolve(file), BoundedFiles.MOST_TEXT_OCTETS));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (CharacterCodingException wrong) {
            mistakes.add(FOLDER + "/" + file + ": the file cannot be read as UTF-8");
            return Optional.empty();
        } catch (IOException unreadable) {
            mistakes.add(FOLDER + "/" + file + ": the file cannot be read: "
                    + new AccessRemedy(home).words(unreadable));
            return Optional.empty();
        }
    }

    // A misspelled name would be ignored in silence.
    private void others(Path home) {
        Path folder = home.resolve(FOLDER);
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (var files = Files.list(folder)) {
            files.map(file -> file.getFileName().toString()).filter(file -> file.endsWith(".txt"))
                    .filter(file -> !ReportKind.words().contains(file.substring(0, file.length() - 4))).sorted()
                    .forEach(file -> mistakes.add(FOLDER + "/" + file + ": there is no report of this name; known are "
                            + String.join(", ", ReportKind.words())));
        } catch (IOException unreadable) {
            mistakes.add(FOLDER + ": the folder cannot be read: " + new AccessRemedy(home).words(unreadable));
        }
    }
}
