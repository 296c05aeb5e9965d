package org.slipstream.lab.journal;

import org.slipstream.core.FailureWords;
import org.slipstream.lab.journal.Replay.ReplayDifference;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.journal.file.JournalParts;
import org.slipstream.qmgr.journal.file.JournalText;
import org.slipstream.qmgr.journal.file.JournalText.UnreadableRecordException;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongConsumer;

/// Reads a journal and replays it, line by line: a journal is larger than the memory of a command
/// should be.
public final class JournalReplay {
    private final JournalParts parts;
    private final LongConsumer progress;
    private Optional<Replay> replay = Optional.empty();
    private Optional<String> unequal = Optional.empty();
    private Optional<String> gap = Optional.empty();
    private boolean ended;
    private boolean closed;
    private long beganMillis;

    private JournalReplay(JournalParts parts, LongConsumer progress) {
        this.parts = parts;
        this.progress = progress;
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
        return new JournalReplay(new JournalParts(file), progress).run();
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
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            long number = 0;
            for (String line = lines.readLine(); line != null && !isOver(); line = lines.readLine()) {
                number++;
                String place = file + ":" + number;
                JournalRecord record = record(line, place);
                if (number == 1 && !begins(record, part, place)) {
                    return false;
                }
                take(record, place);
            }
        }
        return !isOver();
    }

    private JournalRecord record(String line, String place) throws IOException {
        try {
            return JournalText.read(line);
        } catch (UnreadableRecordException damaged) {
            throw new IOException(place + ": " + damaged.getMessage() + before(), damaged);
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
        switch (record) {
            case JournalRecord.Beginning beginning -> replay = Optional.of(new Replay(beginning));
            case JournalRecord.Missing missing -> {
                gap = Optional.of(place + ": " + missing.records()
                        + " records are missing, because the server wrote faster than the disk");
                ended = true;
            }
            case JournalRecord.Closing _ -> {
                ended = true;
                closed = true;
            }
            default -> {
                Replay running = replay.orElseThrow();
                running.next(record);
                running.difference().ifPresent(found -> unequal = Optional.of(text(found, place)));
                progress.accept(running.records());
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
