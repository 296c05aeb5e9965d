package org.slipstream.qmgr.dest;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.flow.MeanDuration;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.DeferralReason;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.shard.Leases;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.FailedDestinations;
import org.slipstream.qmgr.wake.GateRefusal;
import org.slipstream.qmgr.wake.LimitKey;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.RateLimits;
import org.slipstream.qmgr.wake.ThreadOrder;
import org.slipstream.qmgr.wake.WakeDestination;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.random.RandomGenerator;

/// The rules of single destinations ([DestinationSettings]) for the queues in memory: their keys,
/// order, rates, and the reasons for which mail is not taken up.
///
/// Mail that may not be tried for long does not wait in memory, where it would take the place of
/// other mail. Its recipients are deferred without an attempt and wait on disk, as for a dead
/// destination (PF-22): mail for a held or `queue-only` destination, mail beyond one period of a
/// rate, and new mail for a destination that waits for its next attempt (`wake-only-on-restart`).
public final class DestinationRules {
    private static final int MOST_DOMAINS = 100;

    /// Entries among which a shuffle chooses.
    private static final int SHUFFLED = 1_000;

    private QmgrConfig config;
    private final RandomGenerator random;
    private final RateLimits rates;
    private final FailedDestinations failures;
    private final KeptDestinations kept;
    private final Groups groups;
    private final Leases leases;
    private final Map<DestinationQueue, Rules> byQueue = new LinkedHashMap<>();

    /// The rules of one queue and the domains of its mail.
    private static final class Rules {
        DestinationSettings settings;
        final Set<String> domains = new LinkedHashSet<>(1);
        Optional<GateRefusal> refusal = Optional.empty();
        Optional<MeanDuration> duration = Optional.empty();

        Rules(DestinationSettings settings) {
            this.settings = settings;
        }
    }

    DestinationRules(QmgrConfig config, RandomGenerator random, Groups groups, RateLimits rates, Leases leases) {
        this.rates = rates;
        this.leases = leases;
        this.config = config;
        this.random = random;
        this.groups = groups;
        this.failures = new FailedDestinations(config.minimalBackoffMillis());
        this.kept = new KeptDestinations(rates, failures);
    }

    /// Other settings, for the queues in memory too.
    ///
    /// @return queues whose mail may wait in memory no longer, with the reason
    Map<DestinationQueue, DeferralReason> change(QmgrConfig settings) {
        config = settings;
        failures.change(settings.minimalBackoffMillis());
        groups.change(settings.destinations(), settings.queue().lanesOfServer());
        Map<DestinationQueue, DeferralReason> closed = new LinkedHashMap<>();
        byQueue.forEach((queue, rules) -> {
            Optional<Rate> before = rules.settings.rate();
            change(queue, rules);
            held(queue).or(() -> beyond(queue, before)).ifPresent(reason -> closed.put(queue, reason));
        });
        groups.beyond().forEach(closed::putIfAbsent);
        return closed;
    }

    // Another rate. More mail than that of one period would take the place of other mail for long.
    private Optional<DeferralReason> beyond(DestinationQueue queue, Optional<Rate> before) {
        return rate(queue).filter(rate -> !before.equals(rate(queue)) && queue.waiting() > rate.deliveries())
                .map(rate -> onePeriod(queue, rate));
    }

    private void change(DestinationQueue queue, Rules rules) {
        String domain = rules.domains.stream().findFirst().orElse(Route.anySource(queue.route().nextHop()));
        rules.settings = config.destinations().settings(queue.route(), domain);
        groups.moved(queue, rules.settings.ring());
        queue.orderByTransport();
        order(queue, rules.settings);
    }

    DestinationSettings settings(DestinationQueue queue) {
        return rules(queue).settings;
    }

    public Optional<String> ring(DestinationQueue queue) {
        return rules(queue).settings.ring();
    }

    /// True when an order for this next hop or domain concerns the queue.
    public boolean isNamed(DestinationQueue queue, String name) {
        return queue.route().nextHop().equalsIgnoreCase(name)
                || Route.anySource(queue.route().nextHop()).equalsIgnoreCase(name)
                || rules(queue).domains.stream().anyMatch(name::equalsIgnoreCase);
    }

    /// A limit of 0 holds the mail of this queue.
    boolean isHeld(DestinationQueue queue) {
        return held(queue).isPresent();
    }

    private void order(DestinationQueue queue, DestinationSettings settings) {
        settings.order().filter(order -> order != ThreadOrder.LIST)
                .ifPresent(order -> queue.orderBy(each -> next(order, each)));
    }

