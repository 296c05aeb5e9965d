package org.slipstream.core.text;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class XtextTest {
    @Test
    void encodedTextIsDecoded() {
        assertThat(Xtext.encode("a+b=c d")).isEqualTo("a+2Bb+3Dc+20d");
        assertThat(Xtext.decode("a+2Bb+3Dc+20d")).contains("a+b=c d");
        assertThat(Xtext.encode("\u00fc")).as("by octets of UTF-8").isEqualTo("+C3+BC");
        assertThat(Xtext.decode("+C3+BC")).contains("\u00c3\u00bc");
    }

    @Test
    void otherTextIsNotXtext() {
        for (String text : new String[]{"a b", "a=b", "+", "+2", "+2b", "+G0", "\u00fc", "\u007f", "a\r\n"}) {
            assertThat(Xtext.decode(text)).as(text).isEmpty();
        }
        assertThat(Xtext.decodeInternational("\u00fc+2B")).contains("\u00fc+");
        assertThat(Xtext.decodeInternational("a=b")).isEmpty();
    }
}
