package org.slipstream.local.maildrop;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

class SeldomLinesTest {
    @Test
    void aKindHasOneLineAMinuteAndTheNextOneCountsTheRest() {
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
        SeldomLines lines = new SeldomLines(nanos::get);
        assertThat(lines.next("a")).hasValue(0);
        assertThat(lines.next("a")).isEmpty();
        assertThat(lines.next("a")).isEmpty();
        assertThat(lines.next("b")).hasValue(0);
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        assertThat(lines.next("a")).hasValue(2);
        assertThat(lines.next("a")).isEmpty();
    }
}
