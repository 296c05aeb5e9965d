package org.slipstream.lab;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.lab.SimulatedShard.SharedParts;
import org.slipstream.lab.SimulatedSpool.SpoolRow;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.ChangedSettings;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.trace.QmgrSnapshot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A simulated world for the queue managers of one server: spools, DNS and a network that execute
/// their orders and answer each after its latency.
///
/// Time jumps to the next scheduled action or to the alarm of a queue manager, whichever is
/// earlier. All random numbers come from the seed of the scenario, and the event list defines the
/// order of events. So the transcript of a scenario is always the same.
public final class World {
    private static final long MAX_EVENTS = 100_000;

    private final Scenario scenario;
    private final WorldObserver observer;
    private final EventList clock = new EventList();
    private final ReceivingSide receivers;
    private final ConnectionLimits limits;
    private final List<SimulatedStation> disks;
    private final SimulatedBroker broker;
    private final long messageMillis;
    private final SimulatedShards shards;
    private Optional<Consumer<String>> transcript = Optional.empty();
    private long events;
    private long maxEvents = MAX_EVENTS;
    private long nextId;

    public World(Scenario scenario) {
        this(scenario, WorldObserver.NONE);
    }

    /// @param observer of all events, decisions and orders
    public World(Scenario scenario, WorldObserver observer) {
        this(scenario, ShardPlan.ONE, observer);
    }

    /// @param plan the shards of the server
    public World(Scenario scenario, ShardPlan plan, WorldObserver observer) {
        this.observer = observer;
        this.scenario = scenario;
        Random chance = new Random(scenario.seed());
        this.receivers = new ReceivingSide(scenario, clock, chance);
        this.limits = new ConnectionLimits(scenario, receivers);
        this.disks = Stream.generate(() -> new SimulatedStation(clock, 1))
                .limit(plan.costs().disks()).toList();
        SharedParts shared = new SharedParts(scenario, plan.isLeased(), plan.costs(), receivers, limits, disks, clock,
                chance, observer);
        this.broker = new SimulatedBroker(clock, plan.messageMillis(),
                message -> shards().post(message.shard(), message.event()), () -> shards().divided());
        this.messageMillis = plan.messageMillis();
        this.shards = new SimulatedShards(plan, clock, scenario.seed(),
                number -> new SimulatedShard(number, shared, new Surroundings()), this::closed);
        this.nextId = scenario.mails().stream().mapToLong(mail -> mail.id().value()).max().orElse(0) + 1;
        scenario.mails().forEach(mail -> clock.at(mail.arrivalMillis(), () -> arrive(mail)));
        scenario.commands().forEach(action -> clock.at(action.atMillis(),
                () -> shards.command(action.command())));
        scenario.crashesMillis().forEach(millis -> clock.at(millis, this::crash));
        if (plan.followMillis() > 0) {
            shards.follow(plan.followMillis(),
                    scenario.mails().stream().mapToLong(SimulatedMail::arrivalMillis).max().orElse(0));
        }
    }

    private void closed(int shard) {
        broker.gone(shard);
        observer.closed(clock.now(), shard);
    }

    /// The queue managers start with these settings, and take those of the scenario before anything
    /// else happens. Then the run is the one of the scenario.
    public World startedWith(QmgrConfig former) {
        shards.all().forEach(shard -> shard.startAgainWith(former));
        return this;
    }

    /// An operator changes the settings of all shards. The limits of the scenario are checked all the
    /// same, so these settings must not exceed them.
    public World changed(long atMillis, QmgrConfig settings, PlaceRules smtp) {
        clock.at(atMillis, () -> shards.running()
                .forEach(shard -> shard.post(new QmgrEvent.SettingsChanged(new ChangedSettings(settings, smtp)))));
        return this;
    }

    /// An operator gives a command at this moment of a run. For observers.
    public void command(OperatorCommand command) {
        clock.after(0, () -> shards.command(command));
    }

    /// Writes every event and every order to `lines`, one line each.
    public World transcribe(Consumer<String> lines) {
        transcript = Optional.of(lines);
        return this;
    }

    /// Sets the number of events after which a run is stopped as endless.
    public World atMost(long worldEvents) {
        maxEvents = worldEvents;
        return this;
    }

    /// Leaves out the checks whose time grows with the queue, for runs whose purpose is a figure.
    public World withoutStateChecks() {
        shards.withoutStateChecks();
        limits.leaveOut();
        broker.withoutChecks();
        return this;
    }

    /// Leaves out the check of the times of attempts, for worlds in which retry policies of settings or
    /// suspensions with an end decide about them.
    public World withoutTimes() {
        shards.all().forEach(SimulatedShard::withoutTimes);
        return this;
    }

    /// The state of one recipient at the end of a run.
    public enum FinalState {
        DELIVERED, FAILED, REPORTED, OPEN, DELETED
    }

    /// Runs until every message is removed or held.
    ///
    /// @throws SimulationStoppedException when an invariant is violated or an impossible event
    ///     occurs
    public World run() {
        return run(Long.MAX_VALUE);
    }

    /// Runs until this time, or until every message is removed or held.
    ///
    /// @throws SimulationStoppedException when an invariant is violated or an impossible event
    ///     occurs
    public World run(long untilMillis) {
        try {
            loop(untilMillis);
        } catch (ImpossibleEventException impossible) {
            throw new SimulationStoppedException(
                    "an event that cannot happen: " + impossible.getMessage() + "\n" + state(), impossible);
        } catch (AssertionError forbidden) {
            throw new SimulationStoppedException(forbidden.getMessage() + "\n" + state(), forbidden);
        } catch (RuntimeException broken) {
            throw new SimulationStoppedException("the queue manager failed: " + broken + "\n" + state(), broken);
        }
        return this;
    }

