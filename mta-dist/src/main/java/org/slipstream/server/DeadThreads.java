package org.slipstream.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;

import java.util.Set;
import java.util.regex.Pattern;

/// The end of a thread by an error that its own code does not handle. Each is told, so no part of the
/// server stops silently.
///
/// A thread that does a lasting task alone has no replacement: without it the server would go on and
/// miss a part. So the process ends, and its supervisor starts it again; mail is in the log of the
/// spool. All other threads serve one client, delivery or question, or belong to a pool that replaces
/// them.
final class DeadThreads implements Thread.UncaughtExceptionHandler {
    /// Names of threads without their number.
    static final Set<String> ESSENTIAL = Set.of("admin", "alarms", "cluster-limits", "cluster-office",
            "cluster-orders",
            "cluster-renewal", "cluster-shards", "events",
            "file-watch", "history", "http-accept",
            "http-cut", "journal", "keep-here", "keep-here-probe", "listener-watchdog",
            "log", "maildrop", "out-watchdog", "qmgr", "shaping", "shards", "sources", "spool-database", "spool-index",
            "spool-log",
            "spool-timeout",
            "spool-watchdog", "webhook");

    private static final Logger log = LoggerFactory.getLogger(DeadThreads.class);
    private static final int EXIT_INTERNAL = 70;
    private static final Pattern NUMBER = Pattern.compile("-[0-9]*$");

    private final Runnable end;

    /// @param end ends the process
    DeadThreads(Runnable end) {
        this.end = end;
    }

    /// For all threads of this process.
    static void watch() {
        Thread.setDefaultUncaughtExceptionHandler(new DeadThreads(() -> Runtime.getRuntime().halt(EXIT_INTERNAL)));
    }

    @Override
    public void uncaughtException(Thread thread, Throwable error) {
        boolean essential = ESSENTIAL.contains(kind(thread.getName()));
        if (thread.getName().equals("log")) {
            // An error waits in the log until this thread has written it.
            System.err.println("the thread of the log died: " + error);
            end.run();
            return;
        }
        try {
            log.error("event=thread-died name=\"{}\" error=\"{}\" next=\"{}\"", LogText.text(thread.getName()),
                    LogText.text(FailureWords.of(error)),
                    essential ? "the process ends" : "another thread takes the next task", error);
        } finally {
            if (essential) {
                end.run();
            }
        }
    }

    static String kind(String name) {
        return NUMBER.matcher(name).replaceFirst("");
    }
}
