package org.slipstream.smtpout.content;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Base64;
import java.util.SplittableRandom;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/// Content for peers without 8BITMIME or BINARYMIME, before and after. Lines are written with LF
/// here and have CRLF there.
class ConversionTest {
    @Test
    void textBecomesQuotedPrintable() throws IOException {
        assertThat(sevenBit("""
                Subject: hello
                MIME-Version: 1.0
                Content-Type: text/plain; charset=utf-8
                Content-Transfer-Encoding: 8bit

                Grüße = gut\s
                .
                From me\t
                """)).isEqualTo("""
                Subject: hello
                MIME-Version: 1.0
                Content-Type: text/plain; charset=utf-8
                Content-Transfer-Encoding: quoted-printable

                Gr=C3=BC=C3=9Fe =3D gut=20
                .
                From me=09
                """);
    }

    @Test
    void aMessageFromBeforeMimeBecomesOneOfMime() throws IOException {
        assertThat(sevenBit("Subject: hello\n\nGrüße\n")).isEqualTo("""
                Subject: hello
                MIME-Version: 1.0
                Content-Type: text/plain; charset=unknown-8bit
                Content-Transfer-Encoding: quoted-printable

                Gr=C3=BC=C3=9Fe
                """);
    }

    @Test
    void onlyThePartsThatNeedItAreTouched() throws IOException {
        assertThat(sevenBit("""
                MIME-Version: 1.0
                Content-Type: multipart/mixed;
                 boundary="a b"; charset=x
                Content-Transfer-Encoding: 8bit

                preamble ü
                --a b
                Content-Type: text/html; charset=utf-8
                Content-Transfer-Encoding: 8BIT (really)

                <p>ü</p>
                --a b
                Content-Transfer-Encoding: 8bit

                only ASCII
                --a b
                Content-Type: image/x-small
                Content-Transfer-Encoding: 8bit

                ÿ
                --a b
                Content-Type: text/plain
                Content-Transfer-Encoding: base64

                SGVsbG8=
                --a b--
                epilogue ü
                """)).isEqualTo("""
                MIME-Version: 1.0
                Content-Type: multipart/mixed;
                 boundary="a b"; charset=x
                Content-Transfer-Encoding: 7bit

                preamble ??
                --a b
                Content-Type: text/html; charset=utf-8
                Content-Transfer-Encoding: quoted-printable

                <p>=C3=BC</p>
                --a b
                Content-Transfer-Encoding: 7bit

                only ASCII
                --a b
                Content-Type: image/x-small
                Content-Transfer-Encoding: base64

                w78=
                --a b
                Content-Type: text/plain
                Content-Transfer-Encoding: base64

                SGVsbG8=
                --a b--
                epilogue ??
                """);
    }

    @Test
    void messagesInMessagesAndDigestsAreConverted() throws IOException {
        assertThat(sevenBit("""
                Content-Type: multipart/digest; boundary=d

                --d

                Subject: inside
                Content-Type: text/plain

                ü
                --d
                Content-Type: message/rfc822
                Content-Transfer-Encoding: 8bit

                Content-Type: multipart/alternative; boundary=i

                --i

                ü
                --d--
                """)).isEqualTo("""
                Content-Type: multipart/digest; boundary=d

                --d

                Subject: inside
                Content-Type: text/plain
                Content-Transfer-Encoding: quoted-printable

                =C3=BC
                --d
                Content-Type: message/rfc822
                Content-Transfer-Encoding: 7bit

                Content-Type: multipart/alternative; boundary=i

                --i
                Content-Transfer-Encoding: quoted-printable

                =C3=BC
                --d--
                """);
    }

    @Test
    void wronglyEncodedPartsAreMended() throws IOException {
        assertThat(sevenBit("Content-Transfer-Encoding: quoted-printable\n\nü=3D\n"))
                .isEqualTo("Content-Transfer-Encoding: quoted-printable\n\n=C3=BC=3D\n");
        assertThat(sevenBit("Content-Transfer-Encoding: base64\n\nSGVüsbG8=\n"))
                .isEqualTo("Content-Transfer-Encoding: base64\n\nSGVsbG8=\n");
    }

