package org.slipstream.guard.preflight;

import org.slipstream.core.FindingList;

import java.util.Arrays;

/// A message file as the octets that SMTP transmits: each line ends with CRLF. It is made in one
/// pass, whatever the file holds.
///
/// @param octets with CRLF at each line end
/// @param bare line ends of the file with LF or CR alone, beside those with CRLF; none for a file of
///     Unix, which has LF throughout
/// @param longLine the first line with more than 998 octets, from 1; 0 when there is none
/// @param nuls octets of value 0
record WireForm(byte[] octets, int bare, int longLine, int nuls) {
    /// RFC 5321 section 4.5.3.1.6.
    private static final int LONGEST_LINE = 998;

    static WireForm of(byte[] file) {
        byte[] octets = new byte[Math.addExact(2 * file.length, 2)];
        int length = 0;
        int crlf = 0;
        int lf = 0;
        int cr = 0;
        int nuls = 0;
        int longLine = 0;
        int start = 0;
        for (int at = 0; at < file.length; at++) {
            byte octet = file[at];
            nuls += octet == 0 ? 1 : 0;
            if (octet != '\r' && octet != '\n') {
                octets[length++] = octet;
                continue;
            }
            boolean isPair = octet == '\r' && at + 1 < file.length && file[at + 1] == '\n';
            at += isPair ? 1 : 0;
            crlf += isPair ? 1 : 0;
            lf += !isPair && octet == '\n' ? 1 : 0;
            cr += !isPair && octet == '\r' ? 1 : 0;
            longLine = longLine == 0 && length - start > LONGEST_LINE ? crlf + lf + cr : longLine;
            octets[length++] = '\r';
            octets[length++] = '\n';
            start = length;
        }
        if (length > start) {
            longLine = longLine == 0 && length - start > LONGEST_LINE ? crlf + lf + cr + 1 : longLine;
            octets[length++] = '\r';
            octets[length++] = '\n';
        }
        return new WireForm(Arrays.copyOf(octets, length), cr + (crlf == 0 ? 0 : lf), longLine, nuls);
    }

    void findings(FindingList findings) {
        if (bare > 0) {
            findings.lacks("line-ends", bare + " lines end with LF or CR alone, and others with CRLF; servers refuse or"
                    + " change such mail, and a signature breaks: write all lines with CRLF");
        }
        if (nuls > 0) {
            findings.lacks("octets", nuls + " octets are zero; encode the body (base64 or quoted-printable)");
        }
        if (longLine > 0) {
            findings.lacks("lines", "line " + longLine + " has more than " + LONGEST_LINE
                    + " octets; servers break or refuse it: fold the header, encode the body");
        }
    }
}
