package org.slipstream.lab.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// The scenario files that come with the program, by name.
public final class BundledScenarios {
    private static final String FOLDER = "/scenarios/";
    private static final String LIST = "index.txt";

    private BundledScenarios() {}

    /// The names of all scenarios, in the order in which a student reads them.
    public static List<String> names() {
        return text(LIST).orElseThrow().lines().filter(line -> !line.isBlank()).toList();
    }

    public static Optional<String> find(String name) {
        return names().contains(name) ? text(file(name)) : Optional.empty();
    }

    public static String file(String name) {
        return name + ".toml";
    }

    private static Optional<String> text(String file) {
        try (InputStream stream = BundledScenarios.class.getResourceAsStream(FOLDER + file)) {
            return stream == null
                    ? Optional.empty()
                    : Optional.of(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
