package org.slipstream.lab;

import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.lab.Scenario.Addressee;
import org.slipstream.lab.Scenario.Fortune;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.SimulatedSpool.SimulatedState;
import org.slipstream.lab.SimulatedSpool.SpoolRow;
import org.slipstream.qmgr.QmgrSnapshot;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.DestDb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/// A simulated world for one queue manager: a spool, DNS and a network that carry out its orders
/// and answer each after its time.
///
/// Time jumps to whatever comes first, a planned happening or the queue manager's alarm. All chance
/// comes from the scenario's seed and all order from the clockwork, so a scenario has one course of
/// events: its transcript.
public final class World {
    private static final long MOST_EVENTS = 100_000;

    private final Scenario scenario;
    private final Witness witness;
    private final Clockwork clock = new Clockwork();
    private final Random chance;
    private final Referee referee;
    private final SimulatedSpool spool;
    private final SimulatedNetwork network;
    private final List<QmgrEvent> arrived = new ArrayList<>();
    private Optional<Consumer<String>> transcript = Optional.empty();
    private DestDb hosts;
    private QueueManager brain;
    private long events;
    private long mostEvents = MOST_EVENTS;
    private long nextId;
    private long tickets;
    private Optional<QmgrEvent> last = Optional.empty();

    public World(Scenario scenario) {
        this(scenario, Witness.NOBODY);
    }

    /// @param witness sees all of it
    public World(Scenario scenario, Witness witness) {
        this.scenario = scenario;
        this.witness = witness;
        this.chance = new Random(scenario.seed());
        this.referee = new Referee(scenario.config(), scenario.placement());
        this.spool = new SimulatedSpool(clock, scenario.house(), referee);
        this.network = new SimulatedNetwork(scenario, clock, chance);
        referee.watch(spool, network);
        this.nextId = scenario.mails().stream().mapToLong(mail -> mail.id().value()).max().orElse(0) + 1;
        boot();
        scenario.mails().forEach(mail -> clock.at(mail.arrivalMillis(), () -> arrives(mail)));
        scenario.deeds().forEach(deed -> clock.at(deed.atMillis(),
                () -> tell(new QmgrEvent.Operator(deed.command(), ++tickets))));
        scenario.crashesMillis().forEach(millis -> clock.at(millis, this::crash));
    }

    /// Writes every event and every order to `lines`, one line each.
    public World transcribe(Consumer<String> lines) {
        transcript = Optional.of(lines);
        return this;
    }

    /// Sets the number of events after which a run is stopped as endless.
    public World atMost(long worldEvents) {
        mostEvents = worldEvents;
        return this;
    }

    /// The fate of one recipient.
    public enum Fate {
        DELIVERED, FAILED, REPORTED, OPEN, DELETED
    }

    /// Runs until every message is gone or held.
    ///
    /// @throws SimulationStoppedException when something is that must not be, or happens that
    ///     cannot, with the state
    public World run() {
        return run(Long.MAX_VALUE);
    }

    /// Runs until then, or until every message is gone or held.
    ///
    /// @throws SimulationStoppedException when something is that must not be, or happens that
    ///     cannot, with the state
    public World run(long untilMillis) {
        try {
            live(untilMillis);
        } catch (ImpossibleEventException impossible) {
            throw new SimulationStoppedException(
                    "an event that cannot happen: " + impossible.getMessage() + "\n" + state(), impossible);
        } catch (AssertionError forbidden) {
            throw new SimulationStoppedException(forbidden.getMessage() + "\n" + state(), forbidden);
        } catch (RuntimeException broken) {
            throw new SimulationStoppedException("the queue manager broke: " + broken + "\n" + state(), broken);
        }
        return this;
    }

    private void live(long untilMillis) {
        while (!isOver()) {
            // A brain that has just been started asks for an alarm in the past; time does not run
            // backwards.
            long alarm = Math.max(clock.now(), brain.nextAlarmMillis());
            if (Math.min(clock.nextMillis(), alarm) > untilMillis) {
                return;
            }
            if (clock.nextMillis() <= alarm) {
                clock.tick();
            } else {
                referee.require(alarm < Long.MAX_VALUE,
                        () -> "messages wait and nothing is planned: " + spool.rows.keySet());
                clock.advance(alarm);
                tell(new QmgrEvent.Alarm());
            }
            if (!scenario.batching() || clock.nextMillis() > clock.now()) {
                deliverEvents();
            }
        }
        referee.end(brain, clock.now());
    }

    /// The state of the queue manager, for the message of a failure.
    private String state() {
        try {
            return pictured();
        } catch (RuntimeException broken) {
            return "at " + clock.now() + " ms, after " + last + "; the state cannot be shown: " + broken;
        }
    }