    /// The key of a queue. A domain that a clause names is a destination of its own, even if it
    /// shares its next hop with other domains.
    String key(Route route, Address address) {
        String domain = address.domainKey();
        return !Route.anySource(route.nextHop()).equals(domain) && config.destinations().isOwnDestination(route, domain)
                ? domain + "@" + route.nextHop()
                : route.nextHop();
    }

    /// The question whose answer is the route of a recipient.
    public String routeQuestion(Address recipient, Optional<Address> sender, SenderTls tls, QueueId message) {
        return config.routeQuestion(recipient.domainKey(), sender, tls, message);
    }

    /// The settings of a new queue.
    DestinationSettings enter(DestinationQueue queue, Route route, Address address) {
        DestinationSettings settings = config.destinations().settings(route, address.domainKey());
        byQueue.put(queue, new Rules(settings));
        groups.enter(queue, settings.ring());
        order(queue, settings);
        return settings;
    }

    void mailFor(DestinationQueue queue, Address address) {
        groups.mailFor(queue, address.domainKey());
        Set<String> domains = rules(queue).domains;
        if (domains.size() < MOST_DOMAINS) {
            domains.add(address.domainKey());
        }
    }

    /// The retry policy of a queue; empty for the common one.
    Optional<String> retry(DestinationQueue queue) {
        return rules(queue).settings.retry();
    }

    void leave(DestinationQueue queue) {
        byQueue.remove(queue);
        groups.leave(queue);
    }

    private Rules rules(DestinationQueue queue) {
        return Objects.requireNonNull(byQueue.get(queue));
    }

    private Entry next(ThreadOrder order, DestinationQueue queue) {
        List<Entry> entries = queue.entries();
        return switch (order) {
            case LIST, FIFO -> entries.getFirst();
            case SHUFFLE -> entries.get(random.nextInt(Math.min(SHUFFLED, entries.size())));
            case AGEORDER ->
                entries.stream().min(Comparator.comparing(entry -> entry.message().id())).orElseThrow();
        };
    }

    // ---- mail that is not taken up

    /// The reason for which recipients are deferred without an attempt; empty when they may wait in
    /// memory.
    ///
    /// @param tried an earlier attempt failed, so the message has its own time
    /// @param flushed ETRN or an operator named this mail
    public Optional<DeferralReason> bars(DestinationQueue queue, boolean tried, boolean flushed, long nowMillis) {
        DestinationSettings settings = rules(queue).settings;
        Optional<DeferralReason> held = held(queue);
        if (held.isPresent()) {
            return held;
        }
        if (settings.isQueueOnly() && !flushed && queue.isEmpty()) {
            return reason(Code.QUEUE_ONLY, queue + " is queue-only: its mail waits for ETRN or a flush");
        }
        if (wakesOnlyOnRestart(queue) && !tried && !flushed
                && waitsUntil(queue, nowMillis) > nowMillis) {
            return reason(Code.DEAD, queue + " waits for its next attempt, and new mail does not wake it");
        }
        return settings.rate()
                .filter(rate -> queue.waiting() >= rate.deliveries()
                        && nextMillis(queue, rate, nowMillis) > nowMillis)
                .map(rate -> onePeriod(queue, rate));
    }

    private long waitsUntil(DestinationQueue queue, long nowMillis) {
        long failed = failures.waitsUntil(name(queue), nowMillis).orElse(0L);
        return thread(queue).map(name -> Math.max(failed, failures.threadMillis(name).orElse(0))).orElse(failed);
    }

    private Optional<DeferralReason> held(DestinationQueue queue) {
        if (rules(queue).settings.isHeld()) {
            return reason(Code.WINDOW, queue + " is held: its setting lanes is 0");
        }
        return config.transport(queue.transport()).isHeld()
                ? reason(Code.WINDOW,
                        "mail of the transport " + queue.transport() + " is held: its setting lanes is 0")
                : Optional.empty();
    }

    private static DeferralReason onePeriod(DestinationQueue queue, Rate rate) {
        return reason(Code.RATE, "the rate of " + queue + " is " + rate + ", and the mail of one period waits")
                .orElseThrow();
    }

    private static Optional<DeferralReason> reason(Code code, String text) {
        return Optional.of(new DeferralReason(code, Reply.of(450, "4.3.2", text)));
    }

    private static String name(DestinationQueue queue) {
        return queue.toString();
    }

    // ---- deliveries

    /// A delivery starts.
    void started(DestinationQueue queue, long nowMillis) {
        Rules rules = rules(queue);
        rules.refusal = Optional.empty();
        rules.settings.rate().ifPresent(rate -> rates.started(LimitKey.rate(name(queue)), rate, nowMillis));
    }

