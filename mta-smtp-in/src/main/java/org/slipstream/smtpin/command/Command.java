package org.slipstream.smtpin.command;

import org.slipstream.core.Address;
import org.slipstream.core.Reply;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// What a client can ask for, already checked against the grammar. Whether it may be asked now is the protocol's question.
public sealed interface Command {
    /// By which verb a client introduced itself, and so which protocol it speaks.
    enum Greeting {
        /// RFC 5321: without extensions.
        HELO,
        /// RFC 5321.
        EHLO,
        /// RFC 2033.
        LHLO
    }

    /// @param name what the client calls itself, printable text that cannot break out of a Received line
    record Hello(String name, Greeting greeting) implements Command {}

    /// @param sender empty for `<>`
    record Mail(Optional<Address> sender, MailParameters parameters) implements Command {
        /// What an envelope keeps of it, without the few octets of flags and numbers.
        public int octets() {
            return Command.octets(sender.map(Address::toString)) + Command.octets(parameters.envelopeId())
                    + Command.octets(parameters.originator());
        }
    }

    /// @param routed the path had a source route, which is ignored
    record Rcpt(Address recipient, boolean routed, RcptParameters parameters) implements Command {
        /// What an envelope keeps of it.
        public int octets() {
            return Command.octets(Optional.of(recipient.toString())) + Command.octets(parameters.original());
        }
    }

    private static int octets(Optional<String> text) {
        return text.map(kept -> kept.getBytes(StandardCharsets.UTF_8).length).orElse(0);
    }

    record Data() implements Command {}

    /// A chunk follows, whatever the answer will be (RFC 3030 section 2).
    ///
    /// @param bytes the length of the chunk; empty when it cannot be read
    record Bdat(OptionalLong bytes, boolean last) implements Command {}

    record Rset() implements Command {}

    record Noop() implements Command {}

    record Vrfy() implements Command {}

    record Expn() implements Command {}

    record Help() implements Command {}

    record Quit() implements Command {}

    record StartTls() implements Command {}

    /// @param mechanism in upper case
    /// @param initial the initial response in base64; empty text for `=`, which is an empty response
    record Auth(String mechanism, Optional<String> initial) implements Command {}

    /// @param node a domain, or with `@` its subdomains, or with `#` a queue (RFC 1985 section 5.3)
    record Etrn(String node) implements Command {}

    /// @param attributes at least one, values decoded
    record Xclient(List<Parameter> attributes) implements Command {}

    /// A verb that exists and that nobody serves any more: TURN, ATRN, SEND, SOML, SAML.
    record Unserved(String verb) implements Command {}

    /// The first line of another protocol. A browser that is tricked into talking to a mail server sends one.
    record Foreign(String verb) implements Command {}

    /// Not a command, or a badly written one.
    ///
    /// @param verb in upper case, as written when it is none of ours
    /// @param reply what the client is told
    record Wrong(String verb, Reply reply) implements Command {}
}
