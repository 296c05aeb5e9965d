package org.slipstream.spool;

import org.slipstream.spool.box.LetterBox;
import org.slipstream.spool.box.NewLetter;
import org.slipstream.spool.register.Register;
import org.slipstream.spool.register.RegisterDatabase;
import org.slipstream.spool.register.UnusableRegisterException;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/// A spool whose box and register lie on one [DiskLog], with segments so small that a few dozen letters fill many.
final class CrashWorld implements Spools.Parts, AutoCloseable {
    static final int SEGMENT_BYTES = 6_000;
    static final int INLINE_BYTES = 5_000;

    final AtomicLong nowMillis = new AtomicLong(1_800_000_000_000L);
    final DiskLog log;

    CrashWorld(DiskLog log) {
        this.log = log;
        CrashDisk.plugIn(log);
    }

    Spool open() throws SpoolException {
        return open(0);
    }

    /// For whoever reads: with the grace time of a server nothing is deleted between the question where a letter lies and its
    /// reading.
    Spool openToRead() throws SpoolException {
        return open(60_000);
    }

    private Spool open(long graceMillis) throws SpoolException {
        return Spools.open(new SpoolConfig(CrashFiles.at(log), SEGMENT_BYTES, INLINE_BYTES, 0, graceMillis),
                nowMillis::get, this);
    }

    @Override
    public Register register(SpoolConfig config) throws UnusableRegisterException {
        return RegisterDatabase.open(Path.of(config.directory().toString()), CrashDisk.SCHEME, 1);
    }

    /// A session writes a large letter's file before the writer appends its record, so the log is told just before that.
    @Override
    public LetterBox box(SpoolConfig config) throws IOException {
        LetterBox real = Spools.Parts.super.box(config);
        return (LetterBox) Proxy.newProxyInstance(LetterBox.class.getClassLoader(), new Class<?>[]{LetterBox.class},
                (_, method, arguments) -> {
                    if (method.getName().equals("append") && arguments[1] instanceof NewLetter letter
                            && letter.content() instanceof NewLetter.OwnFile) {
                        log.written(config.directory().resolve("large").resolve(letter.id() + ".letter"));
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public void close() {
        CrashDisk.unplug(log);
    }
}
