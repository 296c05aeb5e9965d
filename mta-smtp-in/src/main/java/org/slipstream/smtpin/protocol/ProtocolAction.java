package org.slipstream.smtpin.protocol;

import org.slipstream.core.Reply;
import org.slipstream.smtpin.command.Command;

/// The action that [SmtpSession][org.slipstream.smtpin.SmtpListener] performs after a step. An
/// action with a result names the method of [ServerProtocol] that takes it.
public sealed interface ProtocolAction {
    /// Read the next command.
    record ReadCommand() implements ProtocolAction {}

    /// The session ends.
    ///
    /// @param byUs true when the server closes
    record Close(boolean byUs) implements ProtocolAction {}

    /// Ask the policy about HELO, then [ServerProtocol#greeted].
    record AskHello(Command.Hello hello) implements ProtocolAction {}

    /// Ask policy and message handler, then [ServerProtocol#sender].
    record AskSender(Command.Mail mail) implements ProtocolAction {}

    /// Ask policy and message handler, then [ServerProtocol#recipient].
    record AskRecipient(Command.Rcpt rcpt) implements ProtocolAction {}

    /// Reply 354 and read the message up to its final dot, then [ServerProtocol#content].
    record TakeData() implements ProtocolAction {}

    /// Read N bytes, then [ServerProtocol#chunk], or [ServerProtocol#content] after the last.
    record TakeChunk(long bytes, boolean last) implements ProtocolAction {}

    /// Read and discard N bytes, then [ServerProtocol#skipped].
    record SkipChunk(long bytes, Reply refusal) implements ProtocolAction {}

    /// Perform the TLS handshake, then [ServerProtocol#encrypted].
    record Encrypt() implements ProtocolAction {}

    /// Run the mechanism, then [ServerProtocol#authenticated] or [ServerProtocol#notAuthenticated].
    record Authenticate(Command.Auth auth) implements ProtocolAction {}

    /// Start the delivery of waiting mail (ETRN), then [ServerProtocol#answered].
    record Wake(String node) implements ProtocolAction {}

    /// Replace the client's identity (XCLIENT), then [ServerProtocol#impersonated].
    record Impersonate(Command.Xclient xclient) implements ProtocolAction {}

    /// Discard the open transaction.
    record ResetTransaction() implements ProtocolAction {}
}
