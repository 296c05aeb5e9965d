package org.slipstream.events.stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

class SubscribersTest {
    @TempDir
    Path folder;

    private static StreamCursor at(String text) {
        return StreamCursor.parse(text).orElseThrow();
    }

    @Test
    void aPlaceOutlivesTheProcess() throws IOException {
        assertThat(new Subscribers(folder).move("billing", at("1.4.100.1_2.7.0.0"))).isTrue();
        Subscribers again = new Subscribers(folder);
        assertThat(again.place("billing")).contains(at("1.4.100.1_2.7.0.0"));
        assertThat(again.slowest(2)).contains(new EventCursor(2, 7, 0, 0));
        assertThat(again.forget("billing")).isTrue();
        assertThat(again.forget("billing")).isFalse();
        assertThat(new Subscribers(folder).all()).isEmpty();
    }

    @Test
    void theSlowestDecides() throws IOException {
        Subscribers all = new Subscribers(folder);
        assertThat(all.slowest(1)).isEmpty();
        all.move("fast", at("1.4.100.1"));
        all.move("slow", at("1.3.900.2"));
        assertThat(all.slowest(1)).contains(new EventCursor(1, 3, 900, 2));
    }

    @Test
    void theirNumberIsLimited() throws IOException {
        Subscribers all = new Subscribers(folder);
        for (int i = 0; i < Subscribers.MOST; i++) {
            assertThat(all.move("reader-" + i, StreamCursor.OLDEST)).isTrue();
        }
        assertThat(all.move("one-more", StreamCursor.OLDEST)).isFalse();
        assertThat(all.move("reader-3", at("1.1.1.1"))).isTrue();
        assertThat(Subscribers.isName("../../etc/passwd")).isFalse();
        assertThat(Subscribers.isName("a".repeat(41))).isFalse();
    }

    /// Events come again rather than never.
    @Test
    void aDamagedPlaceIsTheOldest() throws IOException {
        new Subscribers(folder).move("billing", at("1.4.100.1"));
        Files.write(folder.resolve("billing.cursor"), new byte[8]);
        assertThat(new Subscribers(folder).place("billing")).contains(StreamCursor.OLDEST);
    }

    @Test
    void onlyTheFormOfACursorIsOne() {
        for (String text : new String[]{"x", "1.2.3", "1.2.3.4_1.2.3.5", "1.2.3.4_", "100.1.1.1", "1.2.3.-4",
                "1.1.1.1_".repeat(70)}) {
            assertThat(StreamCursor.parse(text)).as(text).isEmpty();
        }
        assertThat(StreamCursor.parse("")).contains(StreamCursor.OLDEST);
    }
}
