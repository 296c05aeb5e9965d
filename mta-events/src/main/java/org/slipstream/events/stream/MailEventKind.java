package org.slipstream.events.stream;

import java.util.Locale;

/// The kinds of events.
public enum MailEventKind {
    /// The message is in the spool, and its client has the acknowledgement.
    ACCEPTED,
    /// A recipient has the message, as the reply of the next host says.
    DELIVERED,
    /// A recipient waits for the next attempt.
    DEFERRED,
    /// A recipient will not get the message, because a host or this server refused it.
    BOUNCED,
    /// A recipient will not get the message, because it waited too long.
    EXPIRED,
    /// A recipient gets no mail, as the list of suppressions says. No host was asked.
    SUPPRESSED,
    /// The message waits until it is released.
    HELD, RELEASED,
    /// An operator deleted the message: recipients that were neither delivered nor bounced get nothing more.
    DELETED,
    /// The receiver of a message calls it spam.
    COMPLAINT,
    /// A report says, after the delivery, that a recipient will not get the message.
    RETURNED,
    /// A recipient wants no more mail of this sender's domain.
    UNSUBSCRIBED,
    /// Mail of a user waits for an operator from now on, or no longer.
    ACCOUNT_HELD, ACCOUNT_RELEASED,
    /// Events are missing here.
    LOST;

    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
