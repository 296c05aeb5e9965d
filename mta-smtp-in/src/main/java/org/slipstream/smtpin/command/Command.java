package org.slipstream.smtpin.command;

import org.slipstream.core.Address;
import org.slipstream.core.Reply;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// A command that matches the grammar. The protocol decides whether it is permitted in the
/// session's state.
public sealed interface Command {
    /// The verb by which the client greeted, which decides the protocol.
    enum Greeting {
        /// RFC 5321: without extensions.
        HELO,
        /// RFC 5321.
        EHLO,
        /// RFC 2033.
        LHLO
    }

    /// @param name the client's name, printable text that cannot break out of a Received line
    record Hello(String name, Greeting greeting) implements Command {}

    /// @param sender empty for `<>`
    record Mail(Optional<Address> sender, MailParameters parameters) implements Command {
        /// The octets that an envelope stores, except the few of flags and numbers.
        public int octets() {
            return Command.octets(sender.map(Address::toString)) + Command.octets(parameters.envelopeId())
                    + Command.octets(parameters.originator());
        }
    }

    /// @param routed the path had a source route, which is ignored
    record Rcpt(Address recipient, boolean routed, RcptParameters parameters) implements Command {
        /// The octets that an envelope stores.
        public int octets() {
            return Command.octets(Optional.of(recipient.toString())) + Command.octets(parameters.original());
        }
    }

    private static int octets(Optional<String> text) {
        return text.map(kept -> kept.getBytes(StandardCharsets.UTF_8).length).orElse(0);
    }

    /// RFC 5321 section 4.1.1.4.
    record Data() implements Command {}

    /// A chunk follows, whatever the reply (RFC 3030 section 2).
    ///
    /// @param bytes the length of the chunk; empty when it cannot be read
    record Bdat(OptionalLong bytes, boolean last) implements Command {}

    /// RFC 5321 section 4.1.1.5.
    record Rset() implements Command {}

    /// RFC 5321 section 4.1.1.9.
    record Noop() implements Command {}

    /// RFC 5321 section 4.1.1.6.
    record Vrfy() implements Command {}

    /// RFC 5321 section 4.1.1.7.
    record Expn() implements Command {}

    /// RFC 5321 section 4.1.1.8.
    record Help() implements Command {}

    /// RFC 5321 section 4.1.1.10.
    record Quit() implements Command {}

    record StartTls() implements Command {}

    /// @param mechanism in upper case
    /// @param initial the initial response in base64; empty text for `=`, which is an empty
    ///     response
    record Auth(String mechanism, Optional<String> initial) implements Command {}

    /// @param node a domain, or with `@` its subdomains, or with `#` a queue (RFC 1985 section 5.3)
    record Etrn(String node) implements Command {}

    /// @param attributes at least one, values decoded
    record Xclient(List<Parameter> attributes) implements Command {}

    /// An obsolete or unsupported verb: TURN, ATRN, SEND, SOML, SAML (RFC 5321 appendix F.1 and F.6).
    record Unserved(String verb) implements Command {}

    /// The first line of another protocol, as a browser sends it that is tricked into connecting to
    /// a mail server.
    record Foreign(String verb) implements Command {}

    /// An unknown or malformed command.
    ///
    /// @param verb in upper case, as written when it is unknown
    /// @param reply to the client
    record Wrong(String verb, Reply reply) implements Command {}
}
