package org.slipstream.server.shard;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class ShardSupervisorTest {
    /// An executor would keep the error and never run the task again.
    @Test
    void anErrorOfATaskIsToldAndTheTaskStaysScheduled() {
        Logger logger = (Logger) LoggerFactory.getLogger(ShardSupervisor.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            ShardSupervisor.told(() -> {
                throw new StackOverflowError();
            }).run();
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).singleElement().extracting(ILoggingEvent::getMessage).isEqualTo("event=task-failed");
    }
}
