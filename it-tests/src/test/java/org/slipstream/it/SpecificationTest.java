package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tlc2.TLC;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/// TLC checks the modules of `spec/` (docs/specification.md). Each rule that a module names as a constant
/// is also left out once, and TLC has to find the history in which that loses mail or doubles it.
class SpecificationTest {
    private static final Path SPEC = Path.of("../spec").toAbsolutePath().normalize();
    /// Bounds for a night. The files have those for the build.
    private static final Map<String, Integer> LONG = Map.of("MostEpochs", 3, "MostEntries", 6, "MostTime", 7,
            "MostPauses", 1,
            "MostCrashes", 5, "MostAttempts", 5);

    @TempDir
    private Path scratch;

    @ParameterizedTest
    @CsvSource({"Ownership", "Lease", "MovedMail"})
    void everyHistoryKeepsThePromises(String module) throws Exception {
        var settings = settings(module);
        if (Boolean.getBoolean("slipstream.long")) {
            for (var bound : LONG.entrySet()) {
                settings = settings.replaceAll("(?m)" + bound.getKey() + " = \\d+",
                        bound.getKey() + " = " + bound.getValue());
            }
        }
        assertThat(check(module, settings)).contains("Model checking completed. No error has been found.");
    }

    @ParameterizedTest
    @CsvSource({"Ownership, ChecksEpoch, EpochsNeverFall", "Ownership, AsksAfterACut, AcknowledgedIsKept",
            "Ownership, AsksByAWrite, AcknowledgedIsKept", "Ownership, WarningsCount, AcknowledgedIsKept",
            "Ownership, PromotesTheNewest, AcknowledgedIsKept", "Lease, CountsFromSending, NoStaleDelivery",
            "MovedMail, OldLeavesAfter, NeverLost", "MovedMail, SweepsFirst, NeverTwiceAtOnce",
            "MovedMail, ComparesStates, AttemptsAreKept"})
    void withoutARuleMailIsLostOrDoubled(String module, String rule, String promise) throws Exception {
        var settings = settings(module);
        assertThat(settings).contains(rule + " = TRUE");
        assertThat(check(module, settings.replace(rule + " = TRUE", rule + " = FALSE")))
                .contains("Invariant " + promise + " is violated.");
    }

    /// A rule that no case above leaves out would not be proven.
    @Test
    void eachRuleIsLeftOutOnce() throws Exception {
        var rules = 0;
        try (var files = Files.list(SPEC)) {
            for (var file : (Iterable<Path>) files.filter(each -> each.toString().endsWith(".cfg"))::iterator) {
                rules += (int) Pattern.compile(" = TRUE$", Pattern.MULTILINE).matcher(Files.readString(file)).results()
                        .count();
            }
        }
        var cases = getClass().getDeclaredMethod("withoutARuleMailIsLostOrDoubled", String.class, String.class,
                String.class).getAnnotation(CsvSource.class).value();
        assertThat(cases).hasSize(rules);
    }

    private static String settings(String module) throws IOException {
        return Files.readString(SPEC.resolve(module + ".cfg"));
    }

    /// In a process of its own, because TLC keeps its state in static fields.
    private String check(String module, String settings) throws Exception {
        // TLC writes files beside the module.
        Files.copy(SPEC.resolve(module + ".tla"), scratch.resolve(module + ".tla"));
        var config = Files.writeString(scratch.resolve(module + ".cfg"), settings);
        var output = scratch.resolve("output");
        var tools = Path.of(TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        var process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
                "-XX:+UseParallelGC", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + scratch, "-cp", tools.toString(),
                TLC.class.getName(), "-workers", "1", "-metadir", scratch.resolve("states").toString(), "-config",
                config.toString(), module + ".tla").directory(scratch.toFile()).redirectErrorStream(true)
                .redirectOutput(output.toFile()).start();
        process.waitFor();
        return Files.readString(output);
    }
}
