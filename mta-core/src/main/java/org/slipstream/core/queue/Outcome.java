package org.slipstream.core.queue;

import org.slipstream.core.Reply;

import java.util.Objects;

/// The outcome for one recipient of one delivery.
///
/// `remote` is the source of the reply: `mx1.example.org[192.0.2.1]:25`, a mailbox, or this server
/// when no host was asked.
///
/// The reply is [Reply#shortened], wherever it comes from: a remote host may answer with 64 KiB,
/// and memory, log and index keep an outcome for each recipient.
public sealed interface Outcome {
    /// The source of a reply of this server itself.
    String HERE = "local";

    Reply reply();

    String remote();

    /// Accepted by the next hop or stored in the mailbox; the recipient is finished.
    record Delivered(Reply reply, String remote) implements Outcome {
        public Delivered {
            Objects.requireNonNull(remote);
            reply = reply.shortened();
            if (!reply.isPositive()) {
                throw new IllegalArgumentException("a delivery has a positive reply: " + reply);
            }
        }
    }

    /// A temporary failure; the recipient stays in the queue.
    record Deferred(Reply reply, String remote) implements Outcome {
        public Deferred {
            Objects.requireNonNull(remote);
            reply = reply.shortened();
            if (!reply.isTransient()) {
                throw new IllegalArgumentException("a deferral has a 4xx reply: " + reply);
            }
        }
    }

    /// A permanent failure; the sender gets a report, unless the sender is null or requested none.
    record Failed(Reply reply, String remote) implements Outcome {
        public Failed {
            Objects.requireNonNull(remote);
            reply = reply.shortened();
            if (!reply.isPermanent()) {
                throw new IllegalArgumentException("a failure has a 5xx reply: " + reply);
            }
        }
    }

    /// Maps the reply for a recipient to its outcome.
    static Outcome of(Reply reply, String remote) {
        return reply.isPositive()
                ? new Delivered(reply, remote)
                : reply.isTransient() ? new Deferred(reply, remote) : new Failed(reply, remote);
    }
}
