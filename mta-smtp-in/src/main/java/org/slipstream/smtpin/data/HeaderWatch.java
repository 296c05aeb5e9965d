package org.slipstream.smtpin.data;

/// Measures the header of a message while it is received: its size, and its number of Received
/// fields.
///
/// The header ends at the empty line (RFC 5322 section 2.1), or at the first line that is neither a
/// field nor a continuation, because mail without a header exists. Each server on the way has added
/// a Received field; their number reveals a mail loop (RFC 5321 section 6.3). Blanks may precede a
/// field's colon (RFC 5322 section 4.5).
public final class HeaderWatch {
    private static final byte[] RECEIVED = {'r', 'e', 'c', 'e', 'i', 'v', 'e', 'd'};
    private static final int OTHER_NAME = -1;

    private long bytes;
    private long fieldBytes;
    private int lines;
    private int received;
    private boolean over;

    private int column;
    private int matched;
    private boolean isField;
    private boolean blankInName;

    /// Takes the next piece of content with CRLF line ends.
    public void scan(byte[] block, int offset, int length) {
        for (int i = offset; i < offset + length && !over; i++) {
            scan(block[i]);
        }
    }

    /// Including the line that ended it, as far as it was read.
    public long bytes() {
        return bytes;
    }

    /// Excluding the line that ended it.
    public long fieldBytes() {
        return fieldBytes;
    }

    /// True when the header has ended.
    public boolean over() {
        return over;
    }

    public int lines() {
        return lines;
    }

    /// The number of Received fields.
    public int received() {
        return received;
    }

    private void scan(byte b) {
        bytes++;
        if (b == '\n') {
            endLine();
            return;
        }
        if (column == 0) {
            // A line that begins with a blank continues the field before it.
            isField = lines > 0 && isBlank(b);
            blankInName = false;
            matched = 0;
        }
        if (!isField && b != '\r') {
            scanName(b);
        }
        column++;
    }

    private void scanName(byte b) {
        if (matched == column && matched < RECEIVED.length && (b | 0x20) == RECEIVED[matched]) {
            matched++;
        } else if (b != ':' && !isBlank(b)) {
            matched = OTHER_NAME;
        }
        if (b == ':' && column > 0) {
            isField = true;
            received += matched == RECEIVED.length ? 1 : 0;
        } else if (isBlank(b) && column > 0) {
            blankInName = true;
        } else if (b <= ' ' || b == 127 || blankInName) {
            over = true;
        }
    }

    private void endLine() {
        over = !isField;
        if (!over) {
            lines++;
            fieldBytes = bytes;
        }
        column = 0;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }
}
