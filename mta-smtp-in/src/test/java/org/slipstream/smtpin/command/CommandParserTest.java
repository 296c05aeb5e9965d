package org.slipstream.smtpin.command;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

import static org.assertj.core.api.Assertions.assertThat;

class CommandParserTest {
    private final CommandParser parser = new CommandParser("mx.test");

    @Test
    void mailWithItsParameters() {
        MailParameters said = mail("MAIL FROM:<a@x.example> body=8bitmime SIZE=1000");
        assertThat(said.declaredBytes()).isEqualTo(1000);
        assertThat(said.body()).contains(BodyType.EIGHT_BIT_MIME);
        assertThat(said.used()).containsOnlyKeys("SIZE", "BODY");
        assertThat(parser.parse("mail from:<>")).isEqualTo(new Command.Mail(Optional.empty(), MailParameters.NONE));
    }

    @Test
    void extensionParametersAtMail() {
        MailParameters said = mail("MAIL FROM:<a@x.example> RET=hdrs ENVID=QQ+2B314 SMTPUTF8 REQUIRETLS BY=120;RT"
                + " MT-PRIORITY=-3 AUTH=e+3Dmc2@x.example HOLDFOR=3600");
        assertThat(said.returns()).isEqualTo(DsnReturn.HEADERS);
        assertThat(said.envelopeId()).contains("QQ+314");
        assertThat(said.smtpUtf8()).isTrue();
        assertThat(said.requireTls()).isTrue();
        assertThat(said.deliverBy()).contains(new MailParameters.DeliverByParameter(120, true, true));
        assertThat(said.priority()).hasValue(-3);
        assertThat(said.originator()).contains("e=mc2@x.example");
        assertThat(said.hold()).contains(new MailParameters.Hold.For(3600));
        assertThat(mail("MAIL FROM:<> HOLDUNTIL=2026-11-21T12:00:00Z").hold())
                .contains(new MailParameters.Hold.Until(Instant.parse("2026-11-21T12:00:00Z")));
        assertThat(mail("MAIL FROM:<> BY=-60;n").deliverBy())
                .contains(new MailParameters.DeliverByParameter(-60, false, false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"RET=SOME", "RET", "ENVID=", "ENVID=a+3", "ENVID=a+0D", "ENVID=a+g0", "SMTPUTF8=1",
            "REQUIRETLS=yes", "BY=1", "BY=1;X", "BY=0;R", "BY=-5;R", "BY=1234567890;N", "MT-PRIORITY=10",
            "MT-PRIORITY=-0", "MT-PRIORITY=+1", "HOLDFOR=0", "HOLDFOR=-1", "HOLDFOR=1234567890", "HOLDUNTIL=tomorrow",
            "HOLDFOR=1 HOLDUNTIL=2026-11-21T12:00:00Z", "AUTH=", "SIZE=x", "BODY=9BIT"})
    void badlyWrittenParametersAreSyntaxErrors(String parameter) {
        assertThat(parser.parse("MAIL FROM:<a@x.example> " + parameter)).isInstanceOfSatisfying(Command.Wrong.class,
                wrong -> assertThat(wrong.reply().toString()).startsWith("501 5.5.4"));
    }

    @Test
    void dsnParametersAtRcpt() {
        RcptParameters said = rcpt("RCPT TO:<b@y.example> NOTIFY=success,FAILURE ORCPT=rfc822;B+2Bc@y.example");
        assertThat(said.notifyOn()).containsExactlyInAnyOrder(DsnNotify.SUCCESS, DsnNotify.FAILURE);
        assertThat(said.original()).contains("rfc822;B+c@y.example");
        assertThat(rcpt("RCPT TO:<b@y.example> NOTIFY=NEVER").notifyOn()).containsExactly(DsnNotify.NEVER);
        assertThat(rcpt("RCPT TO:<b@y.example> ORCPT=utf-8;j\\x{FC}rgen@y.example").original())
                .contains("utf-8;j\u00fcrgen@y.example");
        for (String bad : List.of("NOTIFY=", "NOTIFY=NEVER,DELAY", "NOTIFY=OFTEN", "ORCPT=rfc822", "ORCPT=;x",
                "ORCPT=rfc822;", "ORCPT=rfc822;a+0Db")) {
            assertThat(parser.parse("RCPT TO:<b@y.example> " + bad)).as(bad).isInstanceOf(Command.Wrong.class);
        }
    }

    @Test
    void aSizeBeyondAnyNumberIsBeyondAnyLimit() {
        assertThat(mail("MAIL FROM:<> SIZE=99999999999999999999").declaredBytes()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void theLocalPartIsItsMeaning() {
        assertThat(parser.parse("RCPT TO:<\"a\\\"b\\ c@d\"@y.example>")).isEqualTo(
                new Command.Rcpt(new Address("a\"b c@d", "y.example"), false, RcptParameters.NONE));
    }

    @Test
    void addressesMayBeUtf8AndNothingElse() {
        String international = new String("j\u00fcrgen@b\u00fccher.example".getBytes(StandardCharsets.UTF_8),
                StandardCharsets.ISO_8859_1);
        assertThat(parser.parse("RCPT TO:<" + international + ">")).isEqualTo(new Command.Rcpt(
                new Address("j\u00fcrgen", "b\u00fccher.example"), false, RcptParameters.NONE));
        assertThat(parser.parse("RCPT TO:<j\u00fcrgen@y.example>")).isInstanceOfSatisfying(Command.Wrong.class,
                wrong -> assertThat(wrong.reply().code()).isEqualTo(553));
        // An overlong slash, and a control character beyond ASCII.
        assertThat(parser.parse("RCPT TO:<a\u00c0\u00af@y.example>")).isInstanceOf(Command.Wrong.class);
        assertThat(parser.parse("RCPT TO:<a\u00c2\u0085@y.example>")).isInstanceOf(Command.Wrong.class);
    }

    @Test
    void postmasterIsOurs() {
        assertThat(parser.parse("RCPT TO:<postMASTER>")).isEqualTo(
                new Command.Rcpt(new Address("postmaster", "mx.test"), false, RcptParameters.NONE));
    }

    @Test
    void aSourceRouteIsNoticed() {
        assertThat(parser.parse("RCPT TO:<@r.example:a@b.example>")).isEqualTo(
                new Command.Rcpt(Address.of("a@b.example"), true, RcptParameters.NONE));
    }

    @Test
    void chunks() {
        assertThat(parser.parse("BDAT 10")).isEqualTo(new Command.Bdat(OptionalLong.of(10), false));
        assertThat(parser.parse("bdat 0 last")).isEqualTo(new Command.Bdat(OptionalLong.of(0), true));
        assertThat(parser.parse("BDAT")).isEqualTo(new Command.Bdat(OptionalLong.empty(), false));
        assertThat(parser.parse("BDAT 10 FIRST")).isEqualTo(new Command.Bdat(OptionalLong.empty(), false));
        assertThat(parser.parse("BDAT -1")).isEqualTo(new Command.Bdat(OptionalLong.empty(), false));
    }

    @Test
    void otherCommands() {
        assertThat(parser.parse("auth plain")).isEqualTo(new Command.Auth("PLAIN", Optional.empty()));
        assertThat(parser.parse("AUTH LOGIN =")).isEqualTo(new Command.Auth("LOGIN", Optional.of("")));
        assertThat(parser.parse("AUTH PLAIN a b")).isInstanceOf(Command.Wrong.class);
        assertThat(parser.parse("ETRN @x.example")).isEqualTo(new Command.Etrn("@x.example"));
        assertThat(parser.parse("ETRN")).isInstanceOf(Command.Wrong.class);
        assertThat(parser.parse("LHLO x")).isEqualTo(new Command.Hello("x", Command.Greeting.LHLO));
        assertThat(parser.parse("XCLIENT ADDR=192.0.2.1 helo=a+2Bb")).isEqualTo(new Command.Xclient(
                List.of(new Parameter("ADDR", "192.0.2.1"), new Parameter("HELO", "a+b"))));
        assertThat(parser.parse("XCLIENT ADDR")).isInstanceOf(Command.Wrong.class);
    }

    private MailParameters mail(String line) {
        return ((Command.Mail) parser.parse(line)).parameters();
    }

    private RcptParameters rcpt(String line) {
        return ((Command.Rcpt) parser.parse(line)).parameters();
    }

    @ParameterizedTest
    @ValueSource(strings = {"<a@b.example>", "<a.b+c=d_e~f@b.example>", "<!#$%&'*+-/=?^_`{|}~@b>", "<1@1.example>",
            "<\" \"@b.example>", "<a@[1.2.3.4]>", "<a@[IPv6:::]>", "<a@[ipv6:2001:db8::192.0.2.1]>",
            "<@r.example:a@b.example>", "<@r.example,@s.example:a@b.example>"})
    void goodPaths(String path) {
        assertThat(parser.parse("RCPT TO:" + path)).isInstanceOf(Command.Rcpt.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<", ">", "<a", "a@b.example", "<a@b.example", "<a@@b.example>", "<a@b@c.example>",
            "<a@b.example.>", "<a@.b.example>", "<a@b_-.example>", "<a@[1.2.3]>", "<a@[1.2.3.4>", "<a@[1.2.3.4.5]>",
            "<a@[256.1.1.1]>", "<a@[IPv6:1.2.3.4]>", "<a@[IPv6:12345::]>", "<a@[tag:x]>", "<a@1.2.3.4]>", "<a@[]>",
            "<@r.example a@b.example>", "<@r.example:>", "<@:a@b.example>", "<,@r.example:a@b.example>",
            "<a(comment)@b.example>", "<a\t@b.example>", "<\"a\"b@c.example>", "<\"a\u0001\"@c.example>",
            "<Name <a@b.example>>", "Name <a@b.example>"})
    void badPaths(String path) {
        assertThat(parser.parse("RCPT TO:" + path)).isInstanceOfSatisfying(Command.Wrong.class,
                wrong -> assertThat(wrong.reply().toString()).startsWith("501 5.1.3"));
    }

    @Test
    void anythingAtAllIsAnswered() {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.Random(seed);
        String[] pieces = {"MAIL FROM:", "RCPT TO:", "<", ">", "@", ",", ":", "\"", "\\", "[", "]", ".", "a", "IPv6:",
                " ", "SIZE=", "BODY=", "9", "\u00e9", "\0", "postmaster", "EHLO ", "BDAT "};
        for (int round = 0; round < 100_000; round++) {
            StringBuilder line = new StringBuilder(random.nextBoolean() ? "RCPT TO:<" : "");
            int count = random.nextInt(10);
            for (int i = 0; i < count; i++) {
                line.append(pieces[random.nextInt(pieces.length)]);
            }
            assertThat(parser.parse(line.toString())).as("seed %d round %d: %s", seed, round, line).isNotNull();
        }
    }
}
