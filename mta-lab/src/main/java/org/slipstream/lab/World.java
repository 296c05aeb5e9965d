package org.slipstream.lab;

import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.lab.SimulatedSpool.SimulatedState;
import org.slipstream.lab.SimulatedSpool.SpoolRow;
import org.slipstream.qmgr.QmgrSnapshot;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/// A simulated world for one queue manager: a spool, DNS and a network that execute its orders and
/// answer each after its latency.
///
/// Time jumps to the next scheduled action or to the alarm of the queue manager, whichever is
/// earlier. All random numbers come from the seed of the scenario, and the event list defines the
/// order of events. So the transcript of a scenario is always the same.
public final class World {
    private static final long MAX_EVENTS = 100_000;

    private final Scenario scenario;
    private final WorldObserver observer;
    private final EventList clock = new EventList();
    private final Random chance;
    private final InvariantChecker invariants;
    private final SimulatedSpool spool;
    private final SimulatedNetwork network;
    private final List<QmgrEvent> arrived = new ArrayList<>();
    private Optional<Consumer<String>> transcript = Optional.empty();
    private DestDb hosts;
    private QueueManager queueManager;
    private long events;
    private long maxEvents = MAX_EVENTS;
    private boolean checksEveryState = true;
    private long nextId;
    private long tickets;
    private Optional<QmgrEvent> last = Optional.empty();

    public World(Scenario scenario) {
        this(scenario, WorldObserver.NONE);
    }

    /// @param observer of all events, decisions and orders
    public World(Scenario scenario, WorldObserver observer) {
        this.scenario = scenario;
        this.observer = observer;
        this.chance = new Random(scenario.seed());
        this.invariants = new InvariantChecker(scenario.config(), scenario.placement());
        this.spool = new SimulatedSpool(clock, scenario.ownServer(), invariants);
        this.network = new SimulatedNetwork(scenario, clock, chance);
        invariants.attach(spool, network);
        this.nextId = scenario.mails().stream().mapToLong(mail -> mail.id().value()).max().orElse(0) + 1;
        start();
        scenario.mails().forEach(mail -> clock.at(mail.arrivalMillis(), () -> arrive(mail)));
        scenario.commands().forEach(action -> clock.at(action.atMillis(),
                () -> post(new QmgrEvent.Operator(action.command(), ++tickets))));
        scenario.crashesMillis().forEach(millis -> clock.at(millis, this::crash));
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
        checksEveryState = false;
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
        while (!isOver()) {
            // A queue manager that has just started asks for an alarm in the past; time does not go
            // back.
            long alarm = Math.max(clock.now(), queueManager.nextAlarmMillis());
            if (Math.min(clock.nextMillis(), alarm) > untilMillis) {
                return;
            }
            if (clock.nextMillis() <= alarm) {
                clock.runNext();
            } else {
                invariants.require(alarm < Long.MAX_VALUE,
                        () -> "messages wait and no event is scheduled: " + spool.rows.keySet());
                clock.advance(alarm);
                post(new QmgrEvent.Alarm());
            }
            if (!scenario.batching() || clock.nextMillis() > clock.now()) {
                deliverEvents();
            }
        }
        invariants.end(queueManager, clock.now());
    }

    /// The state of the queue manager, for the text of a failure.
    private String state() {
        try {
            return describe();
        } catch (RuntimeException broken) {
            return "at " + clock.now() + " ms, after " + last + "; the state cannot be read: " + broken;
        }
    }

    private String describe() {
        QmgrSnapshot snapshot = queueManager.snapshot(clock.now());
        StringBuilder text = new StringBuilder("at " + clock.now() + " ms, after " + events + " events, the last: "
                + last.map(Object::toString).orElse("none"));
        snapshot.messages().forEach(message -> text.append("\n  queue=").append(message.id()).append(" waiting=")
                .append(message.waiting()).append(" running=").append(message.running()).append(" why=")
                .append(message.why()));
        snapshot.destinations().forEach(each -> text.append("\n  to=").append(each.transport()).append('/')
                .append(each.nextHop()).append(" waiting=").append(each.waiting()).append(" running=")
                .append(each.running()).append(" connections=").append(each.lanes()));
        return text.toString();
    }

    public long nowMillis() {
        return clock.now();
    }

    public long events() {
        return events;
    }

    /// The number of checks of invariants.
    public long checks() {
        return invariants.checks();
    }

    /// The number of recipients in each state after the last event.
    AcceptedMail.MailAccount totals() {
        return invariants.accepted().totals();
    }

    SimulatedSpool spool() {
        return spool;
    }

    QmgrSnapshot snapshot() {
        return queueManager.snapshot(clock.now());
    }

    /// The state of each recipient of a message of the scenario.
    public List<FinalState> states(QueueId id) {
        SpoolRow row = spool.rows.containsKey(id) ? spool.rows.get(id) : spool.removed.get(id);
        boolean deleted = "deleted".equals(spool.reasons.get(id));
        List<FinalState> states = new ArrayList<>();
        for (SimulatedState state : row.states) {
            states.add(switch (state) {
                case OPEN -> deleted ? FinalState.DELETED : FinalState.OPEN;
                case DELIVERED -> FinalState.DELIVERED;
                case FAILED -> FinalState.FAILED;
                case REPORTED -> FinalState.REPORTED;
            });
        }
        return states;
    }

    public boolean isHeld(QueueId id) {
        return spool.rows.containsKey(id) && spool.rows.get(id).held;
    }

    /// The number of copies that this recipient received.
    public int copies(QueueId id, int number) {
        return network.copies(id, number);
    }

    /// The number of copies that were sent completely and got no reply. The recipient may have
    /// received each of them.
    public int unconfirmed(QueueId id, int number) {
        return network.unconfirmed(id, number);
    }

