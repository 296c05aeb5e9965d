package org.slipstream.lab.journal;

import org.slipstream.core.FailureWords;
import org.slipstream.lab.film.FilmInterval;
import org.slipstream.lab.journal.JournalFilm.FilmRequest;
import org.slipstream.lab.journal.Replay.ReplayDifference;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.journal.file.JournalParts;
import org.slipstream.qmgr.journal.file.JournalText;
import org.slipstream.qmgr.journal.file.JournalText.UnreadableRecordException;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

/// Reads a journal and replays it, line by line: a journal is larger than the memory of a command
/// should be.
public final class JournalReplay {
    /// Records between two looks at the clock of the caller.
    private static final int LOOK = 512;

    private final JournalParts parts;
    private final LongConsumer progress;
    private final Optional<FilmOfJournal> film;
    private final Optional<Predicate<JournalRecord>> reader;
    private final BooleanSupplier goesOn;
    private Optional<Replay> replay = Optional.empty();
    private Optional<String> unequal = Optional.empty();
    private Optional<String> gap = Optional.empty();
    private boolean ended;
    private boolean closed;
    private long beganMillis;
    private long read;

    private JournalReplay(JournalParts parts, LongConsumer progress, Optional<FilmOfJournal> film,
            BooleanSupplier goesOn) {
        this(parts, progress, film, Optional.empty(), goesOn);
    }

    private JournalReplay(JournalParts parts, LongConsumer progress, Optional<FilmOfJournal> film,
            Optional<Predicate<JournalRecord>> reader, BooleanSupplier goesOn) {
        this.reader = reader;
        this.parts = parts;
        this.progress = progress;
        this.film = film;
        this.goesOn = goesOn;
    }

    /// The result of a replay.
    ///
    /// @param inputs events and pumps among the records
    /// @param decisions compared, with the orders
    /// @param difference the first one: its place, the recorded and the replayed decision
    /// @param gap the reason for which the replay ended before the journal
    /// @param failure the exception that ended the queue manager of the replay
    public record ReplayReport(long records, long inputs, long decisions, Optional<String> difference,
            Optional<String> gap, Optional<String> failure) {}

    /// @param progress receives the number of records from time to time
    /// @throws IOException the file cannot be read, or is damaged; the message has file and line
    public static ReplayReport of(Path file, LongConsumer progress) throws IOException {
        return new JournalReplay(new JournalParts(file), progress, Optional.empty(), () -> true).run();
    }

    /// The part of a journal as a film. The journal may be that of a running server: a last line that
    /// is not complete ends the replay, as damage does, and the film has a remark about it.
    ///
    /// @param openUntilMillis for the journal of the running server: the present
    /// @param goesOn false when the time for the replay is over
    /// @throws IOException there is no journal that this program can read
    public static JournalFilm film(Path file, FilmRequest wanted, OptionalLong openUntilMillis, LongConsumer progress,
            BooleanSupplier goesOn) throws IOException {
        FilmOfJournal film = new FilmOfJournal(wanted);
        JournalReplay journal = new JournalReplay(new JournalParts(file), progress, Optional.of(film), goesOn);
        List<String> notes = new ArrayList<>();
        boolean cut = false;
        try {
            ReplayReport report = journal.run();
            report.difference().ifPresent(difference -> notes.add("from here on this program decides another way"
                    + " than the one that wrote the journal, so the state is not known: " + difference));
            report.gap().ifPresent(notes::add);
            report.failure().ifPresent(failure -> notes.add("the queue manager of the replay ended: " + failure));
        } catch (DamagedJournalException damaged) {
            // Of the running server, the line that is being written.
            cut = damaged.isLastLine;
            if (!cut || openUntilMillis.isEmpty()) {
                notes.add(String.valueOf(damaged.getMessage()));
            }
        }
        return film.end(notes.isEmpty() && !journal.closed ? openUntilMillis : OptionalLong.empty(), notes);
    }

    /// Reads the records of a journal without a replay. The journal may be that of a running server.
    ///
    /// @param reader false when it wants no more
    /// @return the reason for which the records end before the journal
    /// @throws IOException there is no journal that this program can read
    static Optional<String> read(Path file, Predicate<JournalRecord> reader, LongConsumer progress)
            throws IOException {
        JournalReplay journal = new JournalReplay(new JournalParts(file), progress, Optional.empty(),
                Optional.of(reader), () -> true);
        try {
            for (int part = 0; journal.replayPart(part); part++) {
                // The next part follows.
            }
        } catch (DamagedJournalException damaged) {
            return damaged.isLastLine ? journal.gap : Optional.of(String.valueOf(damaged.getMessage()));
        }
        return journal.gap;
    }

    /// The time at which the run of a journal began.
    ///
    /// @throws IOException there is no journal that this program can read
    public static long began(Path file) throws IOException {
        JournalReplay journal = new JournalReplay(new JournalParts(file), _ -> {}, Optional.empty(), () -> true);
        try (BufferedReader lines = LineBound.open(file)) {
            String first = lines.readLine();
            if (first == null) {
                throw new IOException(file + " is empty");
            }
            journal.begins(journal.record(first, file + ":1", false), 0, file + ":1");
        }
        return journal.beganMillis;
    }

