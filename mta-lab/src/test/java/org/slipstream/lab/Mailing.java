package org.slipstream.lab;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario.Addressee;
import org.slipstream.lab.Scenario.Fortune;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedPlace;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.TransportSettings;
import org.slipstream.qmgr.TransportTable;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.sched.DestinationQueue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;

/// A mailing and, while it runs, letters to the same place: how long do the letters wait for a
/// connection, and what does the mailing pay?
///
/// The mailing has so many recipients, two to a delivery. Letters come at random moments within
/// each period, from three seconds after the mailing to its end.
///
/// @param perRecipient what the server takes for each recipient
/// @param places among which the recipients of the mailing and the letters are spread, each with
///     connections of its own
/// @param lanes connections to each of them
record Mailing(int recipients, Latency perRecipient, int places, int lanes, int initial, long periodMillis,
        boolean spaced) {
    static final Mailing USUAL = new Mailing(2_000, Latency.of(600), 1, 20, 5, 1_000, true);

    Mailing spaced(boolean on) {
        return new Mailing(recipients, perRecipient, places, lanes, initial, periodMillis, on);
    }

    Mailing to(int people) {
        return new Mailing(people, perRecipient, places, lanes, initial, periodMillis, spaced);
    }

    Mailing taking(Latency each) {
        return new Mailing(recipients, each, places, lanes, initial, periodMillis, spaced);
    }

    Mailing letterEach(long millis) {
        return new Mailing(recipients, perRecipient, places, lanes, initial, millis, spaced);
    }

    Mailing with(int placesInAll, int lanesEach) {
        return new Mailing(recipients, perRecipient, placesInAll, lanesEach, initial, periodMillis, spaced);
    }

    /// @param waits of the letters for a connection, sorted
    /// @param mailingMillis until its last delivery was answered
    /// @param alarms that the queue manager has asked for
    /// @param wideMillis when a window was as wide as it may become
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

    /// Letters come as long as the mailing would take alone.
    Result mixed(long seed, Function<QmgrConfig, PlaceRules> rules, Result alone) {
        return run(seed, rules, alone.mailingMillis());
    }

    Result mixed(long seed, Function<QmgrConfig, PlaceRules> rules) {
        return mixed(seed, rules, alone(seed, rules));
    }

    private Result run(long seed, Function<QmgrConfig, PlaceRules> rules, long lettersUntilMillis) {
        Random chance = new Random(seed);
        List<SimulatedMail> mails = new ArrayList<>();
        mails.add(new SimulatedMail(new QueueId(1), 0, Optional.of(Address.of("list@here.example")),
                addressees(recipients)));
        for (long at = 3_000; at < lettersUntilMillis; at += periodMillis) {
            int to = mails.size();
            mails.add(new SimulatedMail(new QueueId(to + 1L), at + chance.nextLong(periodMillis),
                    Optional.of(Address.of("a@here.example")), List.of(addressee(to))));
        }
        Clock clock = new Clock(mails);
        new World(
                new Scenario(seed, config(), true, mails, servers(), new OwnServer(0, 0, 0, 0, 0), List.of(), List.of(),
                        rules.apply(config())),
                clock).atMost(10_000_000).run();
        return clock.result();
    }

    private List<Addressee> addressees(int count) {
        List<Addressee> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(addressee(i));
        }
        return all;
    }

    private Addressee addressee(int i) {
        return new Addressee(Address.of("u" + i + "@d" + i % places + ".example"), new Fortune.Welcome());
    }

    private List<SimulatedPlace> servers() {
        List<SimulatedPlace> all = new ArrayList<>();
        for (int i = 0; i < places; i++) {
            String domain = "d" + i + ".example";
            Latency none = Latency.of(0);
            all.add(new SimulatedPlace(domain, new Route.Smtp(domain, List.of(new Route.Host("mx." + domain, 25, 10))),
                    0,
                    false,
                    new ServerProfile(none, none, none, perRecipient, Integer.MAX_VALUE, 0, Integer.MAX_VALUE, 0, 0,
                            0, Long.MAX_VALUE, List.of())));
        }
        return all;
    }

    QmgrConfig config() {
        TransportSettings smtp = TransportSettings.defaults().withRecipientsPerDelivery(2).withConcurrency(100,
                initial, lanes);
        return QmgrConfig.defaults().withTransports(TransportTable.of(smtp)).withSpacedStarts(spaced);
    }

    /// Notes when each letter's delivery begins and when the mailing's last one ends.
    private static final class Clock implements Witness {
        private final List<SimulatedMail> mails;
        private final long[] waits;
        private final Map<Long, QueueId> deliveries = new TreeMap<>();
        private long mailing;
        private int alarms;
        private long now;
        private long wide = Long.MAX_VALUE;

        Clock(List<SimulatedMail> mails) {
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
        public void feedback(DestinationQueue line, FeedbackEvent event, int running, Destination.FlowFigures figures) {
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
