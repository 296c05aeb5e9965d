package org.slipstream.lab;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario.Outage;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.lab.World.FinalState;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A world with one message, and violations that the invariants detect.
class WorldTest {
    private static final QueueId ID = new QueueId(1);

    private static Scenario scenario(ReplyScript fortune, List<Outage> outages, List<Long> crashes) {
        Route route = new Route.Smtp("far.example", List.of(new Route.Host("mx.far.example", 25, 10)));
        SimulatedDomain far = new SimulatedDomain("far.example", route, 0, false, 100, 1_000, outages,
                Integer.MAX_VALUE,
                0,
                Long.MAX_VALUE);
        SimulatedDomain home = new SimulatedDomain("here.example", new Route.Local("here.example"), 0, false, 0, 1,
                List.of(),
                Integer.MAX_VALUE, 0, Long.MAX_VALUE);
        SimulatedMail mail = new SimulatedMail(ID, 0, Optional.of(Address.of("s@here.example")),
                List.of(new SimulatedRecipient(Address.of("a@far.example"), fortune)));
        return new Scenario(1, QmgrConfig.defaults(), false, List.of(mail), List.of(far, home),
                new OwnServer(5, 1, 10, 0, 0), List.of(), crashes);
    }

    @Test
    void aMessageTakesTheTimeOfItsSteps() {
        List<String> lines = new ArrayList<>();
        World world = new World(scenario(new ReplyScript.Welcome(), List.of(), List.of())).transcribe(lines::add).run();

        assertThat(world.states(ID)).containsExactly(FinalState.DELIVERED);
        // read 1, route 10, connect 100, deliver 1000
        assertThat(lines).anyMatch(line -> line.startsWith("1111 DeliveryDone"));
    }

    @Test
    void afterAnOutageOfTenMinutesTheMessageArrivesAtTheThirdAttempt() {
        World world = new World(scenario(new ReplyScript.Welcome(), List.of(new Outage(0, 600_000)), List.of())).run();

        assertThat(world.states(ID)).containsExactly(FinalState.DELIVERED);
        assertThat(world.nowMillis()).isBetween(600_000L, 700_000L);
    }

    @Test
    void aCrashBetweenDeliveryAndRecordDeliversTwiceAndLosesNothing() {
        World world = new World(scenario(new ReplyScript.Welcome(), List.of(), List.of(1_113L))).run();

        assertThat(world.states(ID)).containsExactly(FinalState.DELIVERED);
        assertThat(world.copies(ID, 1)).isEqualTo(2);
    }

    @Test
    void aRefusedMessageComesBackAsAReportThatIsDeliveredItself() {
        World world = new World(scenario(new ReplyScript.Refused(), List.of(), List.of())).run();

        assertThat(world.states(ID)).containsExactly(FinalState.REPORTED);
        assertThat(world.reasons()).containsEntry(ID, "bounced").hasSize(2);
    }

    @Test
    void anEventThatCannotHappenStopsTheSimulationWithTheState() {
        WorldObserver broken = new WorldObserver() {
            @Override
            public void happened(long nowMillis, QmgrEvent event) {
                if (event instanceof QmgrEvent.ConnectionReady) {
                    throw new ImpossibleEventException("no connection was opened for " + event, ID);
                }
            }
        };
        World world = new World(scenario(new ReplyScript.Welcome(), List.of(), List.of()), broken);

        assertThatThrownBy(world::run).isInstanceOf(SimulationStoppedException.class)
                .hasMessageContaining(
                        "an event that cannot happen: no connection was opened for ConnectionReady[connection=1]")
                .hasMessageContaining("at 111 ms").hasMessageContaining("queue=" + ID + " waiting=0 running=1")
                .hasMessageContaining("to=smtp/far.example waiting=0 running=1 connections=1");
    }

    @Test
    void theInvariantsDetectViolations() {
        InvariantChecker invariants = new InvariantChecker(QmgrConfig.defaults(), PlaceRules.defaults());
        EventList clock = new EventList();
        Scenario scenario = scenario(new ReplyScript.Welcome(), List.of(), List.of());
        SimulatedSpool spool = new SimulatedSpool(clock, scenario.ownServer(),
                new SimulatedLog(clock, 1, ShardCosts.NONE, new SimulatedStation(clock, 1)), invariants);
        Random chance = new Random(1);
        ReceivingSide receivers = new ReceivingSide(scenario, clock, chance);
        invariants.attach(spool, new SimulatedNetwork(scenario, receivers, clock, chance),
                new ConnectionLimits(scenario, receivers));
        spool.commit(scenario.mails().getFirst());

        assertThatThrownBy(() -> invariants.removed(spool.rows.get(ID), "sent"))
                .hasMessageContaining("open recipients");
        assertThatThrownBy(() -> invariants.ordered(new QmgrOrder.Defer(ID, 1), 0))
                .hasMessageContaining("wrong backoff");
        assertThatThrownBy(() -> invariants.ordered(new QmgrOrder.Remove(ID, "sent"), 0))
                .hasMessageContaining("filed twice");
    }
}
