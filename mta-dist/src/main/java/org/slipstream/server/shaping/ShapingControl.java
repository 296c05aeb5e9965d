package org.slipstream.server.shaping;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.ShapingOperations;
import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.config.Config;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.Units;
import org.slipstream.core.order.ShapingVerb;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.LimitOrder.LimitedThing;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.ProviderSettings;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.shaping.RuleOrder;
import org.slipstream.shaping.SeenReply;
import org.slipstream.shaping.ShapingEffect;
import org.slipstream.shaping.ShapingEngine;
import org.slipstream.shaping.ShapingEngine.Triggered;
import org.slipstream.shaping.ShapingRule;
import org.slipstream.shaping.ShapingRules;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The rules from replies of a running server, and the thread that counts.
///
/// The queue managers hand over the refusals whose code a rule counts, and never wait: when
/// [#MOST_WAITING] wait, further ones are missed, and their number is told. A rule that is complete
/// becomes a standing order like that of an operator, with its end. So the gate that it closes, the
/// restart and all commands are those of such an order.
///
/// An order of an operator stays, and settings that are as strict stay: a rule never loosens. At most
/// [#MOST_ORDERS] orders of rules are in force at once, because each recipient is compared with each
/// suspension.
public final class ShapingControl implements ShapingOperations, AutoCloseable {
    static final int MOST_WAITING = 10_000;
    static final int MOST_ORDERS = 200;
    private static final Logger log = LoggerFactory.getLogger(ShapingControl.class);
    private static final long LOOK_MILLIS = 1_000;
    private static final long COMPLAINT_MILLIS = 60_000;

    private final Path home;
    private final LongSupplier clock;
    private final BlockingQueue<Refusal> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private final LongAdder missed = new LongAdder();
    private final Map<String, RuleFigures> figures = new ConcurrentHashMap<>();
    private final Thread thread = Thread.ofPlatform().daemon().name("shaping").unstarted(this::count);
    private Optional<StandingOrders> orders = Optional.empty();
    private Optional<AppliedRules> applied = Optional.empty();
    private ShapingRules ofSettings = ShapingRules.NONE;
    private Optional<QmgrConfig> settings = Optional.empty();
    private volatile ShapingEngine engine = new ShapingEngine(ShapingRules.NONE, ProviderTable.EMPTY);
    private volatile boolean closed;
    private long complainedMillis = Long.MIN_VALUE;

    private record Refusal(long atMillis, Route route, String remote, Reply reply) {}

    /// The history of a rule since the start of the server.
    private record RuleFigures(long triggered, long lastMillis, String subject, String reply) {
        RuleFigures next(Triggered latest, long nowMillis) {
            return new RuleFigures(triggered + 1, nowMillis, latest.subject().words(), latest.reply().toString());
        }
    }

    public ShapingControl(Path home, LongSupplier clock) {
        this.home = home;
        this.clock = clock;
    }

    /// Counts from now on. Rules that were applied before a restart are in force again.
    public synchronized void start(StandingOrders standing) {
        orders = Optional.of(standing);
        applied = AppliedRules.restored(home, clock.getAsLong());
        applied.ifPresent(each -> log.info("event=shaping-rules-restored file=\"{}\" rules={} until={}",
                LogText.text(each.file()), each.rules().rules().size(), Instant.ofEpochMilli(each.untilMillis())));
        change();
        thread.start();
    }

    /// Other settings. The counts begin again when the rules are others.
    public synchronized void use(Config config) {
        ofSettings = config.shaping();
        settings = Optional.of(config.queueManager());
        change();
    }