    private void loop(long untilMillis) {
        while (clock.nextMillis() < Long.MAX_VALUE || !shards.areFinished()) {
            long alarm = shards.alarmMillis();
            if (Math.min(clock.nextMillis(), alarm) > untilMillis) {
                return;
            }
            if (clock.nextMillis() <= alarm) {
                clock.runNext();
            } else {
                shards.alarm(alarm);
            }
            if (!scenario.batching() || clock.nextMillis() > clock.now()) {
                shards.deliverEvents();
            }
        }
        shards.end();
    }

    /// The state of the queue managers, for the text of a failure.
    private String state() {
        try {
            return "at " + clock.now() + " ms, after " + events + " events, " + shards.describe() + broker.describe();
        } catch (RuntimeException broken) {
            return "at " + clock.now() + " ms; the state cannot be read: " + broken;
        }
    }

    public long nowMillis() {
        return clock.now();
    }

    public long events() {
        return events;
    }

    /// The number of checks of invariants.
    public long checks() {
        return shards.all().stream().mapToLong(shard -> shard.invariants.checks()).sum();
    }

    /// The number of recipients in each state after the last event.
    AcceptedMail.MailAccount totals() {
        return shards.all().stream().map(shard -> shard.invariants.accepted().totals())
                .reduce(AcceptedMail.MailAccount::plus).orElseThrow();
    }

    SimulatedBroker broker() {
        return broker;
    }

    SimulatedShards shards() {
        return shards;
    }

    EventList clock() {
        return clock;
    }

    List<SimulatedStation> disks() {
        return disks;
    }

    ConnectionLimits limits() {
        return limits;
    }

    /// Questions to the queue manager of the first shard.
    public QueueQueries queries() {
        return shards.first().queries();
    }

    /// The spool of the first shard.
    SimulatedSpool spool() {
        return shards.first().spool;
    }

    /// The queue manager of the first shard.
    QmgrSnapshot snapshot() {
        return shards.first().snapshot();
    }

    /// The state of each recipient of a message of the scenario.
    public List<FinalState> states(QueueId id) {
        boolean deleted = "deleted".equals(reasons().get(id));
        List<FinalState> states = new ArrayList<>();
        for (RecipientStatus state : row(id).states) {
            states.add(switch (state) {
                case OPEN -> deleted ? FinalState.DELETED : FinalState.OPEN;
                case DELIVERED -> FinalState.DELIVERED;
                case FAILED -> FinalState.FAILED;
                case FAILED_AND_REPORTED -> FinalState.REPORTED;
            });
        }
        return states;
    }

    private SpoolRow row(QueueId id) {
        return shards.all().stream().flatMap(shard -> shard.row(id).stream()).findFirst().orElseThrow();
    }

    public boolean isHeld(QueueId id) {
        return shards.holder(id).filter(shard -> shard.spool.rows.get(id).held).isPresent();
    }

    /// The number of copies that this recipient received.
    public int copies(QueueId id, int number) {
        return receivers.copies(id, number);
    }

    /// The number of copies that were sent completely and got no reply. The recipient may have
    /// received each of them.
    public int unconfirmed(QueueId id, int number) {
        return receivers.unconfirmed(id, number);
    }

    /// Crashes of shards while they had this message.
    int crashes(QueueId id) {
        return row(id).crashes;
    }

    public Map<QueueId, String> reasons() {
        return shards.all().stream().flatMap(shard -> shard.spool.reasons.entrySet().stream())
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (first, _) -> first,
                        LinkedHashMap::new));
    }

    private void crash() {
        transcript.ifPresent(lines -> lines.accept(clock.now() + " *** crash"));
        observer.crashed(clock.now());
        shards.running().forEach(SimulatedShard::crash);
    }

    void arrive(SimulatedMail mail) {
        receivers.expect(mail);
        shards.place().arrive(mail);
    }

    /// The world as its shards see it.
    private final class Surroundings implements SimulatedShard.ShardSurroundings {
        @Override
        public void happened(int shard, QmgrEvent event) {
            events++;
            if (events >= maxEvents) {
                throw new AssertionError("no end after " + events + " events");
            }
            transcript.ifPresent(lines -> lines.accept(clock.now() + label(shard) + " " + event));
        }

        @Override
        public void ordered(int shard, QmgrOrder order) {
            transcript.ifPresent(lines -> lines.accept("   " + label(shard) + " " + order));
        }

        private String label(int shard) {
            return shards.all().size() == 1 ? "" : " shard=" + shard;
        }

        @Override
        public void started(int shard) {
            broker.started(shard);
            observer.started(clock.now(), shard);
        }

        @Override
        public void crashed(int shard) {
            shards.crashed(shard);
        }

        @Override
        public void move(int shard, QmgrOrder.MoveOut order) {
            shards.move(shard, order);
        }

        @Override
        public void lease(int shard, QmgrOrder.LeaseOrder order) {
            broker.ordered(shard, order);
        }

        @Override
        public void learned(int shard, List<HostRow.Change> changes) {
            if (shards.running().size() > 1) {
                clock.after(messageMillis, () -> shards.learned(shard, changes));
            }
        }

        @Override
        public void reported(Address sender, ReplyScript script) {
            arrive(new SimulatedMail(new QueueId(nextId++), clock.now(), Optional.empty(),
                    List.of(new SimulatedRecipient(sender, script))));
        }
    }
}
