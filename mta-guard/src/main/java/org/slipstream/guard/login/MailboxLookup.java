package org.slipstream.guard.login;

import org.slipstream.core.Address;

/// Tells whether a mailbox exists, where another program has the mailboxes. Called on session
/// threads; each call has a time limit.
@FunctionalInterface
public interface MailboxLookup {
    /// Every mailbox exists.
    MailboxLookup ALL = _ -> Existence.EXISTS;

    enum Existence {
        EXISTS, UNKNOWN,
        /// The program cannot tell now.
        UNCERTAIN
    }

    /// @param mailbox folded, without its tag
    Existence find(Address mailbox);
}