    private String pictured() {
        QmgrSnapshot snapshot = brain.snapshot(clock.now());
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

    /// The fate of each recipient of a message of the scenario.
    public List<Fate> fates(QueueId id) {
        SpoolRow row = spool.rows.containsKey(id) ? spool.rows.get(id) : spool.removed.get(id);
        boolean deleted = "deleted".equals(spool.reasons.get(id));
        List<Fate> fates = new ArrayList<>();
        for (SimulatedState state : row.states) {
            fates.add(switch (state) {
                case OPEN -> deleted ? Fate.DELETED : Fate.OPEN;
                case DELIVERED -> Fate.DELIVERED;
                case FAILED -> Fate.FAILED;
                case REPORTED -> Fate.REPORTED;
            });
        }
        return fates;
    }

    public boolean isHeld(QueueId id) {
        return spool.rows.containsKey(id) && spool.rows.get(id).held;
    }

    /// Copies that reached this recipient.
    public int copies(QueueId id, int number) {
        return network.copies(id, number);
    }

    /// How often the content was sent to this recipient's server completely and no answer came:
    /// each may be a copy.
    public int doubts(QueueId id, int number) {
        return network.doubts(id, number);
    }

    /// The last reply that was recorded for this recipient.
    public Optional<Reply> lastReply(QueueId id, int number) {
        SpoolRow row = spool.rows.containsKey(id) ? spool.rows.get(id) : spool.removed.get(id);
        return Optional.ofNullable(row.last[number - 1]).map(outcome -> outcome.reply());
    }

    public Map<QueueId, String> reasons() {
        return Map.copyOf(spool.reasons);
    }

    private boolean isOver() {
        return clock.nextMillis() == Long.MAX_VALUE && arrived.isEmpty()
                && spool.rows.values().stream().allMatch(row -> row.held) && brain.isQuiet()
                && brain.snapshot(clock.now()).messages().isEmpty();
    }

    private void boot() {
        hosts = new DestDb(scenario.placement().memory());
        brain = Brains.of(scenario.config(), scenario.placement(), hosts,
                new Random(scenario.seed()), chance, witness);
    }

    private void crash() {
        transcript.ifPresent(lines -> lines.accept(clock.now() + " *** crash"));
        arrived.clear();
        spool.crash();
        network.crash();
        referee.crash();
        boot();
    }

    private void arrives(SimulatedMail mail) {
        network.expect(mail);
        var summary = spool.commit(mail);
        tell(chance.nextDouble() < scenario.house().arrivalsMissed()
                ? new QmgrEvent.ArrivalsMissed()
                : new QmgrEvent.MessageQueued(summary));
    }

    private void tell(QmgrEvent event) {
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
            referee.require(events < mostEvents, () -> "no end after " + events + " events");
            transcript.ifPresent(lines -> lines.accept(clock.now() + " " + event));
            referee.happens(event, clock.now());
            witness.happened(clock.now(), event);
            if (scenario.batching()) {
                brain.absorb(event, clock.now(), orders::add);
            } else {
                brain.step(event, clock.now(), orders::add);
            }
            carryOut(orders);
        }
        if (scenario.batching()) {
            brain.pump(clock.now(), orders::add);
            carryOut(orders);
        }
        referee.look(brain.snapshot(clock.now()));
        referee.wakes(brain, clock.now());
        witness.settled(clock.now(), hosts);
    }

    private void carryOut(List<QmgrOrder> orders) {
        for (QmgrOrder order : orders) {
            transcript.ifPresent(lines -> lines.accept("    " + order));
            referee.ordered(order, clock.now());
            witness.ordered(clock.now(), order);
            carryOut(order);
        }
        orders.clear();
    }

    private void carryOut(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.Scan scan -> spool.scan(scan, this::tell);
            case QmgrOrder.ReadRecipients read -> spool.read(read, this::tell);
            case QmgrOrder.FindRoute find -> network.find(find, this::tell);
            case QmgrOrder.Open open -> network.open(open, this::tell);
            case QmgrOrder.Deliver deliver -> network.deliver(deliver, this::tell);
            case QmgrOrder.Close close -> network.close(close, this::tell);
            case QmgrOrder.RecordOutcome record -> spool.record(record, this::tell);
            case QmgrOrder.Notify notify -> report(notify);
            case QmgrOrder.Defer defer -> spool.defer(defer, this::tell);
            case QmgrOrder.Remove remove -> spool.remove(remove, this::tell);
            case QmgrOrder.SetHold hold -> spool.hold(hold, this::tell);
            case QmgrOrder.MakeDue due -> spool.makeDue(due, this::tell);
            case QmgrOrder.Answered _,QmgrOrder.Verified _ -> {
                // The referee counts the answers.
            }
        }
    }

    // A report is a message of its own with the null sender; it enters the spool before the answer
    // is given.
    private void report(QmgrOrder.Notify notify) {
        if (chance.nextDouble() < scenario.house().reportFailures()) {
            clock.after(scenario.house().readMillis(),
                    alive(() -> tell(new QmgrEvent.Notified(notify.id(), notify.kind(), false))));
            return;
        }
        clock.after(scenario.house().readMillis(), alive(() -> {
            Fortune fortune = chance.nextDouble() < scenario.house().reportsUnwanted()
                    ? new Fortune.Never()
                    : new Fortune.Welcome();
            var sender = spool.rows.get(notify.id()).mail.sender().orElseThrow();
            arrives(new SimulatedMail(new QueueId(nextId++), clock.now(), Optional.empty(),
                    List.of(new Addressee(sender, fortune))));
            spool.reported(notify, this::tell);
        }));
    }

    // A task that began before a crash does not end after it.
    private Runnable alive(Runnable deed) {
        QueueManager asker = brain;
        return () -> {
            if (brain == asker) {
                deed.run();
            }
        };
    }
}
