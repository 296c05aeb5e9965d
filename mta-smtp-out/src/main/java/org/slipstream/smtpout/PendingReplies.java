package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Delivery;
import org.slipstream.core.DeliveryResult;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.smtpout.dialog.Transfer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// The orders of one connection that have no answer yet. Each gets exactly one, whatever happens.
///
/// An order is the open or a delivery. Safe from any thread: at the end of the server's life another thread may answer in the place
/// of a connection that hangs in a lookup.
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
            tell(() -> events.ready(connection));
        }
    }

    void failed(Reply reason, String remote, boolean ours, OptionalLong retryAfterMillis) {
        if (answersOpen()) {
            tell(() -> events.failed(connection, reason, remote, ours, retryAfterMillis));
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

    /// The answer will come from elsewhere. False when it has been given already.
    synchronized boolean withdraw(Delivery delivery) {
        return deliveries.remove(delivery.number()) != null;
    }

    /// The transfers in place of this one, in their order: itself, or one for each group of its recipients.
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
        collect(result).ifPresent(whole -> tell(() -> events.done(whole)));
    }

    private synchronized Optional<DeliveryResult> collect(DeliveryResult result) {
        Optional<Delivery> delivery = Optional.ofNullable(deliveries.remove(result.delivery()));
        Optional<Split> split = Optional.ofNullable(splits.remove(result.delivery()));
        return delivery
                .flatMap(pending -> split.map(s -> s.add(pending, result)).orElseGet(() -> Optional.of(result)));
    }

    /// A failure of this server is the answer to everything that is pending.
    void giveUp(Reply reason) {
        failed(reason, FailureReplies.LOCAL, true, OptionalLong.empty());
        List<Long> left;
        synchronized (this) {
            left = List.copyOf(deliveries.keySet());
        }
        left.forEach(number -> done(
                new DeliveryResult.OwnFailure(number, connection, reason, DeliveryResult.Scope.MESSAGE, false)));
    }

    void lost(String reason) {
        tell(() -> events.lost(connection, reason));
    }

    void depth(int deliveries) {
        tell(() -> events.depth(connection, deliveries));
    }

    void pipelinesBadly(String what) {
        tell(() -> events.pipelinesBadly(connection, what));
    }

    private void tell(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException e) {
            log.error("msg=\"an answer was not taken\" conn={}", connection, e);
        }
    }
}
