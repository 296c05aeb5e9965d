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

/// A published table as a list of experiments.
///
/// @param name for the command line; `/studies/NAME.txt` has conditions and assumptions
/// @param runs of each row, with the seeds 1, 2, 3 …
/// @param rows in the order of the document
/// @param variedCondition the condition that the variations change, in words
/// @param variations the same rows under other conditions; may be empty
public record Study(String name, String title, int runs, List<Row> rows, String variedCondition,
        List<Variation> variations) {
    public Study {
        rows = List.copyOf(rows);
        variations = List.copyOf(variations);
    }

    /// One experiment with its published figures.
    public record Row(Experiment experiment, PublishedFigures published) {}

    /// One row with the measurements of this program.
    ///
    /// @param runs one for each seed
    /// @param mean of the runs
    public record StudyResult(Row row, List<Measurement> runs, Measurement mean) {}

    /// One changed condition for all experiments of a study.
    public record Variation(String label, UnaryOperator<Experiment> change) {}

    /// @param progress receives the position before each run
    public List<StudyResult> measure(Consumer<String> progress) {
        return measure(new Variation("the table", experiment -> experiment), progress);
    }

    List<StudyResult> measure(Variation variation, Consumer<String> progress) {
        List<StudyResult> results = new ArrayList<>();
        for (Row row : rows) {
            String position = "study " + name + ", " + variation.label() + ", row " + (results.size() + 1) + " of "
                    + rows.size();
            results.add(result(row, measure(variation.change().apply(row.experiment()), position, progress)));
        }
        return results;
    }

    private static StudyResult result(Row row, List<Measurement> runs) {
        return new StudyResult(row, runs, Measurement.mean(runs));
    }

    private List<Measurement> measure(Experiment experiment, String position, Consumer<String> progress) {
        return LongStream.rangeClosed(1, runs).mapToObj(seed -> {
            progress.accept(position + ", run " + seed + " of " + runs);
            return StudySimulation.run(experiment, seed).measurement();
        }).toList();
    }

    /// Conditions, assumptions and theory of the table.
    public List<String> notes() {
        try (InputStream stream = Study.class.getResourceAsStream("/studies/" + name + ".txt")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