    /// The time of the latest record that the replay of a whole journal reaches.
    ///
    /// @throws IOException as that of the replay
    public static long latest(Path file, LongConsumer progress) throws IOException {
        return film(file, new FilmRequest(0, FilmInterval.LONGEST_MILLIS, Optional.empty()), OptionalLong.empty(),
                progress,
                () -> true).latestMillis();
    }

    private static final class DamagedJournalException extends IOException {
        private static final long serialVersionUID = 1L;

        final boolean isLastLine;

        DamagedJournalException(String message, boolean isLastLine, Throwable cause) {
            super(message, cause);
            this.isLastLine = isLastLine;
        }
    }

    private ReplayReport run() throws IOException {
        int part = 0;
        while (replayPart(part)) {
            part++;
        }
        Replay all = replay.orElseThrow(() -> new IOException(parts.first() + " is empty"));
        if (unequal.isEmpty()) {
            all.end(closed);
            all.difference().ifPresent(found -> unequal = Optional.of(text(found, parts.first() + ": at the end")));
        }
        return new ReplayReport(all.records(), all.inputs(), all.decisions(), unequal, gap,
                all.failure().map(FailureWords::of));
    }

    /// Returns whether another part may follow.
    private boolean replayPart(int part) throws IOException {
        Path file = parts.file(part);
        if (part > 0 && !Files.exists(file)) {
            return false;
        }
        try (BufferedReader lines = LineBound.open(file)) {
            long number = 0;
            for (String line = lines.readLine(); line != null && !isOver(); line = lines.readLine()) {
                number++;
                String place = file + ":" + number;
                JournalRecord record = record(line, place, !lines.ready());
                if (number == 1 && !begins(record, part, place)) {
                    return false;
                }
                take(record, place);
            }
        }
        return !isOver();
    }

    private JournalRecord record(String line, String place, boolean last) throws IOException {
        try {
            return JournalText.read(line);
        } catch (UnreadableRecordException damaged) {
            throw new DamagedJournalException(place + ": " + damaged.getMessage() + before(), last, damaged);
        }
    }

    private String before() {
        replay.ifPresent(each -> each.end(false));
        return replay.filter(each -> each.difference().isEmpty())
                .map(_ -> "; the records before it gave the same decisions").orElse("");
    }

    /// Whether the first record of a part continues what was read.
    private boolean begins(JournalRecord first, int part, String place) throws IOException {
        if (part == 0) {
            if (!(first instanceof JournalRecord.Beginning beginning)) {
                throw new IOException(place + ": not the beginning of a run; name the first file of the journal");
            }
            if (beginning.format() != JournalRecord.FORMAT) {
                throw new IOException(place + ": the journal has format " + beginning.format() + " of version "
                        + beginning.program() + ", and this program reads format " + JournalRecord.FORMAT);
            }
            beganMillis = beginning.at();
            return true;
        }
        if (first instanceof JournalRecord.Continuation continued && continued.beganMillis() == beganMillis
                && continued.part() >= part) {
            if (continued.part() > part) {
                gap = Optional.of("part " + part + " of the journal was overwritten (journal.size)");
            }
            return continued.part() == part;
        }
        return false;
    }

    private void take(JournalRecord record, String place) {
        if (reader.isPresent() && !(record instanceof JournalRecord.Missing)) {
            ended = !reader.get().test(record);
            progress.accept(++read);
            return;
        }
        switch (record) {
            case JournalRecord.Beginning beginning -> {
                Replay begun = new Replay(beginning);
                film.ifPresent(each -> each.begins(beginning, begun));
                replay = Optional.of(begun);
            }
            case JournalRecord.Missing missing -> {
                gap = Optional.of(place + ": " + missing.records()
                        + " records are missing, because the server wrote faster than the disk");
                ended = true;
            }
            case JournalRecord.Closing closing -> {
                ended = true;
                closed = true;
                film.ifPresent(each -> each.closed(closing));
            }
            default -> {
                if (film.isPresent() && !film.get().wants(record)) {
                    ended = true;
                    closed = true;
                    return;
                }
                Replay running = replay.orElseThrow();
                film.ifPresent(each -> each.take(record));
                running.next(record);
                running.difference().ifPresent(found -> unequal = Optional.of(text(found, place)));
                progress.accept(running.records());
                if (running.records() % LOOK == 0 && !goesOn.getAsBoolean()) {
                    gap = Optional.of(place
                            + ": the replay took too long or too much memory, and ends here; mta lab replay FILE --page plays all of"
                            + " it");
                    ended = true;
                }
            }
        }
    }

    private boolean isOver() {
        return ended || unequal.isPresent();
    }

    private static String text(ReplayDifference difference, String place) {
        return "record " + difference.number() + " differs (" + place + ")\n  recorded: "
                + difference.recorded().map(JournalText::write).orElse("no further decision") + "\n  replayed: "
                + difference.replayed().map(JournalText::write).orElse("no further decision");
    }
}
