package org.slipstream.server.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/// Sets how much is logged. [LogConfiguration] lets only warnings through, which is right for all commands but `run`.
final class LogLevel {
    private LogLevel() {}

    /// Our own lines from this level on. Libraries speak from warnings on, and only in errors when we do, too.
    static void set(String name) {
        Level level = Level.toLevel(name, Level.INFO);
        logger("org.slipstream").setLevel(level);
        logger(Logger.ROOT_LOGGER_NAME).setLevel(level == Level.ERROR ? Level.ERROR : Level.WARN);
    }

    private static Logger logger(String name) {
        return (Logger) LoggerFactory.getLogger(name);
    }
}
