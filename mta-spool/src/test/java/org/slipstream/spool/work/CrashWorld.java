package org.slipstream.spool.work;

import org.slipstream.core.DataSize;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.follow.ChangeSink;
import org.slipstream.spool.index.IndexDatabase;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.index.UnusableIndexException;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.NewMessage;
import org.slipstream.spool.tools.Spools;
import org.slipstream.testkit.SimulatedClock;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Optional;

/// A spool whose log and index lie on one [DiskLog], with segments so small that a few dozen
/// messages fill many.
final class CrashWorld implements Spools.Parts, AutoCloseable {
    static final int SEGMENT_BYTES = 6_000;
    static final int INLINE_BYTES = 5_000;

    final SimulatedClock clock;
    final DiskLog log;
    private final int shard;
    Optional<ChangeSink> changes = Optional.empty();

    CrashWorld(DiskLog log) {
        this(log, 1, new SimulatedClock());
    }

    CrashWorld(DiskLog log, int shard, SimulatedClock clock) {
        this.clock = clock;
        this.log = log;
        this.shard = shard;
        CrashDisk.plugIn(log);
    }

    Spool open() throws SpoolException {
        return Spools.open(
                new SpoolConfig(CrashFiles.at(log), DataSize.of(SEGMENT_BYTES), DataSize.of(INLINE_BYTES),
                        DataSize.ZERO),
                clock::millis, this);
    }

    @Override
    public Optional<ChangeSink> changes() {
        return changes;
    }

    @Override
    public int shard() {
        return shard;
    }

    /// So short that some messages enter the index and others do not.
    @Override
    public long indexDelayMillis() {
        return 5;
    }

    @Override
    public QueueIndex index(SpoolConfig config) throws UnusableIndexException {
        return IndexDatabase.open(Path.of(config.directory().toString()), CrashDisk.SCHEME, 1);
    }

    /// A session writes a large message's file before the writer appends its record, so the file is
    /// recorded just before that.
    @Override
    public MessageLog log(SpoolConfig config) throws IOException {
        MessageLog real = Spools.Parts.super.log(config);
        return (MessageLog) Proxy.newProxyInstance(MessageLog.class.getClassLoader(), new Class<?>[]{MessageLog.class},
                (_, method, arguments) -> {
                    if (method.getName().equals("append") && arguments[0] instanceof NewMessage message
                            && message.content() instanceof NewMessage.InOwnFile) {
                        log.written(config.directory().resolve("large").resolve(message.id() + ".message"));
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
