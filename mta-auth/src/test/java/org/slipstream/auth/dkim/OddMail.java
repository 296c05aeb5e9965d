package org.slipstream.auth.dkim;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import static org.slipstream.auth.dkim.TestMail.octets;

/// Messages that other programs have signed or verified wrongly.
final class OddMail {
    private static final String FROM = "From: Joe <joe@example.org>\r\n";
    private static final String HEADER = FROM + "To: Suzie <suzie@example.net>\r\nSubject: dinner\r\n";

    private OddMail() {}

    /// Well-formed to the last octet: every verifier agrees.
    static Map<String, byte[]> messages() {
        Map<String, byte[]> all = new LinkedHashMap<>();
        add(all, "plain", HEADER, "Hello.\r\n");
        add(all, "from-only", FROM, "x\r\n");
        add(all, "empty-body", HEADER, "");
        add(all, "no-last-line-end", HEADER, "Hello.\r\nBye.");
        add(all, "blank-lines-at-the-end", HEADER, "Hello." + "\r\n".repeat(100));
        add(all, "blank-lines-at-the-start", HEADER, "\r\n\r\n\r\nHello.\r\n");
        add(all, "blank-lines-only", HEADER, "\r\n\r\n\r\n");
        add(all, "blanks-only", HEADER, "  \r\n\t\r\n \t \r\n");
        add(all, "blanks-at-line-ends", HEADER, "a \r\nb\t\r\n c  d\t \te \r\n");
        add(all, "octets-above-ascii-in-fields",
                FROM + "To: s\u00fczie@example.net\r\nSubject: d\u00eener \u00ff\u0080\u00a0 x\r\n",
                "Bl\u00e5b\u00e6r\r\n");
        add(all, "utf8-in-fields", HEADER.replace("dinner", utf8("dîner 食事 🍜")), utf8("Où? 食\r\n"));
        add(all, "folded-everywhere",
                "From:\r\n Joe\r\n\t<joe@example.org>\r\nTo: \r\n  Suzie\r\n   <suzie@example.net>\r\nSubject:\r\n\t \tdinner\r\n \tat\r\n  eight\r\n",
                "Hello.\r\n");
        add(all, "blanks-in-fields",
                "FROM:   Joe   <joe@example.org>\t \r\nto:Suzie <suzie@example.net>\r\nSuBjEcT:\t\tdinner \t at  8 \r\n",
                "Hello.\r\n");
        add(all, "empty-fields", HEADER + "Cc:\r\nX-Odd: \r\nReply-To:\t\r\n", "Hello.\r\n");
        add(all, "twice-the-same-field",
                HEADER + "Received: a\r\nReceived: b\r\nX-Odd: 1\r\nX-Odd: 2\r\nComments: x\r\nComments: y\r\n",
                "Hello.\r\n");
        add(all, "two-of-to-and-subject", HEADER + "To: other@example.net\r\nSubject: second\r\n", "Hello.\r\n");
        add(all, "list-fields", HEADER + "List-Id: <a.example.org>\r\nList-Unsubscribe: <https://example.org/u>,\r\n"
                + " <mailto:u@example.org>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\nFeedback-ID: 1:2:3:x\r\n",
                "Hello.\r\n");
        add(all, "many-fields", HEADER + "X-Many: 1234567890\r\n".repeat(2_000), "Hello.\r\n");
        add(all, "long-field", HEADER.replace("dinner", "x".repeat(900) + "\r\n " + "y ".repeat(400)), "Hello.\r\n");
        add(all, "long-line", HEADER, "z".repeat(100_000) + "\r\n");
        add(all, "dots", HEADER, ".\r\n..\r\n.a\r\n");
        add(all, "nul-octets", HEADER, "a\u0000b\r\n\u0000\r\n");
        add(all, "all-octets", HEADER, octetsOtherThanLineEnds() + "\r\n");
        add(all, "an-old-signature-of-another",
                "DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=gone; h=from; bh=AAAA; b=BBBB\r\n" + HEADER,
                "Hello.\r\n");
        add(all, "mime", HEADER + "MIME-Version: 1.0\r\nContent-Type: multipart/mixed;\r\n\tboundary=\"=_b\"\r\n",
                "--=_b\r\n\r\n=20\r\n--=_b--\r\n\r\n");
        return all;
    }

    /// Verifiers do not agree about these: some take a bare LF for a line end, some refuse a message
    /// without an empty line, or with a line that is no field.
    static Map<String, byte[]> malformed() {
        Map<String, byte[]> all = new LinkedHashMap<>();
        all.put("no-body", octets(HEADER));
        add(all, "bare-line-ends", HEADER, "a\nb\n\nc\r d\r\r\n\n");
        add(all, "bare-lf-in-a-field", HEADER.replace("dinner", "din\nner\n x"), "Hello.\r\n");
        add(all, "line-without-a-colon", HEADER + "no field at all\r\nX-Odd: 1\r\n", "Hello.\r\n");
        add(all, "blank-before-the-colon", HEADER.replace("Subject:", "Subject :"), "Hello.\r\n");
        add(all, "ten-thousand-fields", HEADER + "To: a@example.net\r\n".repeat(10_000), "Hello.\r\n");
        add(all, "two-from", HEADER + "From: other@example.net\r\n", "Hello.\r\n");
        return all;
    }

    private static String utf8(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static String octetsOtherThanLineEnds() {
        StringBuilder all = new StringBuilder();
        for (char c = 0; c < 256; c++) {
            if (c != '\r' && c != '\n') {
                all.append(c);
            }
        }
        return all.toString();
    }

    private static void add(Map<String, byte[]> all, String name, String header, String body) {
        all.put(name, octets(header + "\r\n" + body));
    }
}
