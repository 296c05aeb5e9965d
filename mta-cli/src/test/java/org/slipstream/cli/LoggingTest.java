package org.slipstream.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slipstream.cli.log.LineAppender;
import org.slipstream.cli.log.LogConfiguration;
import org.slipstream.cli.log.LogLevel;
import org.slipstream.core.LogShard;
import org.slipstream.core.QueueId;

import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

class LoggingTest {
    @AfterEach
    void quietAgain() {
        LogLevel.set("warn");
    }

    @Test
    void aFactIsOneLineWhateverAPeerWroteIntoIt() throws Exception {
        LoggerContext context = new LoggerContext();
        new LogConfiguration().configure(context);
        Logger logger = context.getLogger("org.slipstream.x.Carrier");
        LineAppender appender = appender(context);
        String line = new String(appender.encoder().encode(new LoggingEvent("", logger, Level.WARN,
                "queue=1 reply={}", null, new Object[]{"550 no\r\nqueue=2 \u001b[2J"})), StandardCharsets.UTF_8);
        assertThat(line).matches(
                "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z WARN  queue=1 reply=550 no queue=2  \\[2J thread=main"
                        + " logger=Carrier\\R");
        context.stop();
    }

    @Test
    @Tag("IM-31")
    void aLineOfOneOfSeveralShardsHasItsNumber() {
        LoggerContext context = new LoggerContext();
        new LogConfiguration().configure(context);
        Logger logger = context.getLogger("org.slipstream.x.Carrier");
        LineAppender appender = appender(context);
        LoggingEvent event = new LoggingEvent("", logger, Level.WARN,
                "event=delivery queue=" + QueueId.after(0, 1_000_000_000_000L, 3) + " reply=\"250 ok\"", null,
                new Object[0]);
        event.setThreadName("session-9");
        // Another test of this process may have started a server with several shards.
        LogShard.several(false);
        try {
            assertThat(new String(appender.encoder().encode(event), StandardCharsets.UTF_8))
                    .contains("reply=\"250 ok\" thread=session-9");
            LogShard.several(true);
            assertThat(new String(appender.encoder().encode(event), StandardCharsets.UTF_8))
                    .contains("reply=\"250 ok\" shard=3 thread=session-9");
        } finally {
            LogShard.several(false);
            context.stop();
        }
    }

    private static LineAppender appender(LoggerContext context) {
        return (LineAppender) context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(LogConfiguration.APPENDER);
    }

    @Test
    void theLevelIsOursWhileLibrariesOnlyWarn() {
        LogLevel.set("debug");
        assertThat(LoggerFactory.getLogger("org.slipstream.qmgr").isDebugEnabled()).isTrue();
        assertThat(LoggerFactory.getLogger("org.xbill.DNS").isInfoEnabled()).isFalse();
        assertThat(LoggerFactory.getLogger("org.xbill.DNS").isWarnEnabled()).isTrue();
        assertThat(LoggerFactory.getLogger("org.subethamail.smtp.server.Session").isErrorEnabled()).isFalse();
        LogLevel.set("error");
        assertThat(LoggerFactory.getLogger("org.slipstream.qmgr").isWarnEnabled()).isFalse();
        assertThat(LoggerFactory.getLogger("any.other").isWarnEnabled()).isFalse();
    }
}
