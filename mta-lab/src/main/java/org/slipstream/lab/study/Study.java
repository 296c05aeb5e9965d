package org.slipstream.lab.study;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/// A published table and how to measure it again.
///
/// @param name for the command line; `/studies/NAME.txt` says how it was set up and what was
///     assumed
/// @param runs of each row, with the seeds 1, 2, 3 …
/// @param rows in the order of the document
/// @param variedBy in words, what the variations change
/// @param variations what else is measured, to see what the result hangs on; may be none
public record Study(String name, String title, int runs, List<Row> rows, String variedBy,
        List<Variation> variations) {
    public Study {
        rows = List.copyOf(rows);
        variations = List.copyOf(variations);
    }

    /// One experiment, and what it gave then.
    public record Row(Setup setup, Published published) {}

    /// One experiment, what it gave then and what it gives here.
    ///
    /// @param runs one for each seed
    /// @param mean of the runs
    public record StudyResult(Row row, List<Measured> runs, Measured mean) {}

    /// The same experiments with one thing changed.
    public record Variation(String label, UnaryOperator<Setup> change) {}

    /// @param progress receives a sentence before each run
    public List<StudyResult> measure(Consumer<String> progress) {
        return measure(new Variation("the table", setup -> setup), progress);
    }

    List<StudyResult> measure(Variation variation, Consumer<String> progress) {
        List<StudyResult> results = new ArrayList<>();
        for (Row row : rows) {
            String where = "study " + name + ", " + variation.label() + ", row " + (results.size() + 1) + " of "
                    + rows.size();
            results.add(result(row, measure(variation.change().apply(row.setup()), where, progress)));
        }
        return results;
    }

    private static StudyResult result(Row row, List<Measured> runs) {
        return new StudyResult(row, runs, Measured.mean(runs));
    }

    private List<Measured> measure(Setup setup, String where, Consumer<String> progress) {
        return LongStream.rangeClosed(1, runs).mapToObj(seed -> {
            progress.accept(where + ", run " + seed + " of " + runs);
            return StudyWorld.run(setup, seed).figures();
        }).toList();
    }

    /// The set-up, its assumptions, and how to read the table.
    public List<String> notes() {
        try (InputStream stream = Study.class.getResourceAsStream("/studies/" + name + ".txt")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
