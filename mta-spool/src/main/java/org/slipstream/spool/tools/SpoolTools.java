package org.slipstream.spool.tools;

import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.spool.DamagedException;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.index.IndexDamage;
import org.slipstream.spool.index.IndexDatabase;
import org.slipstream.spool.index.IndexException;
import org.slipstream.spool.log.MessageLog.ScannedRecord;
import org.slipstream.spool.log.NewerLogException;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.Segments;
import org.slipstream.spool.work.OpenMark;
import org.slipstream.spool.work.SpoolFormat;
import org.slipstream.spool.work.SpoolLock;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/// Operators' tools for the spool of a stopped server. Each tool takes the spool's lock, so it
/// fails with a clear message while a server runs. A tool that looks works on a copy of the index and
/// changes nothing, so what an operator puts back by hand is safe from it.
public final class SpoolTools {
    private static final int PAGE = 500;
    private static final String COPY = "look-";
    private static final QueueId NO_MESSAGE = new QueueId(1);

    private SpoolTools() {}

    /// @param records valid records in the log
    /// @param queued messages in the index
    /// @param setAside messages that are set aside, each named in a finding
    /// @param findings a sentence each; empty when the spool is intact
    public record Report(long records, long queued, long setAside, List<String> findings) {
        public Report(long records, long queued, List<String> findings) {
            this(records, queued, 0, findings);
        }
    }

    /// Reads everything: each record of the log, each message of the index and its content. Changes nothing.
    public static Report verify(SpoolConfig config, LongSupplier clock) throws SpoolException, IOException {
        List<String> findings = new ArrayList<>();
        long records = scan(config, findings);
        return looking(config, clock, spool -> verify(spool, records, findings));
    }

    private static Report verify(Spool spool, long records, List<String> findings) throws IOException {
        Map<QueueId, String> unreadable = new LinkedHashMap<>();
        long queued = eachMessage(spool, details -> readThrough(spool, details.summary().id())
                .ifPresent(reason -> unreadable.put(details.summary().id(), reason)));
        settle(spool);
        long read = unreadable.size();
        long[] setAside = {0};
        eachSetAside(spool, message -> {
            setAside[0]++;
            unreadable.remove(message.id());
            findings.add(message.sentence());
        });
        unreadable.forEach((id, reason) -> findings.add("Message " + id + " cannot be read: " + reason + "."));
        Spool.Counts counts = spool.counts();
        long justSetAside = read - unreadable.size();
        if (counts.messages() + justSetAside != queued) {
            findings.add("The index counts " + counts.messages() + " messages and lists " + queued + ".");
        }
        if (counts.corrupt() > setAside[0]) {
            findings.add(counts.corrupt() - setAside[0] + " damaged pieces of the log lie in corrupt/.");
        }
        return new Report(records, queued, setAside[0], findings);
    }