    @Test
    void aBinaryPartKeepsEveryByte() throws IOException {
        byte[] blob = {0, '\n', '\r', (byte) 200, '\r', '\n', '-', '-', 'b', 'x', '\r', '\r', '\n'};
        String head = "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\nContent-Transfer-Encoding: binary\r\n\r\n--b\r\n"
                + "Content-Type: image/png\r\nContent-Transfer-Encoding: binary\r\n\r\n";
        byte[] message = (head + new String(blob, ISO_8859_1) + "\r\n--b--\r\n").getBytes(ISO_8859_1);
        String converted = new String(convert(message, false, true), ISO_8859_1);
        assertThat(converted)
                .startsWith(
                        "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\nContent-Transfer-Encoding: 8bit\r\n")
                .contains("Content-Transfer-Encoding: base64\r\n\r\n").endsWith("\r\n--b--\r\n");
        String body = converted.substring(converted.lastIndexOf("\r\n\r\n") + 4, converted.length() - 9);
        assertThat(Base64.getDecoder().decode(body)).isEqualTo(blob);
    }

    @Test
    void aMessageTooOddIsNotConverted() throws IOException {
        assertThat(survey("Content-Type: multipart/mixed\n\nü\n").isConvertible()).isFalse();
        assertThat(survey("X: " + "x\n ".repeat(300_000) + "\n\nü\n").isConvertible()).isFalse();
        StringBuilder deep = new StringBuilder();
        for (int i = 0; i < 60; i++) {
            deep.append("Content-Type: multipart/mixed; boundary=b").append(i).append("\n\n--b").append(i).append('\n');
        }
        assertThat(survey(deep + "\nü\n").isConvertible()).isFalse();
        assertThat(survey(deep + "\nü\n").hasEightBitContent()).isTrue();
        assertThat(survey(deep + "\nx\n").hasEightBitContent()).as("odd, and accepted").isFalse();
    }

    @Test
    void headersAreSeenApartFromContent() throws IOException {
        assertThat(survey("Subject: ü\n\nx\n").hasEightBitHeader()).isTrue();
        assertThat(survey("Subject: ü\n\nx\n").hasEightBitContent()).isFalse();
        assertThat(survey("Subject: x\n\nü\n").hasEightBitHeader()).isFalse();
        assertThat(survey("").hasEightBitContent()).isFalse();
        assertThat(survey("\n\n").hasEightBitContent()).isFalse();
    }

