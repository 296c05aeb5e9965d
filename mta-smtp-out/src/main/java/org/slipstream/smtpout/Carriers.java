package org.slipstream.smtpout;

import org.slipstream.core.Route;
import org.slipstream.smtpout.host.Dns;
import org.slipstream.smtpout.host.DnsHostFinder;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.smtpout.wire.Watchdog;
import org.slipstream.smtpout.wire.Wire;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// All outbound SMTP and LMTP connections; each lives on a virtual thread of its own with a mailbox. Callers never block.
///
/// The house numbers connections and never uses a number twice. Orders and news can cross: a parcel may be
/// on its way to a connection whose loss is on its way to the house. A house that reseats gets such a parcel back. For one that
/// does not, it is carried all the same, by a new connection on the same route that serves only for it;
/// [#MAX_REMEMBERED] lost connections are remembered for that. And when a peer hangs up between two parcels, another carrier takes the
/// place of the one that has lost its connection, under the same number.
///
/// Peers that broke under pipelining are remembered by address, so that what they broke is done again plainly, also in a house
/// that does not listen. The house's own memory is the better one: it ends, and it survives a restart.
public final class Carriers implements AutoCloseable {
    private static final Duration FINISH = Duration.ofSeconds(10);
    private static final Duration CUT = Duration.ofMillis(500);
    private static final int MAX_REMEMBERED = 4096;

    private final ClientConfig config;
    private final CarrierEvents events;
    private final Watchdog watchdog = new Watchdog();
    private final Opener opener;
    private final Registry registry = new Registry();

    // Guarded by this.
    private final Map<Long, Carrier> living = new HashMap<>();
    private final Map<Long, Route> lost = new LinkedHashMap<>();
    private final Set<String> plain = new LinkedHashSet<>();
    private boolean closed;

    public Carriers(ClientConfig config, CarrierEvents events) {
        this(config, events, new DnsHostFinder(new Dns(config.dnsServers())), new SplittableRandom());
    }

    /// @param random chooses among hosts of equal preference
    public Carriers(ClientConfig config, CarrierEvents events, HostFinder hosts, RandomGenerator random) {
        this.config = config;
        this.events = events;
        if (config.startTls()) {
            Wire.warmUpTls();
        }
        this.opener = new Opener(config, hosts, random, watchdog);
    }

    /// Answered by [CarrierEvents#ready] or [CarrierEvents#failed].
    public void open(long connection, Route route) {
        open(connection, route, false);
    }

    /// Answered by [CarrierEvents#ready] or [CarrierEvents#failed].
    ///
    /// @param plainly no pipelining and no BDAT: the host is known to break under it
    public synchronized void open(long connection, Route route, boolean plainly) {
        if (living.containsKey(connection)) {
            throw new IllegalStateException("connection " + connection + " is open already");
        }
        if (closed) {
            aside(() -> new Answers(connection, events, false).failed(Troubles.stopping(), Troubles.LOCAL));
        } else {
            start(carrier(connection, route, Carrier.Role.ORDERED, plainly));
        }
    }

    /// Answered by [CarrierEvents#done] or, in a house that reseats, by [CarrierEvents#returned], whatever happens.
    public synchronized void deliver(long connection, Parcel parcel) {
        Carrier carrier = living.get(connection);
        if (carrier != null && carrier.deliver(parcel)) {
            return;
        }
        Route route = lost.remove(connection);
        if (route != null && !closed) {
            Carrier once = carrier(connection, route, Carrier.Role.ONCE, false);
            once.deliver(parcel);
            start(once);
            return;
        }
        Answers answers = new Answers(connection, events, true);
        answers.owe(parcel);
        boolean stopped = closed;
        aside(() -> {
            if (stopped) {
                answers.deferred(parcel, Troubles.stopping(), Troubles.LOCAL, false);
            } else {
                answers.returned(parcel, Troubles.noSuchConnection(), Troubles.LOCAL, false, false);
            }
        });
    }

    /// The present phase of a connection; empty when it has nothing to do, or is gone.
    public synchronized Optional<WirePhase> phase(long connection) {
        return Optional.ofNullable(living.get(connection)).flatMap(Carrier::phase);
    }

    /// QUIT, not awaited by the caller.
    public synchronized void close(long connection) {
        lost.remove(connection);
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

    /// Lets transfers in progress finish, then cuts them off; they are answered with a deferral. All of it takes no longer than
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

    private Carrier carrier(long connection, Route route, Carrier.Role role, boolean plainly) {
        return new Carrier(connection, route, role, plainly, config, opener, watchdog, events, registry);
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

    private final class Registry implements Carrier.Registry {
        @Override
        public boolean isPlain(String remote) {
            synchronized (Carriers.this) {
                return plain.contains(remote);
            }
        }

        @Override
        public void breaksUnderPipelining(String remote) {
            synchronized (Carriers.this) {
                plain.add(remote);
                if (plain.size() > MAX_REMEMBERED) {
                    plain.remove(plain.iterator().next());
                }
            }
        }

        @Override
        public Optional<List<Parcel>> farewell(Carrier carrier, boolean stale, List<Parcel> begun) {
            synchronized (Carriers.this) {
                List<Parcel> unread = carrier.endMailbox();
                if (!stale || closed) {
                    return Optional.of(unread);
                }
                if (begun.isEmpty() && unread.isEmpty()) {
                    rememberLost(carrier);
                    return Optional.of(unread);
                }
                Carrier successor = carrier(carrier.number(), carrier.route(), Carrier.Role.SUCCESSOR,
                        carrier.isPlain());
                begun.forEach(successor::deliver);
                unread.forEach(successor::deliver);
                carrier.forgetAll();
                start(successor);
                return Optional.empty();
            }
        }

        private void rememberLost(Carrier carrier) {
            lost.put(carrier.number(), carrier.route());
            if (lost.size() > MAX_REMEMBERED) {
                lost.remove(lost.keySet().iterator().next());
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
