package org.slipstream.smtpout;

import org.slipstream.core.Route;
import org.slipstream.smtpout.host.Dns;
import org.slipstream.smtpout.host.DnsHostFinder;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.smtpout.wire.Watchdog;
import org.slipstream.smtpout.wire.Wire;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// All outbound SMTP and LMTP connections; each lives on a virtual thread of its own with a mailbox. Callers never block.
///
/// The house numbers connections and never uses a number twice. Orders and news can cross: a parcel may be
/// on its way to a connection whose loss is on its way to the house. Such a parcel is carried all the same, by a
/// new connection on the same route that serves only for it; [#MAX_REMEMBERED] lost connections are remembered for that.
public final class Carriers implements AutoCloseable {
    private static final long FINISH_MILLIS = 10_000;
    private static final long CUT_MILLIS = 2_000;
    private static final int MAX_REMEMBERED = 4096;

    private final ClientConfig config;
    private final CarrierEvents events;
    private final long finishMillis;
    private final Watchdog watchdog = new Watchdog();
    private final Opener opener;
    private final Burial burial = new Burial();

    // Guarded by this.
    private final Map<Long, Carrier> living = new HashMap<>();
    private final Map<Long, Route> lost = new LinkedHashMap<>();
    private boolean closed;

    public Carriers(ClientConfig config, CarrierEvents events) {
        this(config, events, new DnsHostFinder(new Dns(config.dnsServers())), new SplittableRandom());
    }

    /// @param random chooses among hosts of equal preference
    public Carriers(ClientConfig config, CarrierEvents events, HostFinder hosts, RandomGenerator random) {
        this(config, events, hosts, random, FINISH_MILLIS);
    }

    Carriers(ClientConfig config, CarrierEvents events, HostFinder hosts, RandomGenerator random, long finishMillis) {
        this.config = config;
        this.events = events;
        this.finishMillis = finishMillis;
        if (config.startTls()) {
            Wire.warmUpTls();
        }
        this.opener = new Opener(config, hosts, random, watchdog);
    }

    /// Answered by [CarrierEvents#ready] or [CarrierEvents#failed].
    public synchronized void open(long connection, Route route) {
        if (living.containsKey(connection)) {
            throw new IllegalStateException("connection " + connection + " is open already");
        }
        if (closed) {
            aside(() -> answers(connection, false).failed(Troubles.stopping(), Troubles.LOCAL));
        } else {
            start(new Carrier(connection, route, false, config, opener, events, burial));
        }
    }

    /// Answered by [CarrierEvents#done], whatever happens.
    public synchronized void deliver(long connection, Parcel parcel) {
        Mailbox.Deliver order = new Mailbox.Deliver(parcel);
        Carrier carrier = living.get(connection);
        if (carrier != null && carrier.post(order)) {
            return;
        }
        Route route = lost.remove(connection);
        if (route != null && !closed) {
            Carrier onceMore = new Carrier(connection, route, true, config, opener, events, burial);
            onceMore.post(order);
            start(onceMore);
        } else {
            aside(() -> answers(connection, true).undelivered(parcel,
                    closed ? Troubles.stopping() : Troubles.noSuchConnection(), Troubles.LOCAL));
        }
    }

    /// QUIT, not awaited by the caller.
    public synchronized void close(long connection) {
        lost.remove(connection);
        Carrier carrier = living.get(connection);
        if (carrier != null) {
            carrier.post(new Mailbox.Close());
        }
    }

    /// Lets transfers in progress finish for up to 10 s, then cuts them off; they are answered with a deferral.
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        each(Carrier::stop);
        if (!allEndWithin(finishMillis)) {
            each(Carrier::cut);
            if (!allEndWithin(CUT_MILLIS)) {
                each(Carrier::giveUp);
            }
        }
        watchdog.close();
    }

    private void start(Carrier carrier) {
        living.put(carrier.number(), carrier);
        Thread.ofVirtual().name("out-" + carrier.number()).start(carrier);
    }

    private Answers answers(long connection, boolean openAnswered) {
        return new Answers(connection, events, openAnswered);
    }

    // Answers come on threads of ours, never out of the call that asked.
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

    private synchronized boolean allEndWithin(long millis) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
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

    private final class Burial implements Carrier.Burial {
        @Override
        public void lost(Carrier carrier) {
            synchronized (Carriers.this) {
                lost.put(carrier.number(), carrier.route());
                if (lost.size() > MAX_REMEMBERED) {
                    lost.remove(lost.keySet().iterator().next());
                }
            }
        }

        @Override
        public void ended(Carrier carrier) {
            synchronized (Carriers.this) {
                living.remove(carrier.number(), carrier);
                Carriers.this.notifyAll();
            }
        }
    }
}