    /// For any input: the output is 7-bit, its own lines are short, and it is unchanged when no
    /// conversion was needed.
    @Test
    void anyBytesAtAll() throws IOException {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        String[] words = {"--b\r\n", "--b--\r\n", "--c\r\n", "\r\n", "Content-Type: multipart/mixed; boundary=b\r\n",
                "Content-Type: multipart/x; boundary=\"c\"\r\n", "Content-Type: message/rfc822\r\n", "ü", "x y ", "\r",
                "\n",
                "\0", "Content-Transfer-Encoding: 8bit\r\n", "Content-Transfer-Encoding: binary\r\n", "=", "\t",
                "y".repeat(MimeWalker.PIECE_BYTES - 1), "\r\r\n"};
        for (int round = 0; round < (Boolean.getBoolean("slipstream.long") ? 30_000 : 1_000); round++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(30); i > 0; i--) {
                text.append(words[random.nextInt(words.length)]);
            }
            byte[] message = text.toString().getBytes(UTF_8);
            Survey survey = Survey.of(new ByteArrayInputStream(message));
            assertThat(survey.isConvertible()).as("seed %d: %s", seed, text).isTrue();
            byte[] converted = convert(message, true, random.nextBoolean());
            boolean clean = survey.hasEightBitHeader()
                    || new String(converted, ISO_8859_1).chars().allMatch(c -> c < 128);
            assertThat(clean).as("seed %d: %s", seed, text).isTrue();
            if (!survey.hasEightBitContent() && !text.toString().matches("(?s).*(8bit|binary).*")) {
                assertThat(convert(message, true, false)).as("seed %d: %s", seed, text).isEqualTo(message);
            }
        }
    }

    @Test
    void longLinesAreBrokenSoftly() throws IOException {
        String converted = sevenBit("Content-Type: text/plain\n\n" + "ü".repeat(100) + "\n" + "x".repeat(76) + "\n");
        assertThat(converted.lines()).allMatch(line -> line.length() <= 76);
        assertThat(converted.replace("=\n", "")).contains("=C3=BC".repeat(100)).contains("x".repeat(76));
    }

    private static String shortened(String text) throws IOException {
        byte[] message = text.replace("\n", "\r\n").getBytes(UTF_8);
        String converted = new String(convert(message, false, false, true), UTF_8);
        assertThat(converted.split("\r\n")).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(998));
        return converted.replace("\r\n", "\n");
    }

    @Test
    void aTextWithALineThatIsTooLongBecomesQuotedPrintable() throws IOException {
        String line = "word ".repeat(300) + "end";
        String converted = shortened("Subject: long\n\n" + line + "\n");
        assertThat(converted).startsWith("""
                Subject: long
                MIME-Version: 1.0
                Content-Type: text/plain; charset=us-ascii
                Content-Transfer-Encoding: quoted-printable

                """);
        assertThat(converted.substring(converted.indexOf("\n\n") + 2).replace("=\n", "")).isEqualTo(line + "\n");
    }

    @Test
    void onlyThePartWithTheLongLineIsEncodedAndOneThatIsNoTextInBase64() throws IOException {
        String converted = shortened("""
                MIME-Version: 1.0
                Content-Type: multipart/mixed; boundary=b

                --b

                Grüße, short
                --b
                Content-Type: application/json

                LONG
                --b--
                """.replace("LONG", "[" + "1,".repeat(1_000) + "1]"));
        assertThat(converted).contains("Grüße, short\n--b\nContent-Type: application/json\n"
                + "Content-Transfer-Encoding: base64\n\nWzEsMSwx").endsWith("--b--\n");
    }

    @Test
    void encodedPartsKeepTheirEncodingAndTheirMeaning() throws IOException {
        byte[] bytes = new byte[3_000];
        new SplittableRandom(1).nextBytes(bytes);
        String base64 = shortened("Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n"
                + Base64.getEncoder().encodeToString(bytes) + "\n");
        assertThat(base64).startsWith("Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n");
        assertThat(Base64.getMimeDecoder().decode(base64.substring(base64.indexOf("\n\n") + 2))).isEqualTo(bytes);

        String quoted = "caf=C3=A9 ".repeat(200);
        String printable = shortened("Content-Transfer-Encoding: quoted-printable\n\n" + quoted + "=20\n");
        assertThat(printable).doesNotContain("=C=\n", "=\n3", "==\n");
        assertThat(printable.substring(printable.indexOf("\n\n") + 2).replace("=\n", "")).isEqualTo(quoted + "=20\n");
    }

    @Test
    void headersAreFoldedAtBlanksAndReadTheSameWhenTheyAreUnfolded() throws IOException {
        String references = "References:" + " <0123456789@there.example>".repeat(100);
        String folded = shortened(references + "\nSubject: x\n\nbody\n");
        assertThat(folded.replace("\n ", " ")).isEqualTo(references + "\nSubject: x\n\nbody\n");
    }

    @Test
    void aHeaderWithoutBlanksAndALongLineOutsideOfThePartsCannotBeMadeShorter() throws IOException {
        String rigid = "X-Token: " + "x".repeat(1_000);
        assertThat(survey(rigid + "\n\nbody\n").canShortenLines()).isFalse();
        assertThat(survey("X-Token: a" + " ".repeat(1_000) + "\n\nbody\n").canShortenLines()).isFalse();
        assertThat(survey("Content-Type: multipart/mixed; boundary=b\n\n" + "x".repeat(999) + "\n--b\n\nhi\n--b--\n")
                .canShortenLines()).isFalse();
        assertThat(survey("Subject: x\n\n" + "x".repeat(999) + "\n").canShortenLines()).isTrue();
    }

    @Test
    void signaturesAreNoticed() throws IOException {
        assertThat(survey("DKIM-Signature: v=1; a=rsa-sha256\nSubject: x\n\nhi\n").isSigned()).isTrue();
        assertThat(survey("Content-Type: multipart/signed; boundary=b\n\n--b\n\nhi\n--b--\n").isSigned()).isTrue();
        assertThat(survey("Content-Type: application/pkcs7-mime\nContent-Transfer-Encoding: base64\n\naGk=\n")
                .isSigned()).isTrue();
        assertThat(survey("Content-Type: multipart/mixed; boundary=b\n\n--b\nDKIM-Signature: x\n\nhi\n--b--\n")
                .isSigned()).as("of another message").isFalse();
    }

    private static Survey survey(String text) throws IOException {
        return Survey.of(new ByteArrayInputStream(text.replace("\n", "\r\n").getBytes(UTF_8)));
    }

    private static String sevenBit(String text) throws IOException {
        byte[] message = text.replace("\n", "\r\n").getBytes(UTF_8);
        String converted = new String(convert(message, true, false), ISO_8859_1);
        assertThat(converted.replace("\r\n", "")).doesNotContain("\r", "\n");
        return converted.replace("\r\n", "\n");
    }

    private static byte[] convert(byte[] message, boolean sevenBit, boolean binary) throws IOException {
        return convert(message, sevenBit, binary, false);
    }

    private static byte[] convert(byte[] message, boolean sevenBit, boolean binary, boolean shortLines)
            throws IOException {
        Survey survey = Survey.of(new ByteArrayInputStream(message));
        try (InputStream in = new Conversion(new ByteArrayInputStream(message), survey, sevenBit, binary, shortLines)) {
            return in.readAllBytes();
        }
    }
}
