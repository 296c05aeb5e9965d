package org.slipstream.smtpin.protocol;

import org.slipstream.core.Reply;
import org.slipstream.smtpin.command.Command;

/// What somebody with hands has to do after a step. Each one that asks for an answer names the method of [Protocol] that takes it.
public sealed interface Action {
    /// Read the next command.
    record Listen() implements Action {}

    /// The session is over.
    ///
    /// @param byUs true when it was our idea
    record Close(boolean byUs) implements Action {}

    /// Ask the policy about the client's name, then [Protocol#greeted].
    record AskHello(Command.Hello hello) implements Action {}

    /// Ask policy and house, then [Protocol#sender].
    record AskSender(Command.Mail mail) implements Action {}

    /// Ask policy and house, then [Protocol#recipient].
    record AskRecipient(Command.Rcpt rcpt) implements Action {}

    /// Say 354 and take the message up to its final dot, then [Protocol#content].
    record TakeData() implements Action {}

    /// Take so many bytes, then [Protocol#chunk], or [Protocol#content] after the last.
    record TakeChunk(long bytes, boolean last) implements Action {}

    /// Read so many bytes and forget them, then [Protocol#skipped].
    record SkipChunk(long bytes, Reply refusal) implements Action {}

    /// Shake hands, then [Protocol#encrypted].
    record Encrypt() implements Action {}

    /// Talk to the mechanism, then [Protocol#authenticated] or [Protocol#notAuthenticated].
    record Authenticate(Command.Auth auth) implements Action {}

    /// Ask the house to send what waits, then [Protocol#answered].
    record Wake(String node) implements Action {}

    /// Put somebody else in the client's place, then [Protocol#impersonated].
    record Impersonate(Command.Xclient xclient) implements Action {}

    /// The transaction is over without a message: forget what was collected.
    record Forget() implements Action {}
}
