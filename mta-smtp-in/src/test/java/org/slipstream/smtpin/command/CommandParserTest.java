package org.slipstream.smtpin.command;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

import static org.assertj.core.api.Assertions.assertThat;

class CommandParserTest {
    private final CommandParser parser = new CommandParser("mx.test");

    @Test
    void mailWithItsParameters() {
        assertThat(parser.parse("MAIL FROM:<a@x.example> body=8bitmime SIZE=1000")).isEqualTo(
                new Command.Mail(Optional.of(Address.of("a@x.example")), 1000, Optional.of(BodyType.EIGHT_BIT_MIME)));
        assertThat(parser.parse("mail from:<>")).isEqualTo(new Command.Mail(Optional.empty(), 0, Optional.empty()));
    }

    @Test
    void aSizeBeyondAnyNumberIsBeyondAnyLimit() {
        assertThat(parser.parse("MAIL FROM:<> SIZE=99999999999999999999")).isEqualTo(
                new Command.Mail(Optional.empty(), Long.MAX_VALUE, Optional.empty()));
    }

    @Test
    void theLocalPartIsItsMeaning() {
        assertThat(parser.parse("RCPT TO:<\"a\\\"b\\ c@d\"@y.example>")).isEqualTo(
                new Command.Rcpt(new Address("a\"b c@d", "y.example")));
    }

    @Test
    void postmasterIsOurs() {
        assertThat(parser.parse("RCPT TO:<postMASTER>")).isEqualTo(
                new Command.Rcpt(new Address("postmaster", "mx.test")));
    }

    @Test
    void chunks() {
        assertThat(parser.parse("BDAT 10")).isEqualTo(new Command.Bdat(OptionalLong.of(10)));
        assertThat(parser.parse("bdat 0 last")).isEqualTo(new Command.Bdat(OptionalLong.of(0)));
        assertThat(parser.parse("BDAT")).isEqualTo(new Command.Bdat(OptionalLong.empty()));
        assertThat(parser.parse("BDAT 10 FIRST")).isEqualTo(new Command.Bdat(OptionalLong.empty()));
        assertThat(parser.parse("BDAT -1")).isEqualTo(new Command.Bdat(OptionalLong.empty()));
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
