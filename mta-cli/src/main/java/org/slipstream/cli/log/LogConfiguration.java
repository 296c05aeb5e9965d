package org.slipstream.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.NopStatusListener;
import org.slipstream.core.LogShard;
import org.slipstream.core.text.Controls;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/// Configures logback: one line per event on standard error. `run` sets the level of org.slipstream
/// from `log.level` ([LogLevel]); other commands log warnings only.
///
/// It is code and not a `logback.xml`, because an XML parser and logback's interpreter of it are
/// some 350 classes that every start would load and an idle server keep. A file named by
/// `-Dlogback.configurationFile`, or a `logback-test.xml`, takes precedence.
@ConfiguratorRank(ConfiguratorRank.CUSTOM_NORMAL_PRIORITY)
public final class LogConfiguration extends ContextAwareBase implements Configurator {
    /// Line ends inside a message (from a peer's reply, perhaps) must not look like log lines, nor
    /// control the terminal.
    private static final String PATTERN = "%d{\"yyyy-MM-dd'T'HH:mm:ss.SSS'Z'\",UTC} %-5level "
            + "%text%shard thread=%thread logger=%logger{0}%n";

    public static final String APPENDER = "lines";
    static final String RECENT = "recent";

    private static final Map<String, Level> LIBRARIES = Map.of(
            // These log stack traces at WARN for every client that disconnects.
            "org.subethamail.smtp.server.Session", Level.OFF, "org.subethamail", Level.ERROR, "com.zaxxer.hikari",
            Level.WARN, "h2database", Level.WARN, "org.xbill", Level.WARN,
            "org.simplejavamail", Level.ERROR);

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty("logback.configurationFile") != null
                || LogConfiguration.class.getResource("/logback-test.xml") != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        context.getStatusManager().add(new NopStatusListener());
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(appender(context));
        root.addAppender(recent(context));
        LIBRARIES.forEach((library, level) -> context.getLogger(library).setLevel(level));
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /// The message as one line.
    private static final class OneLineConverter extends ClassicConverter {
        @Override
        public String convert(ILoggingEvent event) {
            return Controls.onOneLine(event.getFormattedMessage());
        }
    }

    /// The shard of a line, when the server has several.
    private static final class ShardConverter extends ClassicConverter {
        @Override
        public String convert(ILoggingEvent event) {
            return LogShard.suffix(event.getThreadName(), event.getFormattedMessage());
        }
    }

    /// Lines with priorities.
    private static final class JournaldLayout extends LayoutBase<ILoggingEvent> {
        private final Layout<ILoggingEvent> lines;

        private JournaldLayout(Layout<ILoggingEvent> lines) {
            this.lines = lines;
        }

        @Override
        public String doLayout(ILoggingEvent event) {
            return Journald.prefixed(event.getLevel(), lines.doLayout(event));
        }
    }

    private static Layout<ILoggingEvent> layout(LoggerContext context, boolean json) {
        if (json) {
            return started(context, new JsonLogLayout());
        }
        PatternLayout layout = new PatternLayout();
        layout.getInstanceConverterMap().put("text", OneLineConverter::new);
        layout.getInstanceConverterMap().put("shard", ShardConverter::new);
        layout.setPattern(PATTERN);
        return started(context, layout);
    }

    private static Layout<ILoggingEvent> started(LoggerContext context, Layout<ILoggingEvent> layout) {
        layout.setContext(context);
        layout.start();
        return layout;
    }

    /// @param prefixed with the priority for journald
    public static Encoder<ILoggingEvent> encoder(LoggerContext context, boolean json, boolean prefixed) {
        Layout<ILoggingEvent> lines = layout(context, json);
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setLayout(prefixed ? started(context, new JournaldLayout(lines)) : lines);
        encoder.start();
        return encoder;
    }

    private static RecentEvents recent(LoggerContext context) {
        RecentEvents recent = new RecentEvents();
        recent.setContext(context);
        recent.setName(RECENT);
        recent.start();
        return recent;
    }

    private static LineAppender appender(LoggerContext context) {
        LineAppender appender = new LineAppender(encoder(context, false, Journald.isReader()));
        appender.setContext(context);
        appender.setName(APPENDER);
        appender.start();
        return appender;
    }
}
