package org.slipstream.smtpin.protocol;

import org.slipstream.smtpin.command.Command;

import java.util.Optional;

/// Where a session stands.
///
/// @param helo what the client called itself; empty before EHLO and again after STARTTLS
/// @param greeting how it introduced itself
/// @param tls true once encrypted
/// @param user who has logged in
/// @param speaker true for a client that may say XCLIENT
/// @param mail the transaction that is open
/// @param errors negative replies so far
/// @param junk commands since the last accepted message that brought none nearer
/// @param transactions begun so far
public record SessionState(Optional<String> helo, Command.Greeting greeting, boolean tls, Optional<String> user,
        boolean speaker, Optional<Mail> mail, int errors, int junk, int transactions) {

    /// A transaction (RFC 5321 section 3.3).
    ///
    /// @param recipients accepted so far
    /// @param octets of sender and recipients, with what was said of them
    /// @param excess recipients refused because the message has as many as it may have
    /// @param chunks true when the first BDAT has been taken: there is no way back to RCPT or DATA
    public record Mail(Command.Mail command, int recipients, int octets, int excess, boolean chunks) {}

    /// @param tls true on a port with TLS from the start
    /// @param speaker true for a client that may say XCLIENT
    public static SessionState start(boolean tls, boolean speaker) {
        return new SessionState(Optional.empty(), Command.Greeting.HELO, tls, Optional.empty(), speaker,
                Optional.empty(), 0,
                0, 0);
    }

    SessionState withHello(Command.Hello hello) {
        return new SessionState(Optional.of(hello.name()), hello.greeting(), tls, user, speaker, Optional.empty(),
                errors,
                junk, transactions);
    }

    // RFC 3207 section 4.2: whatever the client said in clear text was never said.
    SessionState withTls() {
        return new SessionState(Optional.empty(), Command.Greeting.HELO, true, Optional.empty(), speaker,
                Optional.empty(),
                errors, junk, transactions);
    }

    SessionState withUser(String name) {
        return new SessionState(helo, greeting, tls, Optional.of(name), speaker, mail, errors, junk, transactions);
    }

    /// Somebody else speaks from here on (XCLIENT).
    SessionState restarted(Optional<String> otherHelo, Optional<String> otherUser) {
        return new SessionState(otherHelo, Command.Greeting.HELO, tls, otherUser, speaker, Optional.empty(), errors,
                junk,
                transactions);
    }

    SessionState withMail(Command.Mail command) {
        return new SessionState(helo, greeting, tls, user, speaker,
                Optional.of(new Mail(command, 0, command.octets(), 0, false)), errors, junk,
                transactions + 1);
    }

    SessionState withRecipient(int octets) {
        return withMail(mail.map(open -> new Mail(open.command(), open.recipients() + 1, open.octets() + octets,
                open.excess(), open.chunks())));
    }

    SessionState withExcessRecipient() {
        return withMail(
                mail.map(open -> new Mail(open.command(), open.recipients(), open.octets(), open.excess() + 1,
                        open.chunks())));
    }

    SessionState withChunk() {
        return withMail(mail.map(open -> new Mail(open.command(), open.recipients(), open.octets(), open.excess(),
                true)));
    }

    SessionState withoutMail() {
        return withMail(Optional.empty());
    }

    private SessionState withMail(Optional<Mail> other) {
        return new SessionState(helo, greeting, tls, user, speaker, other, errors, junk, transactions);
    }

    SessionState withError() {
        return new SessionState(helo, greeting, tls, user, speaker, mail, errors + 1, junk, transactions);
    }

    SessionState withJunk(int count) {
        return new SessionState(helo, greeting, tls, user, speaker, mail, errors, count, transactions);
    }
}
