package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.spool.Spool;
import org.slipstream.spool.log.MessageLog;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/// The thread `spool-database-1`, with the number of the shard: keeps the claim of a log in a database, and says when
/// what was accepted is in one copy only, or may be lost by a setting of the database.
public final class DatabaseWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DatabaseWatch.class);
    /// Another server may claim the log when this one was not heard of for so long.
    public static final Duration LEASE = Duration.ofSeconds(90);
    private static final Duration LOOK = LEASE.dividedBy(3);

    private final MessageLog messageLog;
    private final HealthReport health;
    private final Thread thread;
    private Optional<String> told = Optional.empty();

    public DatabaseWatch(int shard, MessageLog messageLog, HealthReport health) {
        this.messageLog = messageLog;
        this.health = health;
        thread = Thread.ofPlatform().daemon().name("spool-database-" + shard).unstarted(this::run);
    }

    public void start() {
        look();
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(LOOK);
                look();
            }
        } catch (InterruptedException closed) {
            // The spool is closed.
        }
    }

    void look() {
        Optional<String> danger;
        try {
            danger = messageLog.danger();
        } catch (IOException | RuntimeException e) {
            danger = Optional.of(HealthReport.innermost(e));
        }
        danger.ifPresentOrElse(why -> health.met(Spool.What.COPIES, new IOException(why)),
                () -> health.over(Spool.What.COPIES));
        if (!danger.equals(told)) {
            log.warn("event=log-database danger=\"{}\"", LogText.text(danger.orElse("none any more")));
            told = danger;
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        Threads.join(thread);
    }
}
