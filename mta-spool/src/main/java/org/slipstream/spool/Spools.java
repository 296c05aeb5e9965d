package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.spool.box.Directories;
import org.slipstream.spool.box.LetterBox;
import org.slipstream.spool.box.Segments;
import org.slipstream.spool.register.Register;
import org.slipstream.spool.register.RegisterDamage;
import org.slipstream.spool.register.RegisterDatabase;
import org.slipstream.spool.register.UnusableRegisterException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;

/// Opens spools.
///
/// The order matters. First the version is read, so that a spool of a newer program is left as it is; then the lock is
/// taken, so that nothing of another process is touched; then the register opens, the box is replayed into it, and only
/// then the writer starts. What fails on the way closes what was opened before.
public final class Spools {
    private static final Logger LOG = LoggerFactory.getLogger(Spools.class);
    private static final int READERS = 2;
    /// Clients should wait 10 minutes for the reply to a message (RFC 5321 section 4.5.3.2.6); many wait for 1 or 2.
    private static final long PATIENCE_MILLIS = 45_000;
    /// A supervisor starts the server again.
    private static final int EXIT_INTERNAL = 70;
    /// What waits for longer is read back from the page cache; held here, the collector would carry it along all the time.
    private static final long FRESH_BYTES = 16 << 20;
    /// Of the heap: 32 of 512 MiB.
    private static final int DRAFTS_SHARE = 16;

    private Spools() {}

    /// @param clock milliseconds since 1970
    public static Spool open(SpoolConfig config, LongSupplier clock) throws SpoolException {
        return open(config, clock, new Parts() {});
    }

    /// What a test may replace: the world below the spool.
    interface Parts {
        default LetterBox box(SpoolConfig config) throws IOException {
            return new Segments(config.directory(), config.segmentBytes(), config.segmentGraceMillis());
        }

        default Register register(SpoolConfig config) throws UnusableRegisterException {
            return config.database().isPresent()
                    ? RegisterDatabase.openShared(config.database().get(), READERS)
                    : RegisterDatabase.open(config.directory(), READERS);
        }

        /// How long a session waits for the writer to take its letter.
        default long patienceMillis() {
            return PATIENCE_MILLIS;
        }

        /// What letters may take before they are on disk, beyond the small buffer that each has.
        default DraftMemory drafts() {
            return new DraftMemory(Runtime.getRuntime().maxMemory() / DRAFTS_SHARE);
        }

        /// How long a write may not come back while the disk works.
        default long watchdogMillis() {
            return Watchdog.PATIENCE_MILLIS;
        }

        /// Ends the process in which the writer hangs.
        default void end() {
            Runtime.getRuntime().halt(EXIT_INTERNAL);
        }

        default SpaceGuard.Disk disk(SpoolConfig config) throws IOException {
            return SpaceGuard.Disk.of(config.directory());
        }

        /// Whether an empty box is taken for what it is although the register names letters.
        default boolean acceptsEmptyBox() {
            return false;
        }
    }

    static Spool open(SpoolConfig config, LongSupplier clock, Parts parts) throws SpoolException {
        return open(config, clock, parts, Optional.empty());
    }

    /// For an operator who repairs: whatever is missing is set aside.
    ///
    /// @param old a register in whose place a new one is made, kept for what the box does not know
    static Spool openToRepair(SpoolConfig config, LongSupplier clock, Optional<Path> old) throws SpoolException {
        return open(config, clock, new Parts() {
            @Override
            public boolean acceptsEmptyBox() {
                return true;
            }
        }, old);
    }

    private static Spool open(SpoolConfig config, LongSupplier clock, Parts parts, Optional<Path> old)
            throws SpoolException {
        long begin = System.nanoTime();
        SpoolFormat.check(config.directory());
        createDirectory(config.directory());
        SpoolLock lock = SpoolLock.take(config.directory());
        ReaderThreads readers = new ReaderThreads(READERS);
        try {
            // Not on the caller's thread: it may be interrupted, and the database would not survive that.
            Spool spool = readers.run(() -> open(config, clock, parts, lock, readers, old));
            LOG.debug("event=spool-open directory={} millis={}", config.directory(),
                    (System.nanoTime() - begin) / 1_000_000);
            return spool;
        } catch (ExecutionException e) {
            readers.close();
            lock.close();
            throw refusal(config.directory(), e.getCause());
        }
    }

    private static void createDirectory(Path directory) throws SpoolException {
        try {
            if (Files.notExists(directory)) {
                Files.createDirectories(directory.toAbsolutePath().getParent());
                // It will hold other people's mail.
                Files.createDirectory(directory, ownerOnly(directory));
                Directories.sync(directory.toAbsolutePath().getParent());
            }
        } catch (IOException e) {
            throw notWritable(directory, e);
        }
    }

