package org.slipstream.core.text;

import java.io.ByteArrayOutputStream;
import java.util.HexFormat;

/// Quoted-printable (RFC 2045 section 6.7), written octet by octet: ASCII in lines of at most 76
/// characters.
///
/// Line ends are told with [#newline]. A CR or LF among the octets is escaped, so no line end
/// appears that the content did not have. A space or tab waits for the next octet, because
/// transports remove it at the end of a line, where it is escaped.
public final class QuotedPrintable {
    /// One less than a line may have, for the `=` of a soft line break.
    private static final int MOST_COLUMNS = 75;
    private static final byte[] CRLF = {'\r', '\n'};
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private int column;
    /// A space or tab that may be the last of its line; 0 for none.
    private byte heldBlank;

    /// The whole content; CRLF is a line end.
    public static byte[] encode(byte[] content) {
        QuotedPrintable encoder = new QuotedPrintable();
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + content.length / 8 + 16);
        for (int i = 0; i < content.length; i++) {
            if (content[i] == '\r' && i + 1 < content.length && content[i + 1] == '\n') {
                encoder.newline(out);
                i++;
            } else {
                encoder.octet(content[i], out);
            }
        }
        encoder.end(out);
        return out.toByteArray();
    }

    /// `=` and two hexadecimal digits.
    public static void escape(byte b, ByteArrayOutputStream out) {
        out.write('=');
        out.write(HEX.toHighHexDigit(b));
        out.write(HEX.toLowHexDigit(b));
    }

    public void octet(byte next, ByteArrayOutputStream out) {
        writeHeldBlank(true, out);
        if (next == ' ' || next == '\t') {
            heldBlank = next;
        } else {
            write(next, next > ' ' && next < 127 && next != '=', out);
        }
    }

    public void newline(ByteArrayOutputStream out) {
        end(out);
        out.writeBytes(CRLF);
        column = 0;
    }

    /// The last line has no line end of its own.
    public void end(ByteArrayOutputStream out) {
        writeHeldBlank(false, out);
    }

    private void writeHeldBlank(boolean plain, ByteArrayOutputStream out) {
        if (heldBlank != 0) {
            byte blank = heldBlank;
            heldBlank = 0;
            write(blank, plain, out);
        }
    }

    private void write(byte next, boolean plain, ByteArrayOutputStream out) {
        int width = plain ? 1 : 3;
        if (column + width > MOST_COLUMNS) {
            out.write('=');
            out.writeBytes(CRLF);
            column = 0;
        }
        column += width;
        if (plain) {
            out.write(next);
        } else {
            escape(next, out);
        }
    }
}