    /// Waits until the log thread has executed all earlier tasks.
    private static void settle(Spool spool) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        spool.makeDue(Optional.of(NO_MESSAGE), Optional.empty(), 0, () -> done.complete(null));
        done.join();
    }

    private static SpoolException damaged(SpoolConfig config, IndexException e) throws IndexException {
        if (!IndexDamage.isBehind(e) && !IndexDamage.isLock(e)) {
            throw e;
        }
        return new SpoolException(SpoolException.Reason.DAMAGED,
                "The index " + config.directory().resolve(IndexDatabase.FILE_NAME)
                        + " is damaged: `mta spool repair` makes it again from the log and keeps the old one.",
                e);
    }

    /// An operator's order for a message that is set aside.
    @FunctionalInterface
    public interface CorruptOrder {
        /// @return true when it is done and the message may be removed
        boolean settle(Spool spool, Spool.SetAside message) throws IOException;
    }

    /// Names each message that is set aside.
    public static Report setAside(SpoolConfig config, LongSupplier clock) throws SpoolException, IOException {
        return looking(config, clock, spool -> {
            List<String> findings = new ArrayList<>();
            eachSetAside(spool, message -> findings.add(message.sentence()));
            return new Report(0, spool.counts().messages(), findings.size(), findings);
        });
    }

    /// Executes an order for messages that are set aside, and removes those for which it succeeded.
    /// A message that can be read again is skipped.
    ///
    /// @param chosen the messages; empty for all
    /// @return removed ones, remaining ones, and a finding for each chosen message that remains or
    ///     does not exist
    public static Report settleSetAside(SpoolConfig config, LongSupplier clock, Set<QueueId> chosen, CorruptOrder order)
            throws SpoolException, IOException {
        List<String> findings = new ArrayList<>();
        Set<QueueId> missing = new LinkedHashSet<>(chosen);
        long[] counts = {0, 0};
        return withSpool(config, clock, spool -> {
            eachSetAside(spool, message -> {
                boolean meant = missing.remove(message.id()) || chosen.isEmpty();
                if (meant && !message.readable() && order.settle(spool, message)) {
                    spool.remove(message.id(), () -> {});
                    counts[0]++;
                    return;
                }
                counts[1]++;
                if (meant) {
                    findings.add(message.sentence());
                }
            });
            settle(spool);
            missing.forEach(id -> findings.add("Message " + id + " is not set aside."));
            return new Report(counts[0], spool.counts().messages(), counts[1], findings);
        });
    }

    /// Reads the spool of a stopped server.
    @FunctionalInterface
    public interface IndexReader {
        void of(Spool spool) throws IOException;
    }

    /// Opens the spool for a view of it. The queue does not change.
    public static Report view(SpoolConfig config, LongSupplier clock, IndexReader reader)
            throws SpoolException, IOException {
        return looking(config, clock, spool -> {
            reader.of(spool);
            return new Report(0, spool.counts().messages(), List.of());
        });
    }

    private interface Work {
        Report with(Spool spool) throws IOException;
    }

    private static Report withSpool(SpoolConfig config, LongSupplier clock, Work work)
            throws SpoolException, IOException {
        lock(config).close();
        try (Spool spool = Spools.openWhole(config, clock, false)) {
            return work.with(spool);
        } catch (IndexException e) {
            throw damaged(config, e);
        }
    }

    private static Report looking(SpoolConfig config, LongSupplier clock, Work work)
            throws SpoolException, IOException {
        Path copy;
        try (SpoolLock _ = lock(config)) {
            copy = copyOfIndex(config.directory());
        }
        try (Spool spool = Spools.openToLook(config, clock, copy)) {
            return work.with(spool);
        } catch (IndexException e) {
            throw damaged(config, e);
        } finally {
            delete(copy);
        }
    }

    /// In the spool's folder, because other disks may be too small. A tool that was killed left its copy there.
    private static Path copyOfIndex(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(directory)) {
            files = all.toList();
        }
        for (Path file : files) {
            if (file.getFileName().toString().startsWith(COPY)) {
                delete(file);
            }
        }
        Path copy = Files.createTempDirectory(directory, COPY);
        List<Path> parts = new ArrayList<>(OldIndex.pending(directory));
        parts.add(directory.resolve(IndexDatabase.FILE_NAME));
        parts.add(directory.resolve(OpenMark.FILE));
        for (Path part : parts) {
            if (Files.exists(part)) {
                Files.copy(part, copy.resolve(part.getFileName().toString()));
            }
        }
        return copy;
    }

    private static void delete(Path copy) throws IOException {
        try (Stream<Path> files = Files.list(copy)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.delete(file);
            }
        }
        Files.delete(copy);
    }

    private interface Visit<T> {
        void of(T message) throws IOException;
    }

    private static void eachSetAside(Spool spool, Visit<Spool.SetAside> visit) throws IOException {
        Optional<QueueId> after = Optional.empty();
        for (List<Spool.SetAside> page = spool.setAside(after, PAGE); !page.isEmpty(); page = spool.setAside(after,
                PAGE)) {
            for (Spool.SetAside message : page) {
                visit.of(message);
            }
            after = Optional.of(page.getLast().id());
        }
    }

    /// Rewrites damaged headers of segments, makes the index again from the log (the old one is
    /// kept under another name), then reads everything once. Messages that only the old index knows,
    /// because the log has lost them, are set aside.
    public static Report repair(SpoolConfig config, LongSupplier clock) throws SpoolException, IOException {
        try (SpoolLock _ = lock(config);
                Segments log = LogLocation.openStopped(config)) {
            log.startAfter(Position.START);
            mend(log);
            // When the log is lost, only the index knows the messages that were in it.
            if (Files.exists(config.directory().resolve(IndexDatabase.FILE_NAME)) && !log.segments().isEmpty()) {
                OldIndex.keep(config.directory(), "index-replaced-" + clock.getAsLong() + ".mv.db");
            }
        } catch (NewerLogException e) {
            throw Spools.newer(config.directory(), e);
        }
        Spools.openWhole(config, clock, true).close();
        return verify(config, clock);
    }

    private static void mend(Segments log) throws IOException {
        List<Long> headless = new ArrayList<>();
        log.scan(Position.START, log.end(), found -> {
            if (found instanceof ScannedRecord.Headless(long segment, String _)) {
                headless.add(segment);
            }
        });
        for (long segment : headless) {
            log.mend(segment);
        }
    }

    private static SpoolLock lock(SpoolConfig config) throws SpoolException {
        if (Files.notExists(config.directory())) {
            throw new SpoolException(SpoolException.Reason.NOT_WRITABLE,
                    "There is no spool in " + config.directory() + ": give the server's folder with --home.");
        }
        SpoolFormat.check(config.directory());
        return SpoolLock.take(config.directory());
    }

    private static long scan(SpoolConfig config, List<String> findings)
            throws SpoolException, IOException {
        long[] sound = {0};
        try (SpoolLock _ = lock(config);
                Segments log = LogLocation.toLook(config)) {
            log.startAfter(Position.START);
            log.scan(Position.START, log.end(), found -> {
                switch (found) {
                    case ScannedRecord.Sound _ -> sound[0]++;
                    case ScannedRecord.Damaged(long segment, long offset, long bytes, String copy) ->
                        findings.add("Segment " + segment + " has " + bytes + " damaged bytes at " + offset
                                + "; a start copies them to " + copy + ".");
                    case ScannedRecord.Headless(long segment, String copy) ->
                        findings.add("The beginning of segment " + segment + " is damaged (a start copies it to " + copy
                                + "); its records were read nevertheless, and `spool repair` writes it again.");
                    case ScannedRecord.Torn _ -> {
                        // The machine stopped here; no client got a 250 for it.
                    }
                }
            });
            log.gaps().forEach(gap -> findings.add(gap.sentence()));
            log.returned().forEach(segment -> findings.add("Segment " + segment + " is back"
                    + (segment < log.deletedUpTo()
                            ? ", and later ones were deleted: only messages that are set aside are read from it."
                            : ": `spool repair` queues its messages again.")));
        } catch (NewerLogException e) {
            throw Spools.newer(config.directory(), e);
        }
        return sound[0];
    }

    private static long eachMessage(Spool spool, Visit<MessageDetails> visit) throws IOException {
        long count = 0;
        Optional<QueueId> after = Optional.empty();
        for (List<MessageDetails> page = spool.list(after, PAGE); !page.isEmpty(); page = spool.list(after, PAGE)) {
            for (MessageDetails message : page) {
                visit.of(message);
            }
            count += page.size();
            after = Optional.of(page.getLast().summary().id());
        }
        return count;
    }

    /// @return the fault of its content
    private static Optional<String> readThrough(Spool spool, QueueId id) throws IndexException {
        try (InputStream input = spool.content(id).open()) {
            input.transferTo(OutputStream.nullOutputStream());
            return Optional.empty();
        } catch (IndexException e) {
            throw e;
        } catch (IOException e) {
            return Optional.of(DamagedException.reason(e));
        }
    }

    /// The content of one message of a stopped server, and its rows.
    @FunctionalInterface
    public interface MessageReading {
        void read(MessageDetails message, Content content) throws IOException;
    }

    /// @return false when the queue has no such message
    public static boolean read(SpoolConfig config, LongSupplier clock, QueueId id, MessageReading reading)
            throws SpoolException, IOException {
        boolean[] found = {false};
        looking(config, clock, spool -> {
            Optional<MessageDetails> message = spool.details(id);
            if (message.isPresent()) {
                reading.read(message.get(), spool.content(id));
                found[0] = true;
            }
            return new Report(0, 0, List.of());
        });
        return found[0];
    }

    /// Writes every queued message into a file `ID.eml` of `target`; the queue does not change.
    ///
    /// @return findings: messages that could not be written
    public static Report export(SpoolConfig config, LongSupplier clock, Path target)
            throws SpoolException, IOException {
        List<String> findings = new ArrayList<>();
        return looking(config, clock, spool -> {
            Files.createDirectories(target);
            long[] written = {0};
            long queued = eachMessage(spool, message -> {
                List<Recipient> open = message.openRecipients();
                QueueId id = message.summary().id();
                try {
                    if (!open.isEmpty()) {
                        MailFile.write(target.resolve(id + ".eml"), message.envelope(), open, spool.content(id));
                        written[0]++;
                    }
                } catch (IndexException e) {
                    throw e;
                } catch (IOException e) {
                    findings.add("Message " + id + " is not exported: " + e.getMessage() + ".");
                }
            });
            return new Report(written[0], queued, findings);
        });
    }

    /// Commits every `.eml` file of `source`, in order of name, as new messages that are due at
    /// once. A file that was taken is renamed to `.eml.done`, so that an interrupted import can be
    /// repeated.
    public static Report importFrom(SpoolConfig config, LongSupplier clock, Path source)
            throws SpoolException, IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(source)) {
            files = all.filter(file -> file.getFileName().toString().endsWith(".eml")).sorted().toList();
        }
        List<String> findings = new ArrayList<>();
        long taken = 0;
        try (Spool spool = Spools.openWhole(config, clock, false)) {
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
