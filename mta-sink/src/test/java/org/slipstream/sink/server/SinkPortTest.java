package org.slipstream.sink.server;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

class SinkPortTest {
    @Test
    void aPortAcceptsAgainAfterAFailure() {
        AtomicInteger tried = new AtomicInteger();
        SinkPort.acceptAll(() -> tried.get() == 3, () -> {
            if (tried.incrementAndGet() == 1) {
                throw new IOException("Too many open files");
            }
        });
        assertThat(tried).hasValue(3);
    }
}
