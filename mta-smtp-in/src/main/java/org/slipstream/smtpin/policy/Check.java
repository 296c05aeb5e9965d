package org.slipstream.smtpin.policy;

import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;

import java.util.Optional;

/// One policy check, asked at one or several stages of a session. Called on the threads of all
/// sessions; may block (DNS) while the client waits.
///
/// A check implements only the methods of the stages that it decides.
public interface Check {
    /// The name in logs and tags.
    String name();

    /// @param early true when the client sent data before the greeting
    default Ruling connect(Client client, boolean early) {
        return Ruling.pass();
    }

    /// At HELO, EHLO or LHLO.
    default Ruling hello(Client client) {
        return Ruling.pass();
    }

    /// @param sender empty for the null sender
    default Ruling mail(Client client, Optional<Address> sender, long declaredBytes) {
        return Ruling.pass();
    }

    default Ruling rcpt(Client client, Rcpt rcpt) {
        return Ruling.pass();
    }

    /// The message is complete and not yet accepted.
    default Ruling end(Client client, CheckedMessage message) {
        return Ruling.pass();
    }

    /// True when [#end] reads the header; otherwise the header is not kept.
    default boolean readsHeader() {
        return false;
    }

    /// @param sender empty for the null sender
    /// @param routed the path had a source route
    /// @param accepted number of recipients so far
    record Rcpt(Optional<Address> sender, Address recipient, boolean routed, int accepted) {}

    /// @param header without this server's Received line; empty when no check reads it
    /// @param content as it is stored, with that line; readable during the check
    record CheckedMessage(QueueId id, Envelope envelope, long sizeBytes, Header header, Content content) {
        /// The message with this change of its header. The content is not changed: it shows the change
        /// only when all checks are done.
        CheckedMessage changed(HeaderChange change) {
            return change.isEmpty()
                    ? this
                    : new CheckedMessage(id, envelope, sizeBytes, change.applied(header), content);
        }
    }
}
