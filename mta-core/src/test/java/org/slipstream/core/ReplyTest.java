package org.slipstream.core;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ReplyTest {
    @Test
    void everyLineOfAReplyCarriesCodeAndStatus() {
        Reply reply = new Reply(550, EnhancedStatus.parse("5.1.1"), List.of("no such user", "try another"));
        assertThat(reply.toWire()).isEqualTo("550-5.1.1 no such user\r\n550 5.1.1 try another\r\n");
        assertThat(reply).hasToString("550 5.1.1 no such user / try another");
    }

    @Test
    void aReplyWithoutStatusIsReportedWithTheGeneralOneOfItsClass() {
        assertThat(Reply.of(450, "busy").statusOrGeneral()).hasToString("4.0.0");
        assertThat(Reply.of(554, "no").statusOrGeneral()).hasToString("5.0.0");
        assertThat(Reply.of(250, "fine").statusOrGeneral()).hasToString("2.0.0");
    }

    @Test
    void aLineEndCannotBeSmuggledIntoAReply() {
        assertThatThrownBy(() -> Reply.of(250, "fine\r\n250 really")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theClassOfTheCodeDecidesTheOutcome() {
        assertThat(Outcome.of(Reply.of(250, "ok"), "x")).isInstanceOf(Outcome.Delivered.class);
        assertThat(Outcome.of(Reply.of(421, "later"), "x")).isInstanceOf(Outcome.Deferred.class);
        assertThat(Outcome.of(Reply.of(550, "no"), "x")).isInstanceOf(Outcome.Failed.class);
        assertThatThrownBy(() -> new Outcome.Delivered(Reply.of(450, "no"), "x"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aStatusIsThreeNumbersOfAKnownClass() {
        assertThat(EnhancedStatus.parse("2.1.5")).contains(new EnhancedStatus(2, 1, 5));
        assertThat(EnhancedStatus.parse("3.1.5")).isEmpty();
        assertThat(EnhancedStatus.parse("2.1")).isEmpty();
        assertThat(EnhancedStatus.parse("2.1.1000")).isEqualTo(Optional.empty());
        assertThat(EnhancedStatus.parse("5.999.10")).contains(new EnhancedStatus(5, 999, 10));
        for (String none : List.of("", "2", "2.", "2..5", "2.1.", "2.1.5.6", "2.1.5 ", "2.x.5", "22.1.5", "2.1.\u0665",
                "2-1.5", "2.1.-5")) {
            assertThat(EnhancedStatus.parse(none)).as(none).isEmpty();
        }
    }

    // RFC 5321 section 4.5.3.1.5.
    @Test
    void aLineOnTheWireHas512OctetsAtMost() {
        for (Reply reply : List.of(Reply.of(550, "5.1.1", "word ".repeat(300)), Reply.of(450, "x".repeat(5_000)),
                Reply.of(550, "5.1.1", "y".repeat(500)), Reply.of(250, "z".repeat(506)))) {
            List<String> lines = List.of(reply.toWire().split("\r\n"));
            assertThat(lines).allMatch(line -> line.length() + 2 <= 512);
            assertThat(lines.subList(0, lines.size() - 1)).allMatch(line -> line.charAt(3) == '-');
            assertThat(lines.getLast().charAt(3)).isEqualTo(' ');
            assertThat(lines.stream().map(line -> line.replaceFirst("^[0-9]{3}[- ](5\\.1\\.1 )?", ""))
                    .collect(Collectors.joining()).replace(" ", "")).isEqualTo(reply.text().replace(" ", ""));
        }
        assertThat(Reply.of(250, "z".repeat(506)).toWire()).hasSize(512);
        // RFC 4954 section 4: a challenge is longer, and one word.
        assertThat(Reply.of(334, "c".repeat(2_000)).toWire()).hasSize(2_006);
    }
}