    private void change() {
        ShapingRules rules = applied.map(each -> ofSettings.with(each.rules())).orElse(ofSettings);
        ProviderTable providers = settings.map(each -> each.destinations().providers().table())
                .orElse(ProviderTable.EMPTY);
        if (!rules.equals(engine.rules()) || !providers.equals(engine.providers())) {
            engine = new ShapingEngine(rules, providers);
            figures.keySet().retainAll(rules.rules().stream().map(ShapingRule::name).toList());
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }

    // ---- refusals

    /// A refusal of another server. Called on the threads of queue managers, which never wait here.
    public void refused(long atMillis, Route route, String remote, Reply reply) {
        if (engine.counts(reply.code()) && !waiting.offer(new Refusal(atMillis, route, remote, reply.shortened()))) {
            missed.increment();
        }
    }

    private void count() {
        while (!closed) {
            try {
                Refusal next = waiting.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                if (next != null) {
                    count(next);
                }
                endInTime();
            } catch (InterruptedException stop) {
                // Only a close interrupts.
                return;
            } catch (RuntimeException | IOException trouble) {
                log.warn("event=shaping-failed error=\"{}\" next=\"the next replies count\"",
                        LogText.text(FailureWords.of(trouble)), trouble);
            }
        }
    }

    // An operator waits for no order of a rule: the rules change under the lock, the orders go without it.
    private void count(Refusal refusal) throws IOException {
        List<Triggered> complete = engine
                .observe(SeenReply.of(refusal.route(), refusal.remote(), refusal.reply()), refusal.atMillis());
        for (Triggered each : complete) {
            figures.put(each.rule().name(), figures
                    .getOrDefault(each.rule().name(), new RuleFigures(0, 0, "", "")).next(each, clock.getAsLong()));
            log.info("event=shaping-rule-triggered rule={} subject=\"{}\" reply=\"{}\"", each.rule().name(),
                    LogText.text(each.subject().words()), LogText.text(each.reply().toString()));
            for (StandingOrder order : each.orders()) {
                begin(order, refusal.route());
            }
        }
    }

    private void begin(StandingOrder order, Route route) throws IOException {
        StandingOrders standing = orders().orElseThrow();
        List<StandingOrder> present = present(standing);
        Optional<StandingOrder> same = present.stream()
                .filter(each -> each.kind().equals(order.kind()) && each.name().equals(order.name())).findFirst();
        boolean full = same.isEmpty() && present.stream().filter(RuleOrder::isOfRule).count() >= MOST_ORDERS;
        Optional<String> refusal = same.filter(each -> !RuleOrder.mayReplace(each, order))
                .map(each -> "an order of " + each.author() + " is in force")
                .or(() -> Optional.of("the settings are as strict").filter(_ -> isNeedless(order, route)))
                .or(() -> Optional.of(MOST_ORDERS + " orders of rules are in force").filter(_ -> full))
                .or(() -> standing.refusal(order));
        if (refusal.isEmpty()) {
            standing.begin(order);
        } else if (full || complains()) {
            log.info("event=shaping-order-left author=\"{}\" name={} reason=\"{}\"", LogText.text(order.author()),
                    LogText.word(order.name()), LogText.text(refusal.get()));
        }
    }

    private boolean complains() {
        long now = clock.getAsLong();
        boolean due = complainedMillis == Long.MIN_VALUE || now - complainedMillis >= COMPLAINT_MILLIS;
        complainedMillis = due ? now : complainedMillis;
        return due;
    }

    private static List<StandingOrder> present(StandingOrders standing) throws IOException {
        return Stream.concat(
                standing.limits().stream().flatMap(each -> StandingOrder.of(LimitOrder.KIND, each.limit(),
                        each.number(), each.reason(), each.author(), millis(each.since(), 0),
                        millis(each.until(), Long.MAX_VALUE)).stream()),
                standing.suspensions().stream().flatMap(each -> StandingOrder.of("suspended-" + each.scope(),
                        each.name(), "", each.reason(), each.author(), millis(each.since(), 0),
                        millis(each.until(), Long.MAX_VALUE)).stream()))
                .toList();
    }

    private static long millis(String moment, long otherwise) {
        return moment.isEmpty() ? otherwise : Instant.parse(moment).toEpochMilli();
    }

    /// Whether the settings of a destination limit its mail as strictly.
    private synchronized boolean isNeedless(StandingOrder order, Route route) {
        if (!(order instanceof LimitOrder limit) || settings.isEmpty()) {
            return false;
        }
        DestinationSettings set = settings.get().destinations().settings(route);
        ProviderSettings provider = settings.get().destinations().providers().settings(limit.subject());
        return switch (limit.thing()) {
            case LimitedThing.WINDOW -> set.lanes().or(() -> Optional
                    .of(settings.get().transport(route.transport()).concurrencyLimit()).filter(most -> most > 0))
                    .filter(most -> most <= limit.number()).isPresent();
            case LimitedThing.RATE -> set.rate().filter(rate -> isAsSlow(rate, limit)).isPresent();
            case LimitedThing.PROVIDER -> provider.lanes().filter(most -> most <= limit.number()).isPresent();
            case LimitedThing.PROVIDER_RATE -> provider.rate().filter(rate -> isAsSlow(rate, limit)).isPresent();
            default -> false;
        };
    }

    private static boolean isAsSlow(Rate rate, LimitOrder limit) {
        return (double) rate.deliveries() / rate.period().toMillis() <= (double) limit.number() / limit.periodMillis();
    }

    private synchronized Optional<StandingOrders> orders() {
        return orders;
    }

    // ---- operators

    @Override
    public synchronized ShapingView shaping() {
        Set<String> ofOperator = applied.map(each -> names(each.rules())).orElse(Set.of());
        return new ShapingView(
                engine.rules().rules().stream().map(rule -> view(rule, ofOperator.contains(rule.name()))).toList(),
                applied.map(each -> new AppliedView(each.file(), Instant.ofEpochMilli(each.untilMillis()).toString(),
                        each.author())),
                missed.sum());
    }

    private static Set<String> names(ShapingRules rules) {
        return rules.rules().stream().map(ShapingRule::name).collect(Collectors.toUnmodifiableSet());
    }

    private RuleView view(ShapingRule rule, boolean isApplied) {
        RuleFigures seen = figures.getOrDefault(rule.name(), new RuleFigures(0, 0, "", ""));
        return new RuleView(rule.name(), rule.scopeWords(), rule.replyWords(), rule.count(),
                Units.DURATIONS.write(rule.within().toMillis()),
                rule.effects().stream().map(ShapingEffect::words).toList(), rule.source(), isApplied,
                seen.triggered(), seen.triggered() == 0 ? "" : Instant.ofEpochMilli(seen.lastMillis()).toString(),
                seen.subject(), seen.reply());
    }

    /// The number of times that each rule in force was complete.
    public void eachTriggered(BiConsumer<String, Long> reader) {
        engine.rules().rules().forEach(rule -> reader.accept(rule.name(),
                Optional.ofNullable(figures.get(rule.name())).map(RuleFigures::triggered).orElse(0L)));
    }

    /// The refusals that were not counted.
    public long missed() {
        return missed.sum();
    }

    @Override
    public Optional<Integer> order(ShapingVerb order) throws IOException {
        return switch (order) {
            case ShapingVerb.Apply apply -> Optional.of(apply(apply));
            case ShapingVerb.End end -> end(end.author());
        };
    }

    private int apply(ShapingVerb.Apply order) throws IOException {
        AppliedRules next = AppliedRules.of(order.file(), order.text(), order.until().orElseThrow().toEpochMilli(),
                order.author());
        if (next.untilMillis() <= clock.getAsLong()) {
            throw new IllegalArgumentException("the end is in the past");
        }
        end(order.author());
        synchronized (this) {
            next.keep(home);
            applied = Optional.of(next);
            change();
        }
        log.info("event=shaping-rules-applied file=\"{}\" rules={} until={} author=\"{}\"", LogText.text(next.file()),
                next.rules().rules().size(), Instant.ofEpochMilli(next.untilMillis()), LogText.text(next.author()));
        return next.rules().rules().size();
    }

    private void endInTime() throws IOException {
        long now = clock.getAsLong();
        boolean over;
        synchronized (this) {
            over = applied.filter(each -> each.untilMillis() <= now).isPresent();
        }
        if (over) {
            end("their end");
        }
    }

    private Optional<Integer> end(String author) throws IOException {
        Optional<AppliedRules> ended;
        synchronized (this) {
            ended = applied;
            applied = Optional.empty();
            AppliedRules.forget(home);
            change();
        }
        if (ended.isEmpty()) {
            return Optional.empty();
        }
        log.info("event=shaping-rules-ended file=\"{}\" author=\"{}\"", LogText.text(ended.get().file()),
                LogText.text(author));
        Set<String> authors = ended.get().rules().rules().stream().map(ShapingRule::author)
                .collect(Collectors.toUnmodifiableSet());
        StandingOrders standing = orders().orElseThrow();
        for (StandingOrder each : present(standing)) {
            if (authors.contains(each.author())) {
                standing.end(each.kind(), each.name());
            }
        }
        return Optional.of(ended.get().rules().rules().size());
    }
}
