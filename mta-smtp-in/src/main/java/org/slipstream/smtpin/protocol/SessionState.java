package org.slipstream.smtpin.protocol;

import org.slipstream.smtpin.command.Command;

import java.util.Optional;

/// The state of a session.
///
/// @param helo the client's name; empty before EHLO and again after STARTTLS
/// @param greeting HELO, EHLO or LHLO
/// @param tls true once encrypted
/// @param user the authenticated user
/// @param xclientPermitted true for a client that may use XCLIENT
/// @param mail the open transaction
/// @param errors negative replies so far
/// @param junk commands without mail since the last accepted message
/// @param transactions begun so far
public record SessionState(Optional<String> helo, Command.Greeting greeting, boolean tls, Optional<String> user,
        boolean xclientPermitted, Optional<Mail> mail, int errors, int junk, int transactions) {

    /// A transaction (RFC 5321 section 3.3).
    ///
    /// @param recipients accepted so far
    /// @param octets of sender and recipients, with their parameters
    /// @param excess recipients refused beyond the limit
    /// @param chunks true after the first BDAT, which excludes RCPT and DATA
    public record Mail(Command.Mail command, int recipients, int octets, int excess, boolean chunks) {}

    /// @param tls true on a port with TLS from the start
    /// @param xclientPermitted true for a client that may use XCLIENT
    public static SessionState start(boolean tls, boolean xclientPermitted) {
        return new SessionState(Optional.empty(), Command.Greeting.HELO, tls, Optional.empty(), xclientPermitted,
                Optional.empty(), 0,
                0, 0);
    }

    SessionState withHello(Command.Hello hello) {
        return new SessionState(Optional.of(hello.name()), hello.greeting(), tls, user, xclientPermitted,
                Optional.empty(),
                errors,
                junk, transactions);
    }

    // RFC 3207 section 4.2: everything received in clear text is discarded.
    SessionState withTls() {
        return new SessionState(Optional.empty(), Command.Greeting.HELO, true, Optional.empty(), xclientPermitted,
                Optional.empty(),
                errors, junk, transactions);
    }

    SessionState withUser(String name) {
        return new SessionState(helo, greeting, tls, Optional.of(name), xclientPermitted, mail, errors, junk,
                transactions);
    }

    /// XCLIENT replaces the client.
    SessionState restarted(Optional<String> otherHelo, Optional<String> otherUser) {
        return new SessionState(otherHelo, Command.Greeting.HELO, tls, otherUser, xclientPermitted, Optional.empty(),
                errors,
                junk,
                transactions);
    }

    SessionState withMail(Command.Mail command) {
        return new SessionState(helo, greeting, tls, user, xclientPermitted,
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
        return new SessionState(helo, greeting, tls, user, xclientPermitted, other, errors, junk, transactions);
    }

    SessionState withError() {
        return new SessionState(helo, greeting, tls, user, xclientPermitted, mail, errors + 1, junk, transactions);
    }

    SessionState withJunk(int count) {
        return new SessionState(helo, greeting, tls, user, xclientPermitted, mail, errors, count, transactions);
    }
}
