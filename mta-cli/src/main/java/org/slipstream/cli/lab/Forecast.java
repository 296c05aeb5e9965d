package org.slipstream.cli.lab;

import org.slipstream.config.Config;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Outcome;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.World;
import org.slipstream.lab.WorldObserver;
import org.slipstream.lab.journal.RecordedTraffic;
import org.slipstream.qmgr.event.QmgrOrder;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/// The time at which each destination and each message of a queue would be done, under the present
/// settings and under others. The production queue manager decides, in simulated time; the same
/// queue and settings give the same forecast.
public final class Forecast {
    private static final long MOST_EVENTS = 50_000_000;
    private static final Duration HORIZON = Duration.ofDays(2);
    private static final int SLOWEST = 10;

    /// @param destinations in the order of their names
    /// @param slowest messages under the changed settings, the slowest first
    public record ForecastReport(List<String> assumptions, List<DestinationForecast> destinations,
            List<MessageForecast> slowest) {
        public ForecastReport {
            assumptions = List.copyOf(assumptions);
            destinations = List.copyOf(destinations);
            slowest = List.copyOf(slowest);
        }
    }

    /// Times from the moment of the queue; empty when not within the horizon.
    ///
    /// @param destination transport and next hop
    public record DestinationForecast(String destination, int messages, int recipients, Optional<Long> presentMillis,
            Optional<Long> changedMillis) {}

    /// Times from the moment of the queue; empty when not within the horizon.
    ///
    /// @param destination that of the first recipient
    public record MessageForecast(String id, String destination, int recipients, Optional<Long> presentMillis,
            Optional<Long> changedMillis) {}

    /// The last outcome of each destination and each message.
    private static final class Ends implements WorldObserver {
        final Map<String, Long> ofDestination = new TreeMap<>();
        final Map<QueueId, Long> ofMessage = new TreeMap<>();
        final Map<String, Integer> done = new TreeMap<>();
        final Map<QueueId, Integer> doneOfMessage = new TreeMap<>();
        private final QueueScenario scenario;

        Ends(QueueScenario scenario) {
            this.scenario = scenario;
        }

        @Override
        public void ordered(long nowMillis, QmgrOrder order) {
            if (order instanceof QmgrOrder.RecordOutcome record) {
                for (int i = 0; i < record.outcomes().size(); i++) {
                    if (!(record.outcomes().get(i).outcome() instanceof Outcome.Deferred)) {
                        ended(record.id(), record.recipients().get(i).address(), nowMillis);
                    }
                }
            }
        }

        private void ended(QueueId id, Address recipient, long nowMillis) {
            String destination = scenario.destination(recipient);
            ofDestination.put(destination, nowMillis);
            done.merge(destination, 1, Integer::sum);
            ofMessage.put(id, nowMillis);
            doneOfMessage.merge(id, 1, Integer::sum);
        }
    }

    private Forecast() {}

    /// @param otherMillis duration of a delivery where none was measured
    public static ForecastReport of(LiveQueue queue, Config present, Config changed, long otherMillis) {
        return of(queue, present, changed, otherMillis, Optional.empty());
    }

    /// @param otherMillis duration of a delivery where none was measured
    /// @param recorded the hosts and their replies; empty for hosts that accept everything
    static ForecastReport of(LiveQueue queue, Config present, Config changed, long otherMillis,
            Optional<RecordedTraffic> recorded) {
        QueueScenario scenario = new QueueScenario(queue, present, otherMillis, recorded);
        Ends before = run(scenario, present);
        Ends after = run(scenario, changed);
        return new ForecastReport(scenario.assumptions(), destinations(scenario, before, after),
                slowest(scenario, before, after));
    }

    private static Ends run(QueueScenario scenario, Config config) {
        Ends ends = new Ends(scenario);
        new World(scenario.under(config), ends).atMost(MOST_EVENTS).withoutStateChecks().withoutTimes()
                .run(HORIZON.toMillis());
        return ends;
    }

    private static List<DestinationForecast> destinations(QueueScenario scenario, Ends before, Ends after) {
        SequencedMap<String, int[]> counts = new TreeMap<>();
        for (SimulatedMail mail : scenario.mails()) {
            mail.recipients().stream().map(each -> scenario.destination(each.address()))
                    .forEach(name -> counts.computeIfAbsent(name, _ -> new int[2])[1]++);
            mail.recipients().stream().map(each -> scenario.destination(each.address())).distinct()
                    .forEach(name -> counts.computeIfAbsent(name, _ -> new int[2])[0]++);
        }
        List<DestinationForecast> forecasts = new ArrayList<>();
        counts.forEach((name, count) -> forecasts.add(new DestinationForecast(name, count[0], count[1],
                end(before.ofDestination, before.done, name, count[1]),
                end(after.ofDestination, after.done, name, count[1]))));
        return forecasts;
    }

    private static List<MessageForecast> slowest(QueueScenario scenario, Ends before, Ends after) {
        return scenario.mails().stream()
                .map(mail -> new MessageForecast(mail.id().toString(),
                        scenario.destination(mail.recipients().getFirst().address()), mail.recipients().size(),
                        end(before.ofMessage, before.doneOfMessage, mail.id(), mail.recipients().size()),
                        end(after.ofMessage, after.doneOfMessage, mail.id(), mail.recipients().size())))
                .sorted(Comparator.<MessageForecast>comparingLong(each -> each.changedMillis().orElse(Long.MAX_VALUE))
                        .reversed().thenComparing(MessageForecast::id))
                .limit(SLOWEST).toList();
    }

    // The time counts when every recipient has an outcome. A report of a delay to the same
    // destination adds to its recipients.
    private static <K> Optional<Long> end(Map<K, Long> ends, Map<K, Integer> done, K key, int recipients) {
        return Optional.ofNullable(ends.get(key)).filter(_ -> done.getOrDefault(key, 0) >= recipients);
    }
}
