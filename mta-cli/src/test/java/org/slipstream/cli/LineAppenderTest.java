package org.slipstream.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.cli.log.LineAppender;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class LineAppenderTest {
    private final LoggerContext context = new LoggerContext();
    private final Stream stream = new Stream();

    /// Keeps each write, and can hold one up.
    private static final class Stream extends OutputStream {
        final List<String> writes = new ArrayList<>();
        volatile CountDownLatch open = new CountDownLatch(0);

        @Override
        public void write(int b) {
            throw new AssertionError("one byte at a time");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            synchronized (writes) {
                writes.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
            }
            try {
                open.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        String all() {
            synchronized (writes) {
                return String.join("", writes);
            }
        }

        int count() {
            synchronized (writes) {
                return writes.size();
            }
        }
    }

    private Logger logger() {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%msg|");
        encoder.start();
        LineAppender appender = new LineAppender(encoder, stream);
        appender.setContext(context);
        appender.start();
        Logger logger = context.getLogger("x");
        logger.setLevel(Level.INFO);
        logger.addAppender(appender);
        return logger;
    }

    @AfterEach
    void stop() {
        stream.open.countDown();
        context.stop();
    }

    @Test
    void linesThatComeWhileOneIsBeingWrittenGoOutTogetherAndInOrder() {
        Logger logger = logger();
        stream.open = new CountDownLatch(1);
        logger.info("0");
        await().atMost(Duration.ofSeconds(90)).until(() -> stream.count() == 1);
        IntStream.range(1, 1000).forEach(i -> logger.info("{}", i));
        stream.open.countDown();
        String expected = String.join("", IntStream.range(0, 1000).mapToObj(i -> i + "|").toList());
        await().atMost(Duration.ofSeconds(90)).until(() -> stream.all().length() == expected.length());
        assertThat(stream.all()).isEqualTo(expected);
        assertThat(stream.count()).isEqualTo(2);
    }

    @Test
    void anErrorIsOnTheStreamWhenTheCallReturns() {
        Logger logger = logger();
        logger.info("before");
        logger.error("the end");
        assertThat(stream.all()).isEqualTo("before|the end|");
    }

    @Test
    void nothingIsLeftBehindAtTheEnd() {
        Logger logger = logger();
        IntStream.range(0, 100).forEach(i -> logger.info("{}", i));
        context.stop();
        assertThat(stream.all()).endsWith("98|99|");
    }
}
