package org.slipstream.cli.log;

import ch.qos.logback.classic.LoggerContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.ServerLog;
import org.slipstream.config.Config;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;

/// Puts the settings of the log into force, at the start and at each reload.
///
/// A file that cannot be opened changes nothing: the log goes on where it was, and says so.
public final class LogOutput {
    private LogOutput() {}

    /// The latest lines; none when `-Dlogback.configurationFile` decides.
    public static ServerLog recent() {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        return context.getLogger(Logger.ROOT_LOGGER_NAME)
                .getAppender(LogConfiguration.RECENT) instanceof RecentEvents recent ? recent : ServerLog.NONE;
    }

    public static void use(Config.Log settings) {
        LogLevel.set(settings.level());
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        if (!(context.getLogger(Logger.ROOT_LOGGER_NAME)
                .getAppender(LogConfiguration.APPENDER) instanceof LineAppender appender)) {
            return; // -Dlogback.configurationFile decides
        }
        boolean json = settings.format().equals("json");
        try {
            appender.change(LogConfiguration.encoder(context, json, settings.file().isEmpty() && Journald.isReader()),
                    settings.file().isPresent()
                            ? new LogFile(settings.file().get())
                            : new FileOutputStream(FileDescriptor.err));
        } catch (IOException refused) {
            LoggerFactory.getLogger(LogOutput.class).error(
                    "event=log-file-not-opened file=\"{}\" error=\"{}\" next=\"the log goes on where it was\"",
                    LogText.text(settings.file().map(Path::toString).orElse("")),
                    LogText.text(FailureWords.of(refused)));
        }
    }
}
