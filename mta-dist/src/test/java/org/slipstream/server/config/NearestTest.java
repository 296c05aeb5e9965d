package org.slipstream.server.config;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class NearestTest {
    @Test
    void theNearestWordIsFoundUnlessItIsFar() {
        assertThat(Nearest.to("mesage-size", List.of("message-size", "header-size"))).hasValue("message-size");
        assertThat(Nearest.to("messageSize", List.of("message-size", "header-size"))).hasValue("message-size");
        assertThat(Nearest.to("xyzzy", List.of("message-size", "lanes"))).isEmpty();
        assertThat(Nearest.steps("listne", "listen")).isEqualTo(1);
    }
}
