package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Delivery;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// An assignment of an entry to a connection, or a displaced one that waits for another: Finch's
/// *job*. It becomes a [Delivery] when its host is selected.
///
/// @param number of the delivery
/// @param idle how long a connection is kept after it; empty for the time of the transport
/// @param answer of the host that has deferred it already; empty until then
record Assignment(long number, QueueId id, Owner owner, Candidates where, List<Recipient> recipients,
        Optional<Duration> idle, List<RecipientOutcome> answer) {
    Assignment {
        Objects.requireNonNull(owner);
        Objects.requireNonNull(where);
        recipients = List.copyOf(recipients);
        answer = List.copyOf(answer);
    }

    Assignment(long number, QueueId id, Owner owner, Candidates where, List<Recipient> recipients) {
        this(number, id, owner, where, recipients, Optional.empty(), List.of());
    }

    boolean isDeferredByAHost() {
        return !answer.isEmpty();
    }

    /// The same delivery for the hosts that have not deferred it.
    Assignment without(HostKey host, List<RecipientOutcome> deferred) {
        return new Assignment(number, id, owner, where.without(host), recipients, idle, deferred);
    }

    String destination() {
        return where.destination();
    }

    /// The delivery on a connection to this host, under the name that this message's route has for
    /// it.
    Delivery to(Candidate host) {
        return new Delivery(number, id, where.named(host).route(), recipients,
                owner instanceof Owner.Verification);
    }

    List<RecipientOutcome> all(Outcome outcome) {
        return recipients.stream().map(recipient -> new RecipientOutcome(recipient.number(), outcome)).toList();
    }
}
