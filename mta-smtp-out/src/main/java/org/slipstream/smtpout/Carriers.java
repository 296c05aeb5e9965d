package org.slipstream.smtpout;

import org.slipstream.core.Content;
import org.slipstream.core.Delivery;
import org.slipstream.core.DeliveryResult;
import org.slipstream.core.Envelope;
import org.slipstream.core.Route;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.smtpout.host.Dns;
import org.slipstream.smtpout.host.DnsHostFinder;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.smtpout.wire.Wire;
import org.slipstream.smtpout.wire.WireWatchdog;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// All outbound SMTP and LMTP connections; each lives on a virtual thread of its own with a mailbox. Callers never block.
///
/// The caller numbers connections and never uses a number twice. Orders and events can cross: a delivery may be on its way to a
/// connection whose loss is on its way to the caller. Such a delivery is unanswered.
public final class Carriers implements AutoCloseable {
    private static final Duration FINISH = Duration.ofSeconds(10);
    private static final Duration CUT = Duration.ofMillis(500);

    private final ClientConfig config;
    private final CarrierEvents events;
    private final WireWatchdog watchdog = new WireWatchdog();
    private final Opener opener;

    // Guarded by this.
    private final Map<Long, Carrier> living = new HashMap<>();
    private boolean closed;

    public Carriers(ClientConfig config, CarrierEvents events) {
        this(config, events, new DnsHostFinder(new Dns(config.dnsServers())), new SplittableRandom());
    }

    /// @param random the order of a host's addresses
    public Carriers(ClientConfig config, CarrierEvents events, HostFinder hosts, RandomGenerator random) {
        this.config = config;
        this.events = events;
        if (config.startTls()) {
            Wire.warmUpTls();
        }
        this.opener = new Opener(config, hosts, random, watchdog);
    }

    /// Answered by [CarrierEvents#ready] or [CarrierEvents#failed].
    ///
    /// @param plainly no pipelining and no BDAT: the host is known to break under it
    public synchronized void open(long connection, Route route, boolean plainly) {
        if (living.containsKey(connection)) {
            throw new IllegalStateException("connection " + connection + " is open already");
        }
        if (closed) {
            aside(() -> new PendingReplies(connection, events).giveUp(FailureReplies.stopping()));
        } else {
            start(new Carrier(connection, route, plainly, config, opener, watchdog, events, this::ended));
        }
    }

    /// Answered by [CarrierEvents#done], whatever happens.
    ///
    /// @param envelope sender and parameters; the recipients are those of the delivery
    public synchronized void deliver(long connection, Delivery delivery, Envelope envelope, Content content) {
        Carrier carrier = living.get(connection);
        if (carrier == null || !carrier.deliver(new Transfer(delivery, envelope, content))) {
            DeliveryResult result = notDelivered(connection, delivery);
            aside(() -> events.done(result));
        }
    }

    private DeliveryResult notDelivered(long connection, Delivery delivery) {
        return closed
                ? new DeliveryResult.OwnFailure(delivery.number(), connection, FailureReplies.stopping(),
                        DeliveryResult.Scope.MESSAGE, false)
                : new DeliveryResult.Unanswered(delivery.number(), connection, FailureReplies.noSuchConnection(),
                        FailureReplies.LOCAL, false);
    }

    /// The present phase of a connection; empty when it has nothing to do, or is gone.
    public synchronized Optional<WirePhase> phase(long connection) {
        return Optional.ofNullable(living.get(connection)).flatMap(Carrier::phase);
    }

    /// QUIT, not awaited by the caller.
    public synchronized void close(long connection) {
        Carrier carrier = living.get(connection);
        if (carrier != null) {
            carrier.close();
        }
    }

    /// Lets transfers in progress finish for up to 10 s.
    @Override
    public void close() {
        close(FINISH);
    }

    /// Lets transfers in progress finish, then cuts them off; their results are failures of this server. All of it takes no longer than
    /// `patience`, or [#CUT] where that is longer.
    public void close(Duration patience) {
        synchronized (this) {
            closed = true;
        }
        each(Carrier::stop);
        if (!allEndWithin(patience.minus(CUT))) {
            each(Carrier::cut);
            if (!allEndWithin(CUT)) {
                each(Carrier::giveUp);
            }
        }
        watchdog.close();
    }

    private void start(Carrier carrier) {
        living.put(carrier.number(), carrier);
        Thread.ofVirtual().name("out-" + carrier.number()).start(carrier);
    }

    // Answers never come on the stack of the call.
    private static void aside(Runnable answer) {
        Thread.ofVirtual().name("out-aside").start(answer);
    }

    private void each(Consumer<Carrier> what) {
        List<Carrier> all;
        synchronized (this) {
            all = new ArrayList<>(living.values());
        }
        all.forEach(what);
    }

    private synchronized boolean allEndWithin(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        try {
            while (!living.isEmpty()) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0) {
                    return false;
                }
                wait(left);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return living.isEmpty();
    }

    private synchronized void ended(Carrier carrier) {
        living.remove(carrier.number(), carrier);
        notifyAll();
    }
}
