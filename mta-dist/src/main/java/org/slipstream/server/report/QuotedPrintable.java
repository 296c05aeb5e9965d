package org.slipstream.server.report;

import java.io.ByteArrayOutputStream;

/// Quoted-printable (RFC 2045 section 6.7): whatever the bytes, the result is ASCII in lines of at most 76, and CRLF stays CRLF. A CR
/// or LF that stands alone is encoded, so nothing can make a line end that was none.
final class QuotedPrintable {
    private static final int LONGEST_LINE = 76;
    private static final String DIGITS = "0123456789ABCDEF";

    private final byte[] in;
    private final ByteArrayOutputStream out;
    private int column;

    private QuotedPrintable(byte[] in) {
        this.in = in;
        this.out = new ByteArrayOutputStream(in.length + in.length / 8 + 16);
    }

    static byte[] encode(byte[] content) {
        QuotedPrintable encoder = new QuotedPrintable(content);
        for (int i = 0; i < content.length; i++) {
            if (encoder.isLineEnd(i)) {
                encoder.out.write('\r');
                encoder.out.write('\n');
                encoder.column = 0;
                i++;
            } else {
                encoder.octet(i);
            }
        }
        return encoder.out.toByteArray();
    }

    private boolean isLineEnd(int i) {
        return in[i] == '\r' && i + 1 < in.length && in[i + 1] == '\n';
    }

    private void octet(int i) {
        byte b = in[i];
        boolean blankAtEnd = (b == ' ' || b == '\t') && (i + 1 == in.length || isLineEnd(i + 1));
        boolean plain = b >= ' ' && b < 127 && b != '=' || b == '\t';
        int width = plain && !blankAtEnd ? 1 : 3;
        // One place is kept for the = of a soft line break.
        if (column + width > LONGEST_LINE - 1) {
            out.writeBytes(new byte[]{'=', '\r', '\n'});
            column = 0;
        }
        if (width == 1) {
            out.write(b);
        } else {
            out.write('=');
            out.write(DIGITS.charAt((b & 0xff) >> 4));
            out.write(DIGITS.charAt(b & 15));
        }
        column += width;
    }
}
