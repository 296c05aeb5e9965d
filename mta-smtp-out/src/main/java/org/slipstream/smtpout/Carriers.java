package org.slipstream.smtpout;

import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Delivery;
import org.slipstream.core.queue.DeliveryResult;
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

/// All outgoing SMTP and LMTP connections, each a [Carrier] on its own virtual thread with an
/// inbox. Callers never block.
///
/// The caller numbers connections and never reuses a number. Orders and events can cross: a
/// delivery may be sent to a connection whose loss is not yet reported. Such a delivery is
/// unanswered.
public final class Carriers implements AutoCloseable {
    private static final Duration FINISH = Duration.ofSeconds(10);
    private static final Duration CUT = Duration.ofMillis(500);

    private ClientConfig config;
    private final CarrierEvents events;
    private final ContentSigner signer;
    /// The begin of their names.
    private String threads = "out-";
    private final WireWatchdog watchdog = new WireWatchdog();
    private final RandomGenerator random;
    private Opener opener;

    // Guarded by this.
    private final Map<Long, Carrier> open = new HashMap<>();
    private boolean closed;

    public Carriers(ClientConfig config, CarrierEvents events) {
        this(config, events, ContentSigner.NONE);
    }

    public Carriers(ClientConfig config, CarrierEvents events, ContentSigner signer) {
        this(config, events, signer, new DnsHostFinder(new Dns(config.dnsServers())), new SplittableRandom());
    }

    /// @param random for the order of a host's addresses
    public Carriers(ClientConfig config, CarrierEvents events, HostFinder hosts, RandomGenerator random) {
        this(config, events, ContentSigner.NONE, hosts, random);
    }

    private Carriers(ClientConfig config, CarrierEvents events, ContentSigner signer, HostFinder hosts,
            RandomGenerator random) {
        this.config = config;
        this.events = events;
        this.signer = signer;
        this.random = random;
        if (config.startTls()) {
            Wire.warmUpTls();
        }
        this.opener = new Opener(config, hosts, random, watchdog);
    }

    /// The connections that open from now on have the number of their shard, because those of several shards
    /// have the same numbers.
    public synchronized void nameAfter(int shard) {
        threads = "out-" + shard + "-";
    }

    /// Other settings, for the connections that open from now on.
    public synchronized void change(ClientConfig settings) {
        config = settings;
        opener = new Opener(settings, new DnsHostFinder(new Dns(settings.dnsServers())), random, watchdog);
    }

    /// Opens a connection; the reply is [CarrierEvents#ready] or [CarrierEvents#failed].
    ///
    /// @param plainly no pipelining and no BDAT, for a host that is known to fail with them
    public synchronized void open(long connection, Route route, boolean plainly) {
        if (open.containsKey(connection)) {
            throw new IllegalStateException("connection " + connection + " is open already");
        }
        if (closed) {
            async(() -> new PendingReplies(connection, events).failAll(FailureReplies.stopping()));
        } else {
            start(new Carrier(connection, route, plainly, config, opener, watchdog, events, signer, this::ended));
        }
    }

    /// Sends a delivery; the reply is always [CarrierEvents#done].
    ///
    /// @param envelope sender and parameters; the recipients are those of the delivery
    public synchronized void deliver(long connection, Delivery delivery, Envelope envelope, Content content) {
        Carrier carrier = open.get(connection);
        if (carrier == null || !carrier.deliver(new Transfer(delivery, envelope, content))) {
            DeliveryResult result = notDelivered(connection, delivery);
            async(() -> events.done(result));
        }
    }

    private DeliveryResult notDelivered(long connection, Delivery delivery) {
        return closed
                ? new DeliveryResult.OwnFailure(delivery.number(), connection, FailureReplies.stopping(),
                        DeliveryResult.Scope.MESSAGE, false)
                : new DeliveryResult.Unanswered(delivery.number(), connection, FailureReplies.noSuchConnection(),
                        FailureReplies.LOCAL, false);
    }

    /// The current phase of a connection; empty when it is idle or closed.
    public synchronized Optional<WirePhase> phase(long connection) {
        return Optional.ofNullable(open.get(connection)).flatMap(Carrier::phase);
    }

    /// Closes with QUIT; does not wait.
    public synchronized void close(long connection) {
        Carrier carrier = open.get(connection);
        if (carrier != null) {
            carrier.close();
        }
    }

    /// Aborts all connections that are open now. Their deliveries fail as after a lost connection.
    public void cut() {
        each(Carrier::abort);
    }

    /// Lets deliveries under way finish for up to 10 s.
    @Override
    public void close() {
        close(FINISH);
    }

    /// Lets deliveries under way finish, then aborts them; their results are failures of this
    /// server. Takes no longer than `timeout`, or [#CUT] where that is longer.
    public void close(Duration timeout) {
        synchronized (this) {
            closed = true;
        }
        each(Carrier::stop);
        if (!awaitAll(timeout.minus(CUT))) {
            each(Carrier::abort);
            if (!awaitAll(CUT)) {
                each(Carrier::failPending);
            }
        }
        watchdog.close();
    }

    private void start(Carrier carrier) {
        open.put(carrier.number(), carrier);
        Thread.ofVirtual().name(threads + carrier.number()).start(carrier);
    }

    // Replies never run on the caller's stack.
    private static void async(Runnable answer) {
        Thread.ofVirtual().name("out-aside").start(answer);
    }

    private void each(Consumer<Carrier> what) {
        List<Carrier> all;
        synchronized (this) {
            all = new ArrayList<>(open.values());
        }
        all.forEach(what);
    }

    private synchronized boolean awaitAll(Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        try {
            while (!open.isEmpty()) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0) {
                    return false;
                }
                wait(left);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return open.isEmpty();
    }

    private synchronized void ended(Carrier carrier) {
        open.remove(carrier.number(), carrier);
        notifyAll();
    }
}
