package org.slipstream.spool;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.spool.box.Directories;
import org.slipstream.spool.box.LetterBox.Found;
import org.slipstream.spool.box.Segments;
import org.slipstream.spool.register.RegisterDatabase;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/// What an operator does with the spool of a stopped server. Each tool takes the spool's lock, so it refuses, with a sentence,
/// while a server runs.
public final class SpoolTools {
    private static final int PAGE = 500;

    private SpoolTools() {}

    /// @param records sound records in the box: letters and notes
    /// @param queued messages in the register
    /// @param findings a sentence each; empty when all is well
    public record Report(long records, long queued, List<String> findings) {}

    /// Reads everything: each record of the box, each message of the register and its letter. Bytes that make no sense are
    /// copied into `corrupt/`, messages whose letters are damaged are set aside, as a server would do on meeting them.
    public static Report verify(SpoolConfig config, LongSupplier clock) throws SpoolException, IOException {
        List<String> findings = new ArrayList<>();
        long records;
        try (SpoolLock _ = lock(config)) {
            records = scan(config, findings);
        }
        try (Spool spool = Spools.open(config, clock)) {
            long queued = eachMessage(spool, details -> readThrough(spool, details, findings));
            Spool.Counts counts = spool.counts();
            if (counts.messages() != queued) {
                findings.add("The register counts " + counts.messages() + " messages and lists " + queued + ".");
            }
            if (counts.corrupt() > 0) {
                findings.add(counts.corrupt() + " messages or pieces of the box are set aside.");
            }
            return new Report(records, queued, findings);
        }
    }

    /// Writes damaged beginnings of segments anew, makes the register anew from the box and from what can be read of the old one, which
    /// is kept under another name, then reads everything once.
    public static Report repair(SpoolConfig config, LongSupplier clock) throws SpoolException, IOException {
        Path old = config.directory().resolve("register-replaced-" + clock.getAsLong() + ".mv.db");
        try (SpoolLock _ = lock(config)) {
            mendBox(config);
            Path register = config.directory().resolve(RegisterDatabase.FILE_NAME);
            if (Files.exists(register)) {
                Files.move(register, old);
                Directories.sync(config.directory());
            }
        }
        Spools.open(config, clock, Optional.of(old).filter(Files::exists)).close();
        return verify(config, clock);
    }

    private static void mendBox(SpoolConfig config) throws IOException {
        try (Segments box = box(config)) {
            List<Long> headless = new ArrayList<>();
            box.scan(0, 0, found -> {
                if (found instanceof Found.Headless(long segment, String _)) {
                    headless.add(segment);
                }
            });
            for (long segment : headless) {
                box.mend(segment);
            }
        }
    }

    private static Segments box(SpoolConfig config) throws IOException {
        return new Segments(config.directory(), config.segmentBytes(), config.segmentGraceMillis());
    }

    private static SpoolLock lock(SpoolConfig config) throws SpoolException {
        if (Files.notExists(config.directory())) {
            throw new SpoolException(SpoolException.Reason.NOT_WRITABLE,
                    "There is no spool in " + config.directory() + ": give the server's folder with --home.");
        }
        SpoolFormat.check(config.directory());
        return SpoolLock.take(config.directory());
    }

    private static long scan(SpoolConfig config, List<String> findings) throws IOException {
        long[] sound = {0};
        try (Segments box = box(config)) {
            box.scan(0, 0, found -> {
                switch (found) {
                    case Found.Stored _,Found.Noted _,Found.Withdrawn _ -> sound[0]++;
                    case Found.Damaged(long segment, long offset, long bytes, String copy) ->
                        findings.add("Segment " + segment + " has " + bytes + " damaged bytes at " + offset
                                + "; copied to " + copy + ".");
                    case Found.Headless(long segment, String copy) ->
                        findings.add("The beginning of segment " + segment + " is damaged (copied to " + copy
                                + "); its records were read all the same, and `spool repair` writes it anew.");
                    case Found.Torn _ -> {
                        // Where a machine stopped; nobody was told that it was safe.
                    }
                }
            });
        }
        return sound[0];
    }

    private static long eachMessage(Spool spool, Consumer<Spool.Details> visit) throws IOException {
        long count = 0;
        Optional<QueueId> after = Optional.empty();
        for (List<Spool.Details> page = spool.list(after, PAGE); !page.isEmpty(); page = spool.list(after, PAGE)) {
            page.forEach(visit);
            count += page.size();
            after = Optional.of(page.getLast().summary().id());
        }
        return count;
    }

    private static void readThrough(Spool spool, Spool.Details message, List<String> findings) {
        QueueId id = message.summary().id();
        try (InputStream letter = spool.letter(id).open()) {
            letter.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            findings.add("Message " + id + " is set aside: " + e.getMessage() + ".");
        }
    }

    /// Writes every queued message into a file `ID.eml` of `target`; the queue stays as it is.
    ///
    /// @return findings: messages that could not be written
    public static Report export(SpoolConfig config, LongSupplier clock, Path target)
            throws SpoolException, IOException {
        lock(config).close();
        Files.createDirectories(target);
        List<String> findings = new ArrayList<>();
        try (Spool spool = Spools.open(config, clock)) {
            long[] written = {0};
            long queued = eachMessage(spool, message -> {
                List<Recipient> owed = message.recipients().stream().filter(each -> each.state() == Spool.State.OPEN)
                        .map(Spool.RecipientState::recipient).toList();
                QueueId id = message.summary().id();
                try {
                    if (!owed.isEmpty()) {
                        MailFile.write(target.resolve(id + ".eml"), message.envelope(), owed, spool.letter(id));
                        written[0]++;
                    }
                } catch (IOException e) {
                    findings.add("Message " + id + " is not exported: " + e.getMessage() + ".");
                }
            });
            return new Report(written[0], queued, findings);
        }
    }

    /// Commits every `.eml` file of `source`, in order of name, as new messages that are due at once. A file that was taken is
    /// renamed to `.eml.done`, so that an import that was cut off can be repeated.
    public static Report importFrom(SpoolConfig config, LongSupplier clock, Path source)
            throws SpoolException, IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(source)) {
            files = all.filter(file -> file.getFileName().toString().endsWith(".eml")).sorted().toList();
        }
        List<String> findings = new ArrayList<>();
        long taken = 0;
        try (Spool spool = Spools.open(config, clock)) {
            for (Path file : files) {
                try {
                    MailFile.commit(file, spool);
                    Files.move(file, file.resolveSibling(file.getFileName() + ".done"));
                    taken++;
                } catch (IOException e) {
                    findings.add(file + " is not imported: " + e.getMessage() + ".");
                }
            }
            return new Report(taken, spool.counts().messages(), findings);
        }
    }
}
