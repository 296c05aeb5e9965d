package org.slipstream.smtpin.protocol;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Reply;
import org.slipstream.core.SettingsRecords;
import org.slipstream.smtpin.command.Command;
import org.slipstream.smtpin.command.CommandParser;
import org.slipstream.smtpin.command.Extension;

import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/// The protocol by its table: the state of a session, the command of the client, the reply or
/// action.
class ServerProtocolTest {
    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    private static final CommandParser PARSER = new CommandParser("mx.test");

    @ParameterizedTest(name = "{0}, {1}: {2} in {3} → {4}")
    @CsvSource(delimiter = '|', textBlock = """
            mx         | clear | -                | NOOP                         | 250 2.0.0
            mx         | clear | -                | MAIL FROM:<a@x.example>      | 503 5.5.1
            mx         | clear | -                | RCPT TO:<b@y.example>        | 503 5.5.1
            mx         | clear | -                | DATA                         | 503 5.5.1
            mx         | clear | -                | EHLO x                       | AskHello
            mx         | clear | -                | LHLO x                       | 500 5.5.1
            mx         | clear | -                | STARTTLS                     | Encrypt
            mx         | tls   | -                | STARTTLS                     | 503 5.5.1
            mx         | clear | -                | AUTH PLAIN                   | 502 5.5.1
            mx         | clear | -                | BDAT 5                       | SkipChunk
            mx         | clear | -                | BDAT x                       | 502 5.5.1 Close
            mx         | clear | -                | GET / HTTP/1.1               | 554 5.5.0 Close
            mx         | clear | -                | QUIT                         | 221 2.0.0 Close
            mx         | clear | -                | WHAT                         | 500 5.5.2
            mx         | clear | EHLO             | MAIL FROM:<a@x.example>      | AskSender
            mx         | clear | EHLO             | MAIL FROM:<a@x.example> SIZE=99999999 | 552 5.3.4
            mx         | clear | EHLO             | MAIL FROM:<a@x.example> RET=FULL | 555 5.5.4
            mx         | clear | EHLO             | RCPT TO:<b@y.example>        | 503 5.5.1
            mx         | clear | EHLO MAIL        | MAIL FROM:<a@x.example>      | 503 5.5.1
            mx         | clear | EHLO MAIL        | RCPT TO:<b@y.example>        | AskRecipient
            mx         | clear | EHLO MAIL        | DATA                         | 554 5.5.1 ResetTransaction
            mx         | clear | EHLO MAIL        | RSET                         | 250 2.0.0 ResetTransaction
            mx         | clear | EHLO MAIL RCPT   | DATA                         | TakeData
            mx         | clear | EHLO MAIL RCPT   | RSET                         | 250 2.0.0 ResetTransaction
            mx         | clear | EHLO MAIL RCPT   | EHLO x                       | AskHello
            full       | clear | EHLO MAIL RCPT   | BDAT 5                       | TakeChunk
            full       | clear | EHLO MAIL RCPT   | BDAT 99999999999             | 552 5.3.4 Close
            full       | clear | EHLO MAIL        | BDAT 5                       | SkipChunk
            full       | clear | EHLO MAIL RCPT BDAT | BDAT 5 LAST               | TakeChunk
            full       | clear | EHLO MAIL RCPT BDAT | DATA                      | 503 5.5.1
            full       | clear | EHLO MAIL RCPT BDAT | RCPT TO:<b@y.example>     | 503 5.5.1
            full       | clear | EHLO MAIL RCPT BDAT | RSET                      | 250 2.0.0 ResetTransaction
            full       | clear | EHLO             | MAIL FROM:<a@x.example> REQUIRETLS | 555 5.5.4
            full       | tls   | EHLO             | MAIL FROM:<a@x.example> REQUIRETLS | AskSender
            full       | clear | EHLO             | ETRN x.example               | Wake
            full       | clear | -                | ETRN x.example               | 503 5.5.1
            submission | clear | -                | EHLO x                       | AskHello
            submission | clear | EHLO             | MAIL FROM:<a@x.example>      | 530 5.7.0
            submission | clear | EHLO             | AUTH PLAIN                   | 530 5.7.0
            submission | clear | EHLO             | VRFY a                       | 530 5.7.0
            submission | clear | EHLO             | BDAT 5                       | SkipChunk
            submission | clear | EHLO             | STARTTLS                     | Encrypt
            submission | tls   | EHLO             | MAIL FROM:<a@x.example>      | 530 5.7.0
            submission | tls   | EHLO             | AUTH PLAIN                   | Authenticate
            submission | tls   | EHLO             | AUTH NTLM                    | 504 5.5.4
            submission | tls   | -                | AUTH PLAIN                   | 503 5.5.1
            submission | tls   | EHLO AUTH        | MAIL FROM:<a@x.example>      | AskSender
            submission | tls   | EHLO AUTH        | AUTH PLAIN                   | 503 5.5.1
            submission | tls   | EHLO AUTH MAIL   | AUTH PLAIN                   | 503 5.5.1
            lmtp       | clear | -                | EHLO x                       | 500 5.5.1
            lmtp       | clear | -                | LHLO x                       | AskHello
            lmtp       | clear | LHLO MAIL        | DATA                         | 503 5.5.1 ResetTransaction
            """)
    void table(String service, String channel, String past, String line, String answer) {
        ServerProtocol protocol = protocol(service, 20, 100);
        SessionState state = reached(protocol, SessionState.start(channel.equals("tls"), false), past);
        assertThat(shown(protocol.decide(state, PARSER.parse(line), NOON))).isEqualTo(answer);
    }

