package org.slipstream.smtpin.command;

import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.Reply;

import java.util.Optional;
import java.util.OptionalLong;

/// What a client can ask for, already checked against the grammar. Whether it may be asked now is the session's question.
public sealed interface Command {
    /// EHLO or HELO.
    ///
    /// @param name what the client calls itself, printable ASCII that cannot break out of a Received line
    record Hello(String name, boolean extended) implements Command {}

    /// @param sender empty for `<>`
    /// @param declaredBytes the SIZE parameter or 0; larger than any limit when it does not fit a `long`
    /// @param body empty when nothing was declared
    record Mail(Optional<Address> sender, long declaredBytes, Optional<BodyType> body) implements Command {}

    record Rcpt(Address recipient) implements Command {}

    record Data() implements Command {}

    /// CHUNKING (RFC 3030) is not announced. A client that sends BDAT all the same sends its chunk behind it, which must
    /// not be read as commands.
    ///
    /// @param bytes the length of the chunk; empty when it cannot be read
    record Bdat(OptionalLong bytes) implements Command {}

    record Rset() implements Command {}

    record Noop() implements Command {}

    record Vrfy() implements Command {}

    record Help() implements Command {}

    record Quit() implements Command {}

    record StartTls() implements Command {}

    /// A known verb that this server does not serve: AUTH, EXPN, ETRN, TURN.
    record Unserved(String verb) implements Command {}

    /// The first line of another protocol. A browser that is tricked into talking to a mail server sends one.
    record Foreign(String verb) implements Command {}

    /// Not a command, or a badly written one.
    ///
    /// @param verb in upper case, as written when it is none of ours
    /// @param reply what the client is told
    record Wrong(String verb, Reply reply) implements Command {}
}
