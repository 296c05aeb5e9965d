package org.slipstream.qmgr.settings;

import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.LimitOrder.LimitedThing;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
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
                rings.put(order.subject(), new RingSettings(order.number()));
                yield new ChangedSettings(config.withDestinations(table.withRings(rings)), smtp);
            }
            case HOST -> new ChangedSettings(config, smtp.withHost(order.subject(), order.number()));
            case WINDOW -> new ChangedSettings(config.withDestinations(table.with(order.subject(),
                    DestinationSettings.NONE.withLanes(order.number()))), smtp);
            case RATE -> new ChangedSettings(config.withDestinations(table.with(order.subject(),
                    DestinationSettings.NONE.withRate(
                            new Rate(order.number(), Duration.ofMillis(order.periodMillis()))))),
                    smtp);
        };
    }
}