    @Test
    void tlsAndTheEndOfAMessageForgetWhatTheyShould() {
        ServerProtocol protocol = protocol("submission", 20, 100);
        SessionState inTransaction = reached(protocol, SessionState.start(true, false), "EHLO AUTH MAIL RCPT");
        SessionState after = protocol.encrypted(inTransaction).next();
        assertThat(after.helo()).isEmpty();
        assertThat(after.user()).isEmpty();
        assertThat(after.mail()).isEmpty();
        SessionState done = protocol.content(inTransaction, Reply.of(250, "2.0.0", "queued"), false).next();
        assertThat(done.mail()).isEmpty();
        assertThat(done.user()).contains("alice");
    }

    @Test
    void errorsAndJunkAddUpAndOnlyMailMakesUpForJunk() {
        ServerProtocol protocol = protocol("mx", 3, 2);
        SessionState state = SessionState.start(false, false);
        Command wrong = PARSER.parse("WHAT");
        ProtocolStep one = protocol.decide(state, wrong, NOON);
        ProtocolStep two = protocol.decide(one.next(), wrong, NOON);
        assertThat(shown(protocol.decide(two.next(), wrong, NOON))).isEqualTo("500 5.5.2 421 4.7.0 Close");
        SessionState bored = protocol
                .decide(protocol.decide(state, PARSER.parse("NOOP"), NOON).next(), PARSER.parse("NOOP"),
                        NOON)
                .next();
        assertThat(shown(protocol.decide(bored, PARSER.parse("NOOP"), NOON))).isEqualTo("421 4.7.0 Close");
        SessionState relieved = protocol.content(bored, Reply.of(250, "2.0.0", "queued"), false).next();
        assertThat(shown(protocol.decide(relieved, PARSER.parse("NOOP"), NOON))).isEqualTo("250 2.0.0");
        SessionState unlucky = protocol.content(bored, Reply.of(452, "4.3.1", "disk full"), false).next();
        assertThat(unlucky.errors()).as("our trouble is not the client's error").isZero();
    }

    @Test
    void lmtpAnswersForEachRecipient() {
        ServerProtocol protocol = protocol("lmtp", 20, 100);
        SessionState state = reached(protocol, SessionState.start(false, false), "LHLO MAIL RCPT RCPT RCPT");
        assertThat(protocol.content(state, Reply.of(250, "2.0.0", "queued"), false).replies()).hasSize(3);
        assertThat(protocol.content(state, Reply.of(552, "5.3.4", "too big"), true).replies()).hasSize(3);
    }

    /// For any commands in any order: one reply or one action, and a transaction only after an
    /// accepted MAIL.
    @Test
    void noOrderOfCommandsBreaksTheRules() {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.Random(seed);
        List<String> lines = List.of("EHLO x", "HELO x", "LHLO x", "MAIL FROM:<a@x.example>", "RCPT TO:<b@y.example>",
                "DATA", "BDAT 5", "BDAT 5 LAST", "RSET", "NOOP", "AUTH PLAIN", "STARTTLS", "ETRN x", "WHAT", "VRFY x",
                "XCLIENT ADDR=192.0.2.1", "MAIL FROM:<a@x.example> REQUIRETLS");
        for (String service : List.of("mx", "full", "submission", "lmtp")) {
            ServerProtocol protocol = protocol(service, Integer.MAX_VALUE, Integer.MAX_VALUE);
            SessionState state = SessionState.start(false, random.nextBoolean());
            for (int round = 0; round < 20_000; round++) {
                Command command = PARSER.parse(lines.get(random.nextInt(lines.size())));
                ProtocolStep step = protocol.decide(state, command, NOON);
                boolean asks = !(step.action() instanceof ProtocolAction.ReadCommand)
                        && !(step.action() instanceof ProtocolAction.ResetTransaction);
                assertThat(step.replies().size()).as("seed %d: %s in %s", seed, command, state)
                        .isEqualTo(asks ? 0 : 1);
                state = answer(protocol, step, random);
                boolean promised = state.mail().isEmpty() || state.helo().isPresent()
                        && (!service.equals("submission") || state.tls() && state.user().isPresent());
                assertThat(promised).as("seed %d: %s led to %s", seed, command, state).isTrue();
            }
        }
    }

