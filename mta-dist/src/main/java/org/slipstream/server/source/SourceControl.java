package org.slipstream.server.source;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.admin.operations.SourceOperations;
import org.slipstream.config.Config;
import org.slipstream.core.Address;
import org.slipstream.core.LogText;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.dns.AddressText;
import org.slipstream.core.order.SourceVerb;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.server.dispatch.DeliverySources;
import org.slipstream.server.source.SourceStates.SourceKey;
import org.slipstream.server.source.SourceStates.SourceSuspension;
import org.slipstream.smtpout.source.BlockListReply;
import org.slipstream.smtpout.source.PoolSettings;
import org.slipstream.smtpout.source.SourceSettings;
import org.slipstream.smtpout.source.SourceTable;
import org.slipstream.smtpout.source.WarmUp;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The sources at work: which one a message gets, which are suspended, and how far their warm-up is.
///
/// **A source suspends itself** for two reasons. Its address is not of this machine, or its proxy fails: for
/// all mail, for [#GONE]. A host says that the address is on a block list ([BlockListReply]): for mail to the
/// provider of that host, for [#LISTED]. In each case other sources of the pool take the mail. A failure of a
/// source is never the message's fault: recipients that a host refused for the source wait for another one, as
/// long as there is one.
///
/// A message is sent by a source that can be used when it is routed, and the question is asked again when the
/// connection is opened and when the delivery starts, because the answer may have changed by then.
public final class SourceControl implements DeliverySources, SourceOperations, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SourceControl.class);
    static final Duration GONE = Duration.ofMinutes(15);
    static final Duration LISTED = Duration.ofHours(24);
    private static final String AUTHOR = "the server";
    private static final int MOST_WORDS = 600;

    private final Supplier<Config> config;
    private final SourceStates states;
    private final LongSupplier clock;
    private final Map<String, LongAdder> deliveries = new ConcurrentHashMap<>();

    /// @param home has the file of suspensions and counts
    public SourceControl(Path home, Supplier<Config> config, LongSupplier clock) {
        this.config = config;
        this.clock = clock;
        this.states = new SourceStates(home.resolve("sources"), clock);
    }

    private SourceTable table() {
        return config.get().sources();
    }

    private ProviderTable providers() {
        return config.get().destinations().providers().table();
    }

    private String provider(Route route) {
        return providers().of(route).orElse(ProviderTable.OTHER);
    }

    /// A reason against a source.
    ///
    /// @param usedUp its day of the warm-up is used up, and it has no other fault
    /// @param untilMillis its end
    private record Against(String words, boolean usedUp, long untilMillis) {}

    private Optional<Against> against(String source, String provider) {
        SourceSettings settings = table().sources().get(source);
        if (settings == null) {
            return Optional.of(new Against("it is no longer in the settings", false, Long.MAX_VALUE));
        }
        Optional<SourceSuspension> suspension = states.suspension(source, provider);
        if (suspension.isPresent()) {
            return suspension.map(each -> new Against(each.words(), false, each.untilMillis()));
        }
        return settings.schedule()
                .filter(schedule -> states.left(new SourceKey(source, provider), schedule).orElse(1) == 0)
                .map(schedule -> usedUp(provider, schedule));
    }

    private Against usedUp(String provider, WarmUp schedule) {
        LocalDate today = states.today();
        int day = schedule.day(today);
        return day < 1
                ? new Against("its warm-up begins on " + schedule.start(), true, midnight(schedule.start()))
                : new Against("day " + day + " of its warm-up allows " + schedule.limit(today).orElse(0)
                        + " messages to " + provider + ", and they are sent", true, midnight(today.plusDays(1)));
    }

    private static long midnight(LocalDate day) {
        return day.atStartOfDay().toInstant(ZoneOffset.UTC).toEpochMilli();
    }

    // ---- routes

    @Override
    public QmgrEvent routed(QmgrEvent.RouteKnown known, SourcedMessage message) {
        if (!(known.route() instanceof Route.Smtp route)) {
            return known;
        }
        String provider = provider(route);
        Optional<SourceTable.PoolChoice> pool = table().pool(message.sender(), message.user(),
                config.get().destinations().settings(route, domain(known.domain())).pool(), provider);
        return pool.map(choice -> sourced(known, route, choice, message, provider)).orElse(known);
    }

    @Override
    public Optional<String> line(SourcedMessage message, Address recipient) {
        Route.Smtp route = new Route.Smtp(recipient.domainKey(), List.of(new Route.Host(recipient.domainKey(), 25, 0)));
        return table().pool(message.sender(), message.user(),
                config.get().destinations().settings(route, recipient.domainKey()).pool(), "")
                .map(pool -> "pool " + pool.pool() + " (" + pool.why() + "), in this order: "
                        + SourceTable.order(pool.settings(), message.id()).stream().map(this::inLine)
                                .collect(Collectors.joining(", ")));
    }

    private String inLine(String source) {
        return source + states.suspension(source, SourceStates.ALL).map(each -> " (" + each.words() + ")").orElse("");
    }

    private static String domain(String question) {
        int bar = question.indexOf('|');
        return Route.shared(bar < 0 ? question : question.substring(0, bar));
    }

    private QmgrEvent sourced(QmgrEvent.RouteKnown known, Route.Smtp route, SourceTable.PoolChoice pool,
            SourcedMessage message, String provider) {
        List<String> reasons = new ArrayList<>();
        long earliest = Long.MAX_VALUE;
        for (String source : SourceTable.order(pool.settings(), message.id())) {
            Optional<Against> against = against(source, provider);
            if (against.isEmpty()) {
                return new QmgrEvent.RouteKnown(known.domain(), route.from(source));
            }
            reasons.add(source + ": " + against.get().words());
            earliest = Math.min(earliest, against.get().untilMillis());
            if (against.get().usedUp() && pool.settings().overflow() == PoolSettings.Overflow.WAIT) {
                break;
            }
        }
        return new QmgrEvent.RouteFailed(known.domain(), Reply.of(450, "4.3.2", none(pool, reasons, earliest)));
    }

    // The hint moves the next attempt, as that of a host does.
    private String none(SourceTable.PoolChoice pool, List<String> reasons, long earliest) {
        String words = "no source of pool " + pool.pool() + " (" + pool.why() + ") can be used: "
                + String.join("; ", reasons);
        String cut = words.length() > MOST_WORDS ? words.substring(0, MOST_WORDS) + "…" : words;
        long minutes = Math.ceilDiv(earliest - clock.getAsLong(), Duration.ofMinutes(1).toMillis());
        return earliest == Long.MAX_VALUE ? cut : cut + "; retry in " + Math.clamp(minutes, 1, 1_440) + " minutes";
    }

    // ---- deliveries

    @Override
    public Optional<Reply> refusal(Route route) {
        return route.source().flatMap(source -> against(source, provider(route)).map(why -> refusal(source, why)));
    }

    private static Reply refusal(String source, Against why) {
        return Reply.of(451, "4.3.2", "source " + source + " cannot be used: " + why.words());
    }

    @Override
    public Optional<Reply> start(Route route) {
        if (route.source().isEmpty()) {
            return Optional.empty();
        }
        String source = route.source().get();
        String provider = provider(route);
        Optional<Against> against = against(source, provider).or(() -> Optional.ofNullable(
                table().sources().get(source)).flatMap(SourceSettings::schedule)
                .filter(schedule -> !states.start(new SourceKey(source, provider), schedule))
                .map(schedule -> usedUp(provider, schedule)));
        if (against.isEmpty()) {
            deliveries.computeIfAbsent(source, _ -> new LongAdder()).increment();
        }
        return against.map(why -> refusal(source, why));
    }

    @Override
    public void failed(Route route, Reply reason, boolean ofSource) {
        if (ofSource) {
            route.source().ifPresent(source -> suspend(new SourceKey(source, SourceStates.ALL), GONE, reason));
        } else if (BlockListReply.isOne(reason)) {
            route.source().ifPresent(source -> suspend(new SourceKey(source, provider(route)), LISTED, reason));
        }
    }

    private void suspend(SourceKey key, Duration time, Reply reason) {
        if (table().sources().containsKey(key.source()) && states.suspension(key.source(), key.provider()).isEmpty()) {
            suspend(key, new SourceSuspension(clock.getAsLong() + time.toMillis(), AUTHOR, reason.toString()));
        }
    }

    private void suspend(SourceKey key, SourceSuspension suspension) {
        if (states.suspend(key, suspension)) {
            log.warn("event=source-suspended source={} provider={} author=\"{}\" until={} reason=\"{}\"", key.source(),
                    key.provider(), LogText.text(suspension.author()),
                    suspension.until().map(Instant::toString).orElse("resumed"), LogText.text(suspension.reason()));
        }
    }

    @Override
    public DeliveryResult ended(Route route, DeliveryResult result) {
        if (route.source().isEmpty() || !(result instanceof DeliveryResult.Answered answered)) {
            return result;
        }
        Optional<Reply> listed = answered.outcomes().stream().filter(SourceControl::refusesSource)
                .map(each -> each.outcome().reply()).findFirst();
        if (listed.isEmpty()) {
            return result;
        }
        String source = route.source().get();
        String provider = provider(route);
        suspend(new SourceKey(source, provider), LISTED, listed.get());
        return hasOther(source, provider)
                ? new DeliveryResult.Answered(answered.delivery(), answered.connection(),
                        answered.outcomes().stream().map(SourceControl::deferred).toList(), answered.usable())
                : result;
    }

    private static boolean refusesSource(RecipientOutcome each) {
        return !(each.outcome() instanceof Outcome.Delivered) && BlockListReply.isOne(each.outcome().reply());
    }

    private boolean hasOther(String source, String provider) {
        return table().pools().values().stream().map(PoolSettings::sources)
                .filter(members -> members.stream().anyMatch(each -> each.source().equals(source)))
                .flatMap(List::stream).map(PoolSettings.PoolMember::source)
                .anyMatch(other -> !other.equals(source) && against(other, provider).isEmpty());
    }

    private static RecipientOutcome deferred(RecipientOutcome each) {
        return each.outcome() instanceof Outcome.Failed(Reply reply, String remote) && BlockListReply.isOne(reply)
                ? new RecipientOutcome(each.number(), new Outcome.Deferred(
                        Reply.of(450, "4.7.1", "refused for its source, another one is tried: " + reply), remote),
                        each.reached())
                : each;
    }

    // ---- operators

    @Override
    public SourcesView sources() {
        SourceTable table = table();
        Map<SourceKey, SourceSuspension> suspensions = states.suspensions();
        Map<SourceKey, Long> used = states.used();
        return new SourcesView(table.sources().entrySet().stream()
                .map(each -> view(each.getKey(), each.getValue(), table, suspensions, used)).toList());
    }

    private SourceView view(String name, SourceSettings settings, SourceTable table,
            Map<SourceKey, SourceSuspension> suspensions, Map<SourceKey, Long> used) {
        LocalDate today = states.today();
        Optional<WarmUp> schedule = settings.schedule().filter(each -> each.limit(today).isPresent());
        Optional<SourceSuspension> all = Optional.ofNullable(suspensions.get(new SourceKey(name, SourceStates.ALL)));
        TreeSet<String> own = new TreeSet<>();
        Stream.concat(suspensions.keySet().stream(), used.keySet().stream())
                .filter(key -> key.source().equals(name) && !key.provider().equals(SourceStates.ALL))
                .forEach(key -> own.add(key.provider()));
        return new SourceView(name, settings.addresses().stream().map(AddressText::of).toList(),
                settings.hostname().orElse(config.get().hostname()),
                settings.exit().map(Object::toString).orElse("none"),
                table.pools().entrySet().stream().filter(pool -> pool.getValue().sources().stream()
                        .anyMatch(member -> member.source().equals(name))).map(Map.Entry::getKey).toList(),
                all.isPresent() ? "suspended" : schedule.isPresent() ? "warming" : "ready", until(all),
                all.map(SourceControl::reason).orElse(""), schedule.map(each -> each.day(today)).orElse(0),
                schedule.map(each -> each.limit(today).orElse(-1)).orElse(-1), started(name),
                own.stream().map(provider -> view(new SourceKey(name, provider), schedule,
                        Optional.ofNullable(suspensions.get(new SourceKey(name, provider))),
                        used.getOrDefault(new SourceKey(name, provider), 0L))).toList());
    }

    private SourceProviderView view(SourceKey key, Optional<WarmUp> schedule, Optional<SourceSuspension> suspension,
            long used) {
        OptionalLong left = schedule.map(each -> states.left(key, each)).orElse(OptionalLong.empty());
        String state = suspension.isPresent() ? "suspended" : left.orElse(1) == 0 ? "used-up" : "ready";
        return new SourceProviderView(key.provider(), used, left.orElse(-1), state, until(suspension),
                suspension.map(SourceControl::reason).orElse(""));
    }

    private static String until(Optional<SourceSuspension> suspension) {
        return suspension.flatMap(SourceSuspension::until).map(Instant::toString).orElse("");
    }

    private static String reason(SourceSuspension each) {
        return each.author() + ": " + each.reason();
    }

    private long started(String source) {
        LongAdder count = deliveries.get(source);
        return count == null ? 0 : count.sum();
    }

    @Override
    public boolean order(String name, SourceVerb order) {
        return switch (order) {
            case SourceVerb.Suspend suspend -> {
                SourceKey key = new SourceKey(name, provider(suspend.provider()).orElse(SourceStates.ALL));
                boolean known = table().sources().containsKey(name);
                if (known) {
                    suspend(key, new SourceSuspension(suspend.until().map(Instant::toEpochMilli)
                            .orElse(Long.MAX_VALUE), suspend.author(), suspend.reason()));
                }
                yield known;
            }
            case SourceVerb.Resume(String provider) -> {
                boolean found = states.resume(name, provider(provider));
                if (found) {
                    log.info("event=source-resumed source={} provider={}", LogText.word(name),
                            LogText.word(provider.isEmpty() ? SourceStates.ALL : provider));
                }
                yield found;
            }
        };
    }

    private Optional<String> provider(String given) {
        if (!given.isEmpty() && !given.equals(ProviderTable.OTHER) && !providers().isKnown(given)) {
            throw new IllegalArgumentException("there is no provider " + given);
        }
        return Optional.of(given).filter(name -> !name.isEmpty());
    }

    /// One trouble for all sources that suspended themselves.
    public Optional<TroubleView> trouble() {
        Map<String, String> reasons = new TreeMap<>();
        states.suspensions().forEach((key, each) -> {
            if (each.author().equals(AUTHOR) && table().sources().containsKey(key.source())) {
                reasons.put(key.source() + (key.provider().equals(SourceStates.ALL) ? "" : " at " + key.provider()),
                        each.reason());
            }
        });
        return reasons.entrySet().stream().findFirst().map(first -> new TroubleView("source", "",
                "its mail goes by the other sources of its pool, or waits; mta source list",
                first.getKey() + ": " + first.getValue()
                        + (reasons.size() > 1 ? " (and " + (reasons.size() - 1) + " more)" : "")));
    }

    /// Deliveries that were begun, by source.
    public void each(BiConsumer<String, Long> figure) {
        table().sources().keySet().forEach(name -> figure.accept(name, started(name)));
    }

    /// Sources that are suspended for all mail.
    public void eachSuspended(BiConsumer<String, Boolean> figure) {
        Map<SourceKey, SourceSuspension> now = states.suspensions();
        table().sources().keySet()
                .forEach(name -> figure.accept(name, now.containsKey(new SourceKey(name, SourceStates.ALL))));
    }

    @Override
    public void close() {
        states.close();
    }
}
