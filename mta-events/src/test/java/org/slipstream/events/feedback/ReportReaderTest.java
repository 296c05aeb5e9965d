package org.slipstream.events.feedback;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.events.bounce.BounceClasses;
import org.slipstream.events.feedback.ReturnedReport.ReportMeaning;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Reports as servers and providers write them, and as an attacker might.
class ReportReaderTest {
    private static final SealedText SEAL = new SealedText(List.of("a secret"));
    private static final MailTrace TRACE = new MailTrace(new QueueId(1L << 50), 1, "news@shop.example",
            "bob@far.example", "shop");

    private final BounceClasses classes = BounceClasses.ofProgram();
    private final ReportReader reader = new ReportReader(SEAL, classes);

    private Optional<ReturnedReport> read(String text, boolean fromNobody) throws IOException {
        return reader.read(Content.of(text.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8)), fromNobody);
    }

    private static String form(String name, SealedText seal) throws IOException {
        try (InputStream in = Objects.requireNonNull(ReportReaderTest.class.getResourceAsStream(name + ".txt"))) {
            String field = TRACE.field(seal).replace("\r\n", "\n");
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("@TRACE@", field)
                    .replace("@QTRACE@", field.replaceAll("(?m)^(?=.)", "> "));
        }
    }

    @ParameterizedTest
    @CsvSource({"arf-rfc5965,abuse,SomeGenerator/1.0", "arf-full,fraud,mail.provider.example",
            "arf-yahoo,abuse,Yahoo!-Mail-Feedback/2.0", "arf-aol,abuse,AOL SComp", "outlook-jmrp,other,''",
            "person-forwards,other,''"})
    void complaints(String name, String type, String reporter) throws IOException {
        assertThat(read(form(name, SEAL), false))
                .contains(new ReturnedReport(TRACE, new ReportMeaning.Complaint(type), reporter));
    }

    @ParameterizedTest
    @CsvSource({"dsn-postfix,550,5.1.1,invalid-recipient", "dsn-postfix-expired,554,5.4.7,message-expired",
            "dsn-rfc3464-two-recipients,552,5.2.2,quota-issues", "dsn-exchange,550,5.1.10,invalid-recipient",
            "dsn-gmail,550,5.7.1,spam-content", "exim-text,550,5.1.1,invalid-recipient",
            "qmail-qsbmf,554,,invalid-recipient", "qmail-remote,552,5.2.2,quota-issues",
            "domino-text,554,,invalid-recipient"})
    void lateReports(String name, int code, String status, String bounceClass) throws IOException {
        ReturnedReport report = read(form(name, SEAL), true).orElseThrow();
        assertThat(report.trace()).isEqualTo(TRACE);
        assertThat(report.meaning()).isInstanceOfSatisfying(ReportMeaning.Failure.class, failure -> {
            assertThat(failure.reply().code()).isEqualTo(code);
            assertThat(failure.reply().status().map(Object::toString).orElse(null)).isEqualTo(status);
            assertThat(classes.of(failure.reply()).word()).isEqualTo(bounceClass);
        });
    }

    @ParameterizedTest
    @CsvSource({"arf-not-spam,false", "arf-auth-failure,false", "dsn-postfix-delayed,true", "dsn-relayed,true",
            "exim-text-warning,true", "vacation,true", "vacation,false", "mdn,true"})
    void reportsThatSayNothingOfTheKind(String name, boolean fromNobody) throws IOException {
        assertThat(read(form(name, SEAL), fromNobody)).isEmpty();
    }

    @Test
    void aNumberInAFreeTextIsNoReply() throws IOException {
        String away = form("vacation", SEAL);
        assertThat(read(away.replace("I am away", "I have paid 550 euros and 5500 more, and am away"), true)).isEmpty();
        assertThat(read(away.replace("I am away", "Their host said: 550 No such user\nI am away"), true)).isPresent();
    }

    @ParameterizedTest
    @CsvSource({"arf-rfc5965", "dsn-postfix", "qmail-remote"})
    void aTraceOfSomebodyElseIsNone(String name) throws IOException {
        assertThat(read(form(name, new SealedText(List.of("another secret"))), true)).isEmpty();
        assertThat(read(form(name, SEAL).replace(TRACE.field(SEAL).replace("\r\n", "\n"), ""), true)).isEmpty();
    }

    @Test
    void eachChangedCharacterOfATraceMakesItNone() {
        String field = TRACE.field(SEAL);
        String value = field.substring(field.indexOf(':') + 1);
        for (int at = value.indexOf("\r\n"); at < value.length(); at++) {
            if (Character.isLetterOrDigit(value.charAt(at))) {
                char other = value.charAt(at) == 'A' ? 'B' : 'A';
                Optional<MailTrace> read = MailTrace.of(SEAL, value.substring(0, at) + other + value.substring(at + 1));
                // The last character of base64 has bits that mean nothing.
                assertThat(read).satisfiesAnyOf(none -> assertThat(none).isEmpty(),
                        same -> assertThat(same).contains(TRACE));
            }
        }
        assertThat(MailTrace.of(SEAL, value)).contains(TRACE);
        assertThat(field.lines()).allSatisfy(line -> assertThat(line.length()).isLessThan(76));
    }

    @Test
    void anOldSecretStillOpens() {
        SealedText rotated = new SealedText(List.of("a new secret", "a secret"));
        assertThat(MailTrace.of(rotated, TRACE.field(SEAL).substring(MailTrace.FIELD.length() + 1))).contains(TRACE);
        assertThat(SEAL.open("trace", rotated.seal("trace", List.of("x")))).isEmpty();
        assertThat(SEAL.open("unsubscribe", SEAL.seal("trace", List.of("x")))).isEmpty();
    }

    @Test
    void aReportWithATraceInItsOwnHeaderIsAMessageOfOurs() throws IOException {
        assertThat(read(TRACE.field(SEAL).replace("\r\n", "\n") + form("dsn-postfix", SEAL).replace(
                TRACE.field(SEAL).replace("\r\n", "\n"), ""), true)).isEmpty();
    }

    @Test
    void tenThousandNestedPartsAreLines() throws IOException {
        StringBuilder deep = new StringBuilder(
                "Content-Type: multipart/report; report-type=feedback-report; boundary=x\n\n");
        for (int i = 0; i < 10_000; i++) {
            deep.append("--b").append(i).append("\nContent-Type: multipart/mixed; boundary=b").append(i + 1)
                    .append("\n\n");
        }
        deep.append("Feedback-Type: abuse\n\n").append(TRACE.field(SEAL).replace("\r\n", "\n"));
        assertThat(read(deep.toString(), false).map(ReturnedReport::meaning))
                .contains(new ReportMeaning.Complaint("abuse"));
    }

    @Test
    void atMostAMebibyteOfAReportIsRead() throws IOException {
        String begin = "Content-Type: multipart/report; report-type=feedback-report; boundary=x\r\n\r\n";
        String end = TRACE.field(SEAL);
        int filler = ReportReader.MOST_OCTETS - begin.length() - end.length() - 2;
        assertThat(counted(begin, filler, end)).isEqualTo(ReportReader.MOST_OCTETS);
        assertThat(found).isTrue();
        counted(begin, filler + 100, end);
        assertThat(found).isFalse();
        assertThat(counted(begin, 50 << 20, end)).isEqualTo(ReportReader.MOST_OCTETS);
    }

    private boolean found;

    /// The octets that were read of a report with one line that never seems to end.
    private long counted(String begin, int filler, String end) throws IOException {
        byte[] all = (begin + "x".repeat(filler) + "\r\n" + end).getBytes(StandardCharsets.US_ASCII);
        long[] read = new long[1];
        Content content = new Content() {
            @Override
            public long sizeBytes() {
                return all.length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(all) {
                    @Override
                    public synchronized int read(byte[] into, int from, int length) {
                        int got = super.read(into, from, length);
                        read[0] += Math.max(0, got);
                        return got;
                    }
                };
            }
        };
        found = reader.read(content, false).isPresent();
        return read[0];
    }

    @Test
    void manyFalseTracesEndTheSearch() throws IOException {
        String lie = MailTrace.FIELD + ": 1\n AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n";
        String head = "Content-Type: multipart/report; report-type=feedback-report\n\n";
        String truth = TRACE.field(SEAL).replace("\r\n", "\n");
        assertThat(read(head + lie.repeat(ReportReader.MOST_TRACES - 1) + truth, false)).isPresent();
        assertThat(read(head + lie.repeat(ReportReader.MOST_TRACES) + truth, false)).isEmpty();
        assertThat(read(head + MailTrace.FIELD + ": 1\n" + " AAAA\n".repeat(100_000) + truth, false)).isPresent();
    }
}
