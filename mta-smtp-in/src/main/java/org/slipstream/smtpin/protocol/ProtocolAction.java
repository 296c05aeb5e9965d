package org.slipstream.smtpin.protocol;

import org.slipstream.core.Reply;
import org.slipstream.smtpin.command.Command;

/// What somebody with hands has to do after a step. Each one that asks for an answer names the method of [ServerProtocol] that takes it.
public sealed interface ProtocolAction {
    /// Read the next command.
    record Listen() implements ProtocolAction {}

    /// The session is over.
    ///
    /// @param byUs true when it was our idea
    record Close(boolean byUs) implements ProtocolAction {}

    /// Ask the policy about the client's name, then [ServerProtocol#greeted].
    record AskHello(Command.Hello hello) implements ProtocolAction {}

    /// Ask policy and house, then [ServerProtocol#sender].
    record AskSender(Command.Mail mail) implements ProtocolAction {}

    /// Ask policy and house, then [ServerProtocol#recipient].
    record AskRecipient(Command.Rcpt rcpt) implements ProtocolAction {}

    /// Say 354 and take the message up to its final dot, then [ServerProtocol#content].
    record TakeData() implements ProtocolAction {}

    /// Take so many bytes, then [ServerProtocol#chunk], or [ServerProtocol#content] after the last.
    record TakeChunk(long bytes, boolean last) implements ProtocolAction {}

    /// Read so many bytes and forget them, then [ServerProtocol#skipped].
    record SkipChunk(long bytes, Reply refusal) implements ProtocolAction {}

    /// Shake hands, then [ServerProtocol#encrypted].
    record Encrypt() implements ProtocolAction {}

    /// Talk to the mechanism, then [ServerProtocol#authenticated] or [ServerProtocol#notAuthenticated].
    record Authenticate(Command.Auth auth) implements ProtocolAction {}

    /// Ask the house to send what waits, then [ServerProtocol#answered].
    record Wake(String node) implements ProtocolAction {}

    /// Put somebody else in the client's place, then [ServerProtocol#impersonated].
    record Impersonate(Command.Xclient xclient) implements ProtocolAction {}

    /// The transaction is over without a message: forget what was collected.
    record Forget() implements ProtocolAction {}
}
