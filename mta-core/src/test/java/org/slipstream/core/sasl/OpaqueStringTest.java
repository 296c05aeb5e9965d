package org.slipstream.core.sasl;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/// The preparation of passwords, with the examples of RFC 8265 section 4.2.3.
class OpaqueStringTest {
    @Test
    void theExamplesOfTheRfc() {
        assertThat(OpaqueString.enforce("correct horse battery staple")).contains("correct horse battery staple");
        assertThat(OpaqueString.enforce("Correct Horse Battery Staple")).contains("Correct Horse Battery Staple");
        assertThat(OpaqueString.enforce("\u03c0\u00df\u00e5")).contains("\u03c0\u00df\u00e5");
        assertThat(OpaqueString.enforce("Jack of \u2666s")).contains("Jack of \u2666s");
        assertThat(OpaqueString.enforce("foo\u1680bar")).as("Ogham space mark").contains("foo bar");
        assertThat(OpaqueString.enforce("")).isEmpty();
        assertThat(OpaqueString.enforce("my cat is a \tby")).isEmpty();
    }

    @Test
    void aMessageIsOneMessageHoweverItIsTyped() {
        assertThat(OpaqueString.enforce("u\u0308")).isEqualTo(OpaqueString.enforce("\u00fc")).contains("\u00fc");
        assertThat(OpaqueString.enforce("\u1112\u1161\u11ab")).as("decomposed Hangul").contains("\ud55c");
    }

    @Test
    void compatibilityCharactersAndWidthStay() {
        assertThat(OpaqueString.enforce("10\u00b2 \ufb01 \uff11")).contains("10\u00b2 \ufb01 \uff11");
        assertThat(OpaqueString.enforce("\ud83d\ude00")).contains("\ud83d\ude00");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u00adb", "a\u200db", "a\u200bb", "a\ufe0fb", "a\ufeffb", "\u0640", "\u1100", "\u3164",
            "\u0378",
            "\ue000", "\ufffe", "x\ud800", "a\u2028b", "a\u007f", "\udb40\udd00"})
    void invisibleUnknownAndControlCharactersAreRefused(String password) {
        assertThat(OpaqueString.enforce(password)).isEmpty();
    }

    /// RFC 5892 appendix A.3 to A.9.
    @Test
    void someCharactersNeedTheirNeighbours() {
        assertThat(OpaqueString.enforce("col\u00b7lega")).isPresent();
        assertThat(OpaqueString.enforce("a\u00b7b")).isEmpty();
        assertThat(OpaqueString.enforce("\u0375\u03b1")).isPresent();
        assertThat(OpaqueString.enforce("\u0375a")).isEmpty();
        assertThat(OpaqueString.enforce("\u05d0\u05f3")).isPresent();
        assertThat(OpaqueString.enforce("a\u05f4")).isEmpty();
        assertThat(OpaqueString.enforce("\u30ab\u30fb")).isPresent();
        assertThat(OpaqueString.enforce("a\u30fb")).isEmpty();
        assertThat(OpaqueString.enforce("\u0660\u0661")).isPresent();
        assertThat(OpaqueString.enforce("\u0660\u06f1")).isEmpty();
    }

    /// Earlier versions stored passwords in the form of SASLprep.
    @Test
    void theEarlierFormIsComparedWhereItDiffers() {
        assertThat(OpaqueString.forms("pencil")).containsExactly("pencil");
        assertThat(OpaqueString.forms("p\u00e4ss")).containsExactly("p\u00e4ss");
        assertThat(OpaqueString.forms("10\u00b2")).containsExactly("10\u00b2", "102");
        assertThat(OpaqueString.forms("a\u00adb")).as("refused today").containsExactly("ab");
        assertThat(OpaqueString.forms("")).containsExactly("");
    }
}
