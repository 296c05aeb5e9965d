package org.slipstream.smtpin.data;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

class HeaderWatchTest {
    @Test
    void theHeaderEndsAtTheEmptyLine() {
        HeaderWatch header = watch("From: a\r\nSubject: b\r\n folded\r\n\r\nbody: 1\r\nReceived: no\r\n");
        assertThat(header.lines()).isEqualTo(3);
        assertThat(header.bytes()).isEqualTo(32);
        assertThat(header.received()).isZero();
    }

    @Test
    void textThatIsNoHeaderHasNone() {
        HeaderWatch header = watch("Dear all,\r\nReceived: your letter\r\n" + "more text\r\n".repeat(1000));
        assertThat(header.lines()).isZero();
        assertThat(header.received()).isZero();
        assertThat(header.bytes()).isLessThan(20);
    }

    @Test
    void aMailboxSeparatorEndsTheHeaderToo() {
        assertThat(watch("From a@b Mon Jan 1\r\nReceived: x\r\n").received()).isZero();
    }

    @Test
    void receivedFieldsAreCountedInAnyCase() {
        assertThat(watch("Received: a\r\nRECEIVED:b\r\nX-Received: no\r\nreceived: c\r\n received: folded\r\n"
                + "Received-SPF: no\r\nReceive: no\r\n\r\n").received()).isEqualTo(3);
    }

    @Test
    void aBlankBeforeTheColonHidesNoHop() {
        assertThat(watch("Received : a\r\nreceived \t:b\r\nReceivedX: no\r\nReceived-SPF : no\r\n\r\n").received())
                .isEqualTo(2);
    }

    @Test
    void anOldFashionedBlankBeforeTheColonIsStillAField() {
        assertThat(watch("Subject : x\r\nTo: y\r\n\r\n").lines()).isEqualTo(2);
    }

    @Test
    void piecesMakeNoDifference() {
        String text = "Received: a\r\n\tfolded\r\nSubject: b\r\n\r\nbody";
        HeaderWatch header = new HeaderWatch();
        for (byte b : text.getBytes(StandardCharsets.ISO_8859_1)) {
            header.scan(new byte[]{b}, 0, 1);
        }
        assertThat(header).usingRecursiveComparison().isEqualTo(watch(text));
    }

    private static HeaderWatch watch(String text) {
        HeaderWatch header = new HeaderWatch();
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        header.scan(bytes, 0, bytes.length);
        return header;
    }
}
