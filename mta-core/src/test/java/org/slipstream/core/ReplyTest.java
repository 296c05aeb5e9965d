package org.slipstream.core;

import org.junit.jupiter.api.Test;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.PastAttempt;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
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
    void aReplyThatIsKeptHasTenLinesAndOneKibibyteAtMost() {
        Reply fits = new Reply(550, Optional.empty(), Collections.nCopies(10, "x".repeat(101)));
        assertThat(fits.shortened()).isSameAs(fits);
        assertThat(Reply.of(550, "x".repeat(1024)).shortened().text()).hasSize(1024).endsWith("x");
        assertThat(Reply.of(550, "x".repeat(1025)).shortened().text()).hasSize(1024).endsWith("x [...]");
        for (String character : List.of("x", "é", "€", "😀")) {
            for (int lines = 1; lines < 60; lines++) {
                for (int length = 0; length < 1100; length += 13) {
                    Reply reply = new Reply(550, EnhancedStatus.parse("5.1.1"), Collections.nCopies(lines,
                            character.repeat(length)));
                    List<String> kept = reply.shortened().lines();
                    assertThat(kept).hasSizeLessThanOrEqualTo(10);
                    byte[] octets = String.join("\n", kept).getBytes(StandardCharsets.UTF_8);
                    assertThat(octets.length).isLessThanOrEqualTo(1024);
                    assertThat(new String(octets, StandardCharsets.UTF_8)).doesNotContain("?", "\ufffd");
                    assertThat(reply.shortened().status()).isEqualTo(reply.status());
                    assertThat(kept.equals(reply.lines()) || kept.getLast().endsWith(" [...]")).isTrue();
                }
            }
        }
    }

    @Test
    void anOutcomeKeepsAShortenedReplyWhateverItsOrigin() {
        Reply endless = new Reply(450, Optional.empty(), Collections.nCopies(200, "x".repeat(300)));
        assertThat(Outcome.of(endless, "x").reply()).isEqualTo(endless.shortened()).isNotEqualTo(endless);
        assertThat(new PastAttempt(0, "x", Optional.empty(), endless, 0, 1).reply()).isEqualTo(endless.shortened());
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
