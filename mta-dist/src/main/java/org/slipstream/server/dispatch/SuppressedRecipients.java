package org.slipstream.server.dispatch;

import org.slipstream.core.Address;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;

import java.util.Optional;

/// Recipients that get no mail.
public interface SuppressedRecipients {
    SuppressedRecipients NONE = new SuppressedRecipients() {
        @Override
        public boolean isEmpty() {
            return true;
        }

        @Override
        public Optional<Reply> reply(Optional<Address> sender, Address recipient) {
            return Optional.empty();
        }

        @Override
        public boolean counts(Outcome outcome) {
            return false;
        }

        @Override
        public void decided(Address recipient, Outcome outcome) {
            // Nothing counts.
        }
    };

    /// True when all recipients get mail; never blocks.
    boolean isEmpty();

    /// The reason of the failure; empty for a recipient that gets mail. May block on the disk.
    ///
    /// @param sender empty for a report
    Optional<Reply> reply(Optional<Address> sender, Address recipient);

    /// True for the outcome of an attempt that [#decided] wants to know; never blocks.
    boolean counts(Outcome outcome);

    /// May block on the disk.
    void decided(Address recipient, Outcome outcome);
}
