package org.slipstream.qmgr.settings;

import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.LimitOrder.LimitedThing;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.ProviderRules;
import org.slipstream.qmgr.wake.ProviderSettings;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.RingSettings;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// The limits that operators have set while the server runs. They replace those of the settings, so everything that
/// depends on settings follows them without a rule of its own. One key has one limit at most, and a limit ends at its
/// time without an event.
public final class OrderedLimits {
    private static final String SMTP = "smtp";

    private final SequencedMap<String, LimitOrder> orders = new LinkedHashMap<>();
    private Optional<ChangedSettings> settings = Optional.empty();

    public void put(LimitOrder order) {
        orders.put(order.name(), order);
    }

    /// False when there is no such limit.
    public boolean remove(String key) {
        return orders.remove(key) != null;
    }

    /// Ends the limits whose time has come. True when there was one.
    public boolean timePasses(long nowMillis) {
        return nextMillis() <= nowMillis && orders.values().removeIf(each -> each.untilMillis() <= nowMillis);
    }

    /// The time at which the next limit ends.
    public long nextMillis() {
        return orders.isEmpty()
                ? Long.MAX_VALUE
                : orders.values().stream().mapToLong(LimitOrder::untilMillis).min().orElseThrow();
    }

    public List<LimitOrder> all() {
        return List.copyOf(orders.values());
    }

    /// The order for one of these subjects.
    public Optional<LimitOrder> of(LimitedThing thing, Predicate<String> subject) {
        return orders.isEmpty()
                ? Optional.empty()
                : orders.values().stream().filter(each -> each.thing() == thing && subject.test(each.subject()))
                        .findFirst();
    }

    /// The settings without these limits are now others.
    public void change(ChangedSettings others) {
        settings = Optional.of(others);
    }

    /// The settings with these limits in place of their own.
    ///
    /// @param first the settings before any change
    public ChangedSettings inForce(Supplier<ChangedSettings> first) {
        ChangedSettings changed = settings.orElseGet(first);
        settings = Optional.of(changed);
        for (LimitOrder order : orders.values()) {
            changed = on(changed, order);
        }
        return changed;
    }

    private static ChangedSettings on(ChangedSettings settings, LimitOrder order) {
        QmgrConfig config = settings.config();
        PlaceRules smtp = settings.smtp();
        DestinationTable table = config.destinations();
        return switch (order.thing()) {
            case SERVER -> new ChangedSettings(config.withLanesOfServer(order.number()), smtp);
            case TRANSPORT -> new ChangedSettings(
                    config.withTransports(config.transports().with(order.subject(),
                            config.transport(order.subject()).withProcessLimit(order.number()))),
                    order.subject().equals(SMTP) ? smtp.withWorkers(order.number(), smtp.connectionsPerHost()) : smtp);
            case RING -> {
                Map<String, RingSettings> rings = new LinkedHashMap<>(table.rings());
                rings.put(order.subject(),
                        new RingSettings(order.number(), ring(table, order).flatMap(RingSettings::rate)));
                yield new ChangedSettings(config.withDestinations(table.withRings(rings)), smtp);
            }
            case RING_RATE -> {
                Map<String, RingSettings> rings = new LinkedHashMap<>(table.rings());
                rings.put(order.subject(), new RingSettings(
                        ring(table, order).map(RingSettings::lanes).orElse(RingSettings.MOST),
                        Optional.of(rate(order))));
                yield new ChangedSettings(config.withDestinations(table.withRings(rings)), smtp);
            }
            case PROVIDER -> provider(settings, order, own -> own.withLanes(order.number()));
            case PROVIDER_RATE -> provider(settings, order, own -> own.withRate(rate(order)));
            case HOST -> new ChangedSettings(config, smtp.withHost(order.subject(), order.number()));
            case WINDOW -> new ChangedSettings(config.withDestinations(table.with(order.subject(),
                    DestinationSettings.NONE.withLanes(order.number()))), smtp);
            case RATE -> new ChangedSettings(config.withDestinations(table.with(order.subject(),
                    DestinationSettings.NONE.withRate(rate(order)))), smtp);
        };
    }

    private static Optional<RingSettings> ring(DestinationTable table, LimitOrder order) {
        return Optional.ofNullable(table.rings().get(order.subject()));
    }

    private static Rate rate(LimitOrder order) {
        return new Rate(order.number(), Duration.ofMillis(order.periodMillis()));
    }

    // The settings may have taken the provider out of the table.
    private static ChangedSettings provider(ChangedSettings settings, LimitOrder order,
            UnaryOperator<ProviderSettings> change) {
        DestinationTable table = settings.config().destinations();
        ProviderRules rules = table.providers();
        return rules.table().isKnown(order.subject())
                ? new ChangedSettings(settings.config().withDestinations(table.withProviders(
                        rules.with(order.subject(), change.apply(rules.settings(order.subject()))))), settings.smtp())
                : settings;
    }
}