    /// The last reply recorded for this recipient.
    public Optional<Reply> lastReply(QueueId id, int number) {
        SpoolRow row = spool.rows.containsKey(id) ? spool.rows.get(id) : spool.removed.get(id);
        return Optional.ofNullable(row.last[number - 1]).map(outcome -> outcome.reply());
    }

    public Map<QueueId, String> reasons() {
        return Map.copyOf(spool.reasons);
    }

    private boolean isOver() {
        return clock.nextMillis() == Long.MAX_VALUE && arrived.isEmpty()
                && spool.rows.values().stream().allMatch(row -> row.held) && queueManager.isQuiet()
                && queueManager.snapshot(clock.now()).messages().isEmpty();
    }

    private void start() {
        hosts = new DestDb(scenario.placement().memory());
        queueManager = QueueManagers.of(scenario.config(), scenario.placement(), hosts, HostKeys.BY_NAME,
                scenario.seed(), observer);
    }

    private void crash() {
        transcript.ifPresent(lines -> lines.accept(clock.now() + " *** crash"));
        arrived.clear();
        spool.crash();
        network.crash();
        invariants.crash();
        start();
    }

    private void arrive(SimulatedMail mail) {
        network.expect(mail);
        var summary = spool.commit(mail);
        invariants.accepted().acknowledged(mail);
        post(chance.nextDouble() < scenario.ownServer().arrivalsMissed()
                ? new QmgrEvent.ArrivalsMissed()
                : new QmgrEvent.MessageQueued(summary));
    }

    private void post(QmgrEvent event) {
        arrived.add(event);
    }

    private void deliverEvents() {
        if (arrived.isEmpty()) {
            return;
        }
        List<QmgrEvent> batch = List.copyOf(arrived);
        arrived.clear();
        List<QmgrOrder> orders = new ArrayList<>();
        for (QmgrEvent event : batch) {
            events++;
            last = Optional.of(event);
            invariants.require(events < maxEvents, () -> "no end after " + events + " events");
            transcript.ifPresent(lines -> lines.accept(clock.now() + " " + event));
            invariants.happened(event, clock.now());
            observer.happened(clock.now(), event);
            if (scenario.batching()) {
                queueManager.absorb(event, clock.now(), orders::add);
            } else {
                queueManager.step(event, clock.now(), orders::add);
            }
            carryOut(orders);
        }
        if (scenario.batching()) {
            observer.pumps(clock.now());
            queueManager.pump(clock.now(), orders::add);
            carryOut(orders);
        }
        if (checksEveryState) {
            invariants.check(queueManager.snapshot(clock.now()), clock.now());
            invariants.checkOverlooked(queueManager, clock.now());
        }
        observer.settled(clock.now(), hosts);
    }

    private void carryOut(List<QmgrOrder> orders) {
        for (QmgrOrder order : orders) {
            transcript.ifPresent(lines -> lines.accept("    " + order));
            invariants.ordered(order, clock.now());
            observer.ordered(clock.now(), order);
            carryOut(order);
        }
        orders.clear();
    }

    private void carryOut(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.Scan scan -> spool.scan(scan, this::post);
            case QmgrOrder.ReadRecipients read -> spool.read(read, this::post);
            case QmgrOrder.FindRoute find -> network.find(find, this::post);
            case QmgrOrder.Open open -> network.open(open, this::post);
            case QmgrOrder.Deliver deliver -> network.deliver(deliver, this::post);
            case QmgrOrder.Close close -> network.close(close, this::post);
            case QmgrOrder.RecordOutcome record -> spool.record(record, this::post);
            case QmgrOrder.Notify notify -> report(notify);
            case QmgrOrder.Defer defer -> spool.defer(defer, this::post);
            case QmgrOrder.Remove remove -> spool.remove(remove, this::post);
            case QmgrOrder.SetHold hold -> spool.hold(hold, this::post);
            case QmgrOrder.MakeDue due -> spool.makeDue(due, this::post);
            case QmgrOrder.TakeUp takeUp -> spool.takeUp(takeUp, this::post);
            case QmgrOrder.Instruct instruct -> spool.instruct(instruct, this::post);
            case QmgrOrder.MoveOut move -> post(new QmgrEvent.MovedOut(move.id(), false));
            case QmgrOrder.Answered _,QmgrOrder.Verified _ -> {
                // The invariants count these answers.
            }
        }
    }

    // A report is a message with the null sender. The report is in the spool before the answer is
    // sent.
    private void report(QmgrOrder.Notify notify) {
        if (chance.nextDouble() < scenario.ownServer().reportFailures()) {
            clock.after(scenario.ownServer().readMillis(),
                    unlessCrashed(() -> post(new QmgrEvent.Notified(notify.id(), notify.kind(), false))));
            return;
        }
        clock.after(scenario.ownServer().readMillis(), unlessCrashed(() -> {
            ReplyScript script = chance.nextDouble() < scenario.ownServer().reportsUnwanted()
                    ? new ReplyScript.Never()
                    : new ReplyScript.Welcome();
            var sender = spool.rows.get(notify.id()).mail.sender().orElseThrow();
            invariants.accepted().reported(notify.id());
            arrive(new SimulatedMail(new QueueId(nextId++), clock.now(), Optional.empty(),
                    List.of(new SimulatedRecipient(sender, script))));
            spool.reported(notify, this::post);
        }));
    }

    // A task that began before a crash has no effect after it.
    private Runnable unlessCrashed(Runnable action) {
        QueueManager manager = queueManager;
        return () -> {
            if (queueManager == manager) {
                action.run();
            }
        };
    }
}