    private static SessionState answer(ServerProtocol protocol, ProtocolStep step, RandomGenerator random) {
        Optional<Reply> perhaps = random.nextBoolean() ? Optional.empty() : Optional.of(Reply.of(450, "4.7.1", "no"));
        SessionState state = step.next();
        return switch (step.action()) {
            case ProtocolAction.ReadCommand(),ProtocolAction.ResetTransaction(),ProtocolAction.Close _ -> state;
            case ProtocolAction.AskHello(Command.Hello hello) -> protocol.greeted(state, hello, perhaps, NOON).next();
            case ProtocolAction.AskSender(Command.Mail mail) -> protocol.sender(state, mail, perhaps).next();
            case ProtocolAction.AskRecipient(Command.Rcpt rcpt) -> (random.nextInt(4) == 0
                    ? protocol.noMemory(state)
                    : protocol.recipient(state, rcpt, perhaps)).next();
            case ProtocolAction.TakeData() -> protocol.content(state, Reply.of(250, "2.0.0", "Ok"), false).next();
            case ProtocolAction.TakeChunk(long bytes, boolean last) -> last
                    ? protocol.content(state, Reply.of(250, "2.0.0", "Ok"), false).next()
                    : protocol.chunk(state, bytes, perhaps, true).next();
            case ProtocolAction.SkipChunk(long _, Reply refusal) -> protocol.skipped(state, refusal).next();
            case ProtocolAction.Encrypt() -> protocol.encrypted(state).next();
            case ProtocolAction.Authenticate _ -> perhaps.map(reply -> protocol.notAuthenticated(state, reply))
                    .orElseGet(() -> protocol.authenticated(state, "alice")).next();
            case ProtocolAction.Wake _ -> protocol.answered(state, Reply.of(250, "2.0.0", "Ok")).next();
            case ProtocolAction.Impersonate _ ->
                protocol.impersonated(state, Optional.empty(), Optional.empty()).next();
        };
    }

    private static SessionState reached(ServerProtocol protocol, SessionState start, String past) {
        SessionState state = start;
        for (String word : past.split(" ")) {
            state = switch (word) {
                case "EHLO" -> protocol.greeted(state, new Command.Hello("x", Command.Greeting.EHLO), Optional.empty(),
                        NOON).next();
                case "LHLO" -> protocol.greeted(state, new Command.Hello("x", Command.Greeting.LHLO), Optional.empty(),
                        NOON).next();
                case "AUTH" -> protocol.authenticated(state, "alice").next();
                case "MAIL" -> protocol.sender(state, (Command.Mail) PARSER.parse("MAIL FROM:<a@x.example>"),
                        Optional.empty()).next();
                case "RCPT" -> protocol.recipient(state, (Command.Rcpt) PARSER.parse("RCPT TO:<b@y.example>"),
                        Optional.empty()).next();
                case "BDAT" -> protocol.chunk(state, 5, Optional.empty(), false).next();
                default -> state;
            };
        }
        return state;
    }

    private static String shown(ProtocolStep step) {
        String replies = step.replies().stream().map(reply -> reply.code() + " " + reply.statusOrGeneral())
                .collect(Collectors.joining(" "));
        String action = step.action() instanceof ProtocolAction.ReadCommand
                ? ""
                : step.action().getClass().getSimpleName();
        return (replies + " " + action).strip();
    }

    private static ServerProtocol protocol(String name, int errors, int junk) {
        ServicePolicy service = switch (name) {
            case "mx" -> ServicePolicy.mx();
            case "submission" -> ServicePolicy.submission().with(Extension.CHUNKING);
            case "lmtp" -> ServicePolicy.lmtp();
            default -> ServicePolicy.mx().withExtensions(
                    EnumSet.complementOf(EnumSet.of(Extension.AUTH, Extension.XCLIENT)));
        };
        Limits standard = Limits.standard();
        Limits limits = SettingsRecords.with(standard,
                Map.of("errors", errors, "junkCommands", junk, "messagesPerConnection", Integer.MAX_VALUE));
        return new ServerProtocol(service, limits, "mx.test",
                new ServiceOffer(service, limits, "mx.test", true, List.of("PLAIN"), List.of("PLAIN")));
    }
}
