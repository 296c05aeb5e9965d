package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Delivery;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.smtpout.dialog.Transfer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// The orders of one connection without a reply. Each order, the open or a delivery, gets exactly
/// one reply, whatever happens.
///
/// Thread-safe: at shutdown another thread may reply for a connection that hangs in a lookup.
final class PendingReplies {
    private static final Logger log = LoggerFactory.getLogger(PendingReplies.class);

    private final long connection;
    private final CarrierEvents events;

    // Guarded by this.
    private boolean opened;
    private final Map<Long, Delivery> deliveries = new LinkedHashMap<>();
    /// By the number of the portion.
    private final Map<Long, Split> splits = new HashMap<>();
    private long portions;

    PendingReplies(long connection, CarrierEvents events) {
        this.connection = connection;
        this.events = events;
    }

    void ready() {
        if (answersOpen()) {
            emit(() -> events.ready(connection));
        }
    }

    void failed(Reply reason, String remote, boolean ours, OptionalLong retryAfterMillis,
            Optional<QueuePhase.Code> phase) {
        if (answersOpen()) {
            emit(() -> events.failed(connection, reason, remote, ours, retryAfterMillis, phase));
        }
    }

    private synchronized boolean answersOpen() {
        boolean first = !opened;
        opened = true;
        return first;
    }

    synchronized void expect(Delivery delivery) {
        deliveries.put(delivery.number(), delivery);
    }

    /// The transfers in place of this one, in order: itself, or one for each group of its
    /// recipients.
    synchronized List<Transfer> divided(Transfer whole, List<List<Recipient>> groups) {
        if (groups.size() == 1 || deliveries.remove(whole.number()) == null) {
            return List.of(whole);
        }
        Split split = new Split(whole.delivery(), groups.size());
        List<Transfer> parts = new ArrayList<>();
        for (List<Recipient> group : groups) {
            Transfer part = whole.portion(--portions, group);
            parts.add(part);
            expect(part.delivery());
            splits.put(part.number(), split);
        }
        return parts;
    }

    void done(DeliveryResult result) {
        collect(result).ifPresent(whole -> emit(() -> events.done(whole)));
    }

    private synchronized Optional<DeliveryResult> collect(DeliveryResult result) {
        Optional<Delivery> delivery = Optional.ofNullable(deliveries.remove(result.delivery()));
        Optional<Split> split = Optional.ofNullable(splits.remove(result.delivery()));
        return delivery
                .flatMap(pending -> split.map(s -> s.add(pending, result)).orElseGet(() -> Optional.of(result)));
    }

    /// Replies to everything pending with a failure of this server.
    void failAll(Reply reason) {
        failed(reason, FailureReplies.LOCAL, true, OptionalLong.empty(), Optional.empty());
        List<Long> left;
        synchronized (this) {
            left = List.copyOf(deliveries.keySet());
        }
        left.forEach(number -> done(
                new DeliveryResult.OwnFailure(number, connection, reason, DeliveryResult.Scope.MESSAGE, false)));
    }

    void lost(String reason) {
        emit(() -> events.lost(connection, reason));
    }

    void depth(int deliveries) {
        emit(() -> events.depth(connection, deliveries));
    }

    void pipelinesBadly(String what) {
        emit(() -> events.pipelinesBadly(connection, what));
    }

    private void emit(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException e) {
            log.error("event=callback-failed connection={}", connection, e);
        }
    }
}