    /// The earliest start that the rate permits.
    public long nextStartMillis(DestinationQueue queue, long nowMillis) {
        return rate(queue).map(rate -> nextMillis(queue, rate, nowMillis)).orElse(nowMillis);
    }

    /// How long a connection that served it last is kept idle; empty for the time of the transport.
    public Optional<Duration> idle(DestinationQueue queue) {
        return rules(queue).settings.idleConnection();
    }

    public Optional<Rate> rate(DestinationQueue queue) {
        return rules(queue).settings.rate();
    }

    private long nextMillis(DestinationQueue queue, Rate rate, long nowMillis) {
        LimitKey key = LimitKey.rate(name(queue));
        return rates.nextMillis(key, rate, leases.limit(key, rate.deliveries()), nowMillis);
    }

    void failed(DestinationQueue queue, long nowMillis) {
        failures.failed(name(queue), rules(queue).domains, nowMillis);
        if (wakes(queue) != WakeDestination.OFF || wakesOnlyOnRestart(queue)) {
            kept.failureChanged(name(queue));
        }
    }

    /// A delivery worked. The result is the domains whose mail is to be made due.
    List<String> worked(DestinationQueue queue, long nowMillis) {
        boolean failed = failures.isFailed(name(queue));
        List<String> domains = failures.worked(name(queue), nowMillis);
        if (failed) {
            kept.failureChanged(name(queue));
        }
        return wakes(queue) == WakeDestination.OFF ? List.of() : domains;
    }

    private WakeDestination wakes(DestinationQueue queue) {
        return rules(queue).settings.wakeDestination().orElse(config.queue().wakeDestination());
    }

    /// The name under which the deferred mail of a queue wakes together; empty when each message has
    /// its own time.
    Optional<String> thread(DestinationQueue queue) {
        return wakes(queue) == WakeDestination.THREAD ? Optional.of(name(queue)) : Optional.empty();
    }

    /// Mail of this queue is tried now. The result is the domains whose mail is to be made due with it.
    ///
    /// @param tried an earlier attempt failed
    List<String> due(DestinationQueue queue, boolean tried, long nowMillis) {
        List<String> domains = thread(queue).map(name -> failures.due(name, rules(queue).domains, tried, nowMillis))
                .orElse(List.of());
        if (!domains.isEmpty()) {
            kept.failureChanged(name(queue));
        }
        return domains;
    }

    /// A message is deferred with these recipients.
    public void deferred(Activation message, long nextMillis) {
        message.deferred().forEach(each -> each.bounds().thread().ifPresent(thread -> {
            if (failures.deferred(thread, each.recipient().address().domainKey(), nextMillis,
                    message.hasBeenTried())) {
                kept.failureChanged(thread);
            }
        }));
    }

    /// The wake-up time of the thread with mail for this domain.
    public OptionalLong threadMillis(String domain) {
        return failures.threadOfMillis(domain);
    }

    void flush(long nowMillis) {
        failures.flush(nowMillis);
    }

    private boolean wakesOnlyOnRestart(DestinationQueue queue) {
        return rules(queue).settings.wakeOnlyOnRestart().orElse(false);
    }

    /// The state that outlives the process.
    KeptDestinations kept() {
        return kept;
    }

    /// Records the duration of a delivery, with its time in the queue of a connection.
    public void lasted(DestinationQueue queue, long millis) {
        Rules rules = rules(queue);
        rules.duration = rules.duration.or(() -> Optional.of(new MeanDuration()));
        rules.duration.get().took(millis);
    }

    /// Empty when no delivery has ended since the destination was created.
    public Optional<MeanDuration> duration(DestinationQueue queue) {
        return rules(queue).duration;
    }

    // ---- limits

    /// Records which gate refused a delivery.
    void refused(DestinationQueue queue, Code gate, long nowMillis) {
        Rules rules = rules(queue);
        if (rules.refusal.map(GateRefusal::gate).filter(gate::equals).isEmpty()) {
            rules.refusal = Optional.of(new GateRefusal(gate, nowMillis));
        }
    }

    public Optional<GateRefusal> refusal(DestinationQueue queue) {
        return Optional.ofNullable(byQueue.get(queue)).flatMap(rules -> rules.refusal);
    }

    /// The pause of a queue in words, with its length and its setting.
    public String pauseWords(DestinationQueue queue) {
        return queue + " pauses " + seconds(config.transport(queue.transport()).rateDelay().toMillis())
                + " after each delivery (destination-rate-delay)";
    }

    /// A time in whole seconds, rounded up.
    public static String seconds(long millis) {
        return (millis + 999) / 1_000 + " s";
    }
}
