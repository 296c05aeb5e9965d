package org.slipstream.world;

import java.lang.reflect.Field;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// The static state of this JVM that a new process would not have: what a killed server held stays held there,
/// and what one world counted would go on in the next.
final class StateOfJvm {
    private StateOfJvm() {}

    static void forget() {
        clear("org.h2.engine.Engine", "DATABASES");
        // It waits for sessions that are never closed, and keeps all that the killed server had.
        clear("org.h2.util.CloseWatcher", "refs");
        clear("org.slipstream.spool.work.SpoolLock", "HELD_HERE");
        // A killed thread that has the turn to write would have it for good.
        clear("org.slipstream.spool.work.DiskTurn", "TURNS");
        clear("sun.nio.ch.FileLockTable", "lockMap");
        free("org.slipstream.http.HttpPost", "FREE");
        free("org.slipstream.settings.BoundedFiles", "THREADS");
        ((AtomicBoolean) value("org.slipstream.smtpout.wire.OpportunisticTls", "PREPARING")).set(false);
        // The number of digits of a session decides how long the lines are that tell of it.
        ((AtomicLong) value("org.slipstream.smtpin.SmtpListener", "sessions")).set(0);
    }

    private static void clear(String type, String field) {
        Object value = value(type, field);
        if (value instanceof Map<?, ?> map) {
            map.clear();
        } else {
            ((Collection<?>) value).clear();
        }
    }

    /// Gives back the permits that dropped threads had.
    private static void free(String type, String field) {
        Semaphore permits = (Semaphore) value(type, field);
        permits.drainPermits();
        permits.release((int) value(type, "MOST_AT_ONCE"));
    }

    private static Object value(String type, String field) {
        try {
            Field found = Class.forName(type).getDeclaredField(field);
            found.setAccessible(true);
            return found.get(null);
        } catch (ReflectiveOperationException changed) {
            throw new IllegalStateException(changed);
        }
    }
}
