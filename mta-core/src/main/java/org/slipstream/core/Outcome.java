package org.slipstream.core;

import java.util.Objects;

/// What became of one recipient in one attempt.
///
/// `remote` names who said so: `mx1.example.org[192.0.2.1]:25`, a mailbox, or this server where nobody was asked.
public sealed interface Outcome {
    Reply reply();

    String remote();

    /// Taken by the next hop or put into the mailbox; this recipient is finished.
    record Delivered(Reply reply, String remote) implements Outcome {
        public Delivered {
            Objects.requireNonNull(remote);
            if (!reply.isPositive()) {
                throw new IllegalArgumentException("a delivery has a positive reply: " + reply);
            }
        }
    }

    /// Not now; the recipient stays in the queue.
    record Deferred(Reply reply, String remote) implements Outcome {
        public Deferred {
            Objects.requireNonNull(remote);
            if (!reply.isTransient()) {
                throw new IllegalArgumentException("a deferral has a 4xx reply: " + reply);
            }
        }
    }

    /// Never; the sender is told, unless there is none or it asked not to be.
    record Failed(Reply reply, String remote) implements Outcome {
        public Failed {
            Objects.requireNonNull(remote);
            if (!reply.isPermanent()) {
                throw new IllegalArgumentException("a failure has a 5xx reply: " + reply);
            }
        }
    }

    /// The outcome that a peer's reply to a recipient stands for.
    static Outcome of(Reply reply, String remote) {
        return reply.isPositive()
                ? new Delivered(reply, remote)
                : reply.isTransient() ? new Deferred(reply, remote) : new Failed(reply, remote);
    }
}
