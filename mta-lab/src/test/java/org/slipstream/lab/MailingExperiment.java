package org.slipstream.lab;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;

/// A mailing and a stream of single messages to the same destination. The result has the waits of
/// the single messages for a connection and the duration of the mailing.
///
/// The mailing has two recipients in each delivery. One single message arrives at a random time
/// within each period, from three seconds after the mailing to its end.
///
/// @param recipients of the mailing
/// @param perRecipient delivery time for each recipient
/// @param destinations number of destinations for the mailing and the single messages, each with
///     connections of its own
/// @param connections connections to each destination
/// @param initial window of a destination
/// @param periodMillis one single message in each
/// @param spaced whether starts are spaced
/// @param shape distribution of the recipients over destinations
record MailingExperiment(int recipients, Latency perRecipient, int destinations, int connections, int initial,
        long periodMillis, boolean spaced, Shape shape) {
    static final MailingExperiment USUAL = new MailingExperiment(2_000, Latency.of(600), 1, 20, 5, 1_000, true,
            Shape.EVEN);

    /// The distribution of recipients over destinations.
    enum Shape {
        EVEN,
        /// Half of them to the first destination, half of the others to the second, and so on.
        UNEVEN,
        /// Half of them to the first destination, the others in turn to all.
        LONG_TAIL;

        int destination(int recipient, int destinations) {
            return switch (this) {
                case EVEN -> recipient % destinations;
                case UNEVEN -> Math.min(Integer.numberOfTrailingZeros(recipient + 1), destinations - 1);
                case LONG_TAIL -> recipient % 2 == 0 ? 0 : recipient / 2 % destinations;
            };
        }
    }

    MailingExperiment shaped(Shape other) {
        return new MailingExperiment(recipients, perRecipient, destinations, connections, initial, periodMillis, spaced,
                other);
    }

    MailingExperiment spaced(boolean on) {
        return new MailingExperiment(recipients, perRecipient, destinations, connections, initial, periodMillis, on,
                shape);
    }

    MailingExperiment to(int count) {
        return new MailingExperiment(count, perRecipient, destinations, connections, initial, periodMillis, spaced,
                shape);
    }

    MailingExperiment taking(Latency each) {
        return new MailingExperiment(recipients, each, destinations, connections, initial, periodMillis, spaced, shape);
    }

    MailingExperiment singleEach(long millis) {
        return new MailingExperiment(recipients, perRecipient, destinations, connections, initial, millis, spaced,
                shape);
    }

    MailingExperiment with(int destinationCount, int connectionsEach) {
        return new MailingExperiment(recipients, perRecipient, destinationCount, connectionsEach, initial, periodMillis,
                spaced, shape);
    }

    /// The window is at its limit from the first.
    MailingExperiment openAtOnce() {
        return new MailingExperiment(recipients, perRecipient, destinations, connections, connections, periodMillis,
                spaced, shape);
    }

    /// @param waits of the single messages for a connection, sorted
    /// @param mailingMillis time until the last delivery of the mailing
    /// @param alarms that the queue manager has requested
    /// @param wideMillis time at which a window reached its limit
    record Result(long[] waits, long mailingMillis, int alarms, long wideMillis) {
        double percentile(double percent) {
            double at = (waits.length - 1) * percent / 100;
            int below = (int) at;
            int above = Math.min(below + 1, waits.length - 1);
            return waits[below] + (waits[above] - waits[below]) * (at - below);
        }

        double median() {
            return percentile(50);
        }
    }

    Result alone(long seed, Function<QmgrConfig, PlaceRules> rules) {
        return run(seed, rules, 0);
    }

    /// Single messages arrive for the time that the mailing takes alone.
    Result mixed(long seed, Function<QmgrConfig, PlaceRules> rules, Result alone) {
        return run(seed, rules, alone.mailingMillis());
    }

    Result mixed(long seed, Function<QmgrConfig, PlaceRules> rules) {
        return mixed(seed, rules, alone(seed, rules));
    }

    private Result run(long seed, Function<QmgrConfig, PlaceRules> rules, long singlesUntilMillis) {
        Random chance = new Random(seed);
        List<SimulatedMail> mails = new ArrayList<>();
        mails.add(new SimulatedMail(new QueueId(1), 0, Optional.of(Address.of("list@here.example")),
                addressees(recipients)));
        for (long at = 3_000; at < singlesUntilMillis; at += periodMillis) {
            int to = mails.size();
            mails.add(new SimulatedMail(new QueueId(to + 1L), at + chance.nextLong(periodMillis),
                    Optional.of(Address.of("a@here.example")), List.of(addressee(to))));
        }
        Recorder recorder = new Recorder(mails);
        new World(
                new Scenario(seed, config(), true, mails, servers(), new OwnServer(0, 0, 0, 0, 0), List.of(), List.of(),
                        rules.apply(config())),
                recorder).atMost(10_000_000).withoutStateChecks().run();
        return recorder.result();
    }

    private List<SimulatedRecipient> addressees(int count) {
        List<SimulatedRecipient> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(addressee(i));
        }
        return all;
    }

    private SimulatedRecipient addressee(int i) {
        return new SimulatedRecipient(Address.of("u" + i + "@d" + shape.destination(i, destinations) + ".example"),
                new ReplyScript.Welcome());
    }

    private List<SimulatedDomain> servers() {
        List<SimulatedDomain> all = new ArrayList<>();
        for (int i = 0; i < destinations; i++) {
            String domain = "d" + i + ".example";
            Latency none = Latency.of(0);
            all.add(new SimulatedDomain(domain, new Route.Smtp(domain, List.of(new Route.Host("mx." + domain, 25, 10))),
                    0,
                    false,
                    new ServerProfile(none, none, none, perRecipient, Integer.MAX_VALUE, 0, Integer.MAX_VALUE, 0, 0,
                            0, Long.MAX_VALUE, List.of())));
        }
        return all;
    }

    QmgrConfig config() {
        TransportSettings smtp = TransportSettings.defaults().withRecipientsPerDelivery(2).withConcurrency(100,
                initial, connections);
        return QmgrConfig.defaults().withTransports(TransportTable.of(smtp)).withSpacedStarts(spaced);
    }

    /// Records when each single message is sent and when the last delivery of the mailing ends.
    private static final class Recorder implements WorldObserver {
        private final List<SimulatedMail> mails;
        private final long[] waits;
        private final Map<Long, QueueId> deliveries = new TreeMap<>();
        private long mailing;
        private int alarms;
        private long now;
        private long wide = Long.MAX_VALUE;

        Recorder(List<SimulatedMail> mails) {
            this.mails = mails;
            this.waits = new long[mails.size() - 1];
        }

        @Override
        public void ordered(long nowMillis, QmgrOrder order) {
            if (order instanceof QmgrOrder.Deliver deliver) {
                deliveries.put(deliver.delivery().number(), deliver.id());
                int number = (int) deliver.id().value() - 1;
                if (number > 0) {
                    waits[number - 1] = nowMillis - mails.get(number).arrivalMillis();
                }
            }
        }

        @Override
        public void happened(long nowMillis, QmgrEvent event) {
            now = nowMillis;
            alarms += event instanceof QmgrEvent.Alarm ? 1 : 0;
            if (event instanceof QmgrEvent.DeliveryDone done && deliveries.get(done.result().delivery()).value() == 1) {
                mailing = nowMillis;
            }
        }

        @Override
        public void feedback(DestinationQueue destination, FeedbackEvent event, int running,
                Destination.FlowFigures figures) {
            if (figures.window() == figures.limit()) {
                wide = Math.min(wide, now);
            }
        }

        Result result() {
            Arrays.sort(waits);
            return new Result(waits, mailing, alarms, wide);
        }
    }
}