    private static FileAttribute<?>[] ownerOnly(Path directory) {
        return directory.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[]{
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))}
                : new FileAttribute<?>[0];
    }

    private static Spool open(SpoolConfig config, LongSupplier clock, Parts parts, SpoolLock lock,
            ReaderThreads readers, Optional<Path> old)
            throws IOException, UnusableRegisterException, SpoolException {
        SpoolFormat.mark(config.directory());
        LetterBox box = parts.box(config);
        Path aside;
        try {
            return open(config, clock, parts, lock, readers, box, parts.register(config), old);
        } catch (SpoolException e) {
            box.close();
            throw e;
        } catch (IOException | UnusableRegisterException | RuntimeException e) {
            box.close();
            if (!RegisterDamage.isBehind(e)
                    || Files.notExists(config.directory().resolve(RegisterDatabase.FILE_NAME))) {
                throw e;
            }
            aside = setRegisterAside(config.directory(), clock.getAsLong(), e);
        }
        LetterBox fresh = parts.box(config);
        return open(config, clock, parts, lock, readers, fresh, parts.register(config), Optional.of(aside));
    }

    /// A register that cannot be read is kept under a name of its own, and a new one is made from the box: letters, who has
    /// had them, and what is held lie there. Anything else that keeps it from opening (another process, a newer program, a
    /// full disk, a folder without rights) has nothing to do with its contents.
    private static Path setRegisterAside(Path directory, long nowMillis, Exception why) throws IOException {
        Path aside = directory.resolve("register-damaged-" + nowMillis + ".mv.db");
        Files.move(directory.resolve(RegisterDatabase.FILE_NAME), aside);
        Directories.sync(directory);
        LOG.warn("event=register-made-anew-from-box kept={} reason=\"{}\"", aside, why.getMessage());
        return aside;
    }

    private static Spool open(SpoolConfig config, LongSupplier clock, Parts parts, SpoolLock lock,
            ReaderThreads readers, LetterBox box, Register register, Optional<Path> old)
            throws IOException, SpoolException {
        try {
            // The names of the box's folders and of a new register: the sync of what lies in them does not cover them.
            Directories.sync(config.directory());
            if (!parts.acceptsEmptyBox()) {
                requireBox(config.directory(), box, register);
            }
            Replay.Result replayed = Replay.run(box, register, old, clock.getAsLong());
            FreshLetters fresh = new FreshLetters(Math.min(FRESH_BYTES, Runtime.getRuntime().maxMemory() / 8));
            SpaceGuard space = new SpaceGuard(parts.disk(config), config.minimumFreeBytes());
            Troubles troubles = new Troubles(clock, System::nanoTime);
            SpoolWriter writer = new SpoolWriter(box, register, fresh, space, clock, replayed.lastSeq(),
                    register.standing().lastSeq(), new Cleaner(box, register, fresh, config.segmentBytes()), troubles);
            writer.start();
            // A database elsewhere may take its time, and its connections have limits of their own.
            Optional<Watchdog> watchdog = config.database().isPresent()
                    ? Optional.empty()
                    : Optional.of(new Watchdog(troubles, writer::isStopping, Watchdog.Probe.in(config.directory()),
                            System::nanoTime, parts.watchdogMillis(), parts::end));
            watchdog.ifPresent(Watchdog::start);
            return new LocalSpool(config, clock, box, register, fresh, space, writer, readers, lock,
                    replayed.lastId(), Patience.with(writer, parts.patienceMillis()), parts.drafts(),
                    watchdog);
        } catch (IOException | SpoolException | RuntimeException e) {
            register.close();
            throw e;
        }
    }

    /// A disk that is not mounted and a folder that was deleted look like this. Nothing has been written yet: with the files back
    /// in their place, the next start finds everything as it was.
    private static void requireBox(Path directory, LetterBox box, Register register)
            throws IOException, SpoolException {
        long queued = box.segments().isEmpty() ? register.named().queued() : 0;
        if (queued > 0) {
            throw new SpoolException(SpoolException.Reason.DAMAGED, "The folder " + directory.resolve("box")
                    + " has no segment, and the register names " + queued
                    + " messages in it: put the folder back (is its disk mounted?), or set these messages aside with"
                    + " `mta spool repair`.");
        }
    }

    private static SpoolException refusal(Path directory, Throwable cause) {
        return switch (cause) {
            case UnusableRegisterException e -> switch (e.why()) {
                case IN_USE -> new SpoolException(SpoolException.Reason.IN_USE, e.getMessage(), e);
                case NEWER_VERSION -> new SpoolException(SpoolException.Reason.NEWER_VERSION, e.getMessage(), e);
                case NOT_WRITABLE -> new SpoolException(SpoolException.Reason.NOT_WRITABLE, e.getMessage(), e);
                case DAMAGED, UNREADABLE -> new SpoolException(SpoolException.Reason.DAMAGED, e.getMessage(), e);
            };
            case SpoolException e -> e;
            case IOException e -> notWritable(directory, e);
            case Error e -> throw e;
            default -> new SpoolException(SpoolException.Reason.DAMAGED,
                    "The spool " + directory + " cannot be opened (" + cause + ").", cause);
        };
    }

    private static SpoolException notWritable(Path directory, IOException e) {
        return new SpoolException(SpoolException.Reason.NOT_WRITABLE, "The spool " + directory
                + " cannot be made, read or written (" + e + "): give this user the right to, or choose another one.",
                e);
    }
}
