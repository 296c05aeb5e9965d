package org.slipstream.lab.study;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.LongStream;

/// A published table and how to measure it again.
///
/// @param name for the command line; `/studies/NAME.txt` says how it was set up and what was assumed
/// @param runs of each row, with the seeds 1, 2, 3 …
/// @param rows in the order of the document
public record Study(String name, String title, int runs, List<Row> rows) {
    public Study {
        rows = List.copyOf(rows);
    }

    /// One experiment, and what it gave then.
    public record Row(Setup setup, Published published) {}

    /// One experiment, what it gave then and what it gives here.
    ///
    /// @param runs one for each seed
    /// @param mean of the runs
    public record Result(Row row, List<Measured> runs, Measured mean) {}

    public List<Result> measure() {
        return rows.stream().map(row -> {
            List<Measured> all = measure(row.setup());
            return new Result(row, all, Measured.mean(all));
        }).toList();
    }

    List<Measured> measure(Setup setup) {
        return LongStream.rangeClosed(1, runs).mapToObj(seed -> StudyWorld.run(setup, seed).figures()).toList();
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
