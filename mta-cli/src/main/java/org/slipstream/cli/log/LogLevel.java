package org.slipstream.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/// Sets the log level. [LogConfiguration] admits only warnings, which suits all commands except
/// `run`.
public final class LogLevel {
    private LogLevel() {}

    /// Logs the server's own lines from this level on. Libraries log warnings, and only errors when
    /// the server does, too.
    public static void set(String name) {
        Level level = Level.toLevel(name, Level.INFO);
        logger("org.slipstream").setLevel(level);
        logger(Logger.ROOT_LOGGER_NAME).setLevel(level == Level.ERROR ? Level.ERROR : Level.WARN);
    }

    private static Logger logger(String name) {
        return (Logger) LoggerFactory.getLogger(name);
    }
}
