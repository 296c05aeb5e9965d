package org.slipstream.core.text;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ControlsTest {
    @Test
    void controlCharactersAreReplacedAndNothingElse() {
        assertThat(Controls.replaced("250 ok\r\nRCPT\t\u001b[2J\u0085\u007f")).isEqualTo("250 ok??RCPT??[2J??");
        assertThat(Controls.replaced("j\u00fcrgen \ud83d\udcee")).isEqualTo("j\u00fcrgen \ud83d\udcee");
        assertThat(Controls.in("a\tb")).isTrue();
        assertThat(Controls.in("a b")).isFalse();
    }

    @Test
    void textForAPersonHasNoInvisibleCharacter() {
        assertThat(Controls.replaced("a\u202eb\u2028c\u200bd\ud800")).isEqualTo("a?b?c?d?");
        assertThat(Controls.onOneLine("two\r\nlines\u2029three")).isEqualTo("two lines three");
        assertThat(Controls.escapedJson("{\"a\":\"x\u202ey\ud834\udd73\"}"))
                .isEqualTo("{\"a\":\"x\\u202ey\\ud834\\udd73\"}");
        assertThat(Controls.refusal("reason", "closed\nwrite to bob"))
                .hasValueSatisfying(sentence -> assertThat(sentence).contains("reason", "U+000A"));
        assertThat(Controls.refusal("reason", "j\u00fcrgen \ud83d\udcee")).isEmpty();
        assertThat(Controls.in("\u202e")).as("a protocol permits it").isFalse();
    }

    @Test
    void caseOfAsciiMessagesAlone() {
        assertThat(Ascii.upper("stra\u00dfe \u0131")).isEqualTo("STRA\u00dfE \u0131");
        assertThat(Ascii.lower("MAIL \u212a")).as("Kelvin sign").isEqualTo("mail \u212a");
        assertThat(Ascii.same("Mail", "mAIL")).isTrue();
        assertThat(Ascii.is("mail")).isTrue();
        assertThat(Ascii.is("m\u00e4il")).isFalse();
    }
}
