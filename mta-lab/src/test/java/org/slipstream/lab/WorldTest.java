package org.slipstream.lab;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario.Addressee;
import org.slipstream.lab.Scenario.Fortune;
import org.slipstream.lab.Scenario.Outage;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedPlace;
import org.slipstream.lab.World.Fate;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// One world told by hand, and a referee who sees what is wrong.
class WorldTest {
    private static final QueueId ID = new QueueId(1);

    private static Scenario scenario(Fortune fortune, List<Outage> outages, List<Long> crashes) {
        Route route = new Route.Smtp("far.example", List.of(new Route.Host("mx.far.example", 25, 10)));
        SimulatedPlace far = new SimulatedPlace("far.example", route, 0, false, 100, 1_000, outages, Integer.MAX_VALUE,
                0,
                Long.MAX_VALUE);
        SimulatedPlace home = new SimulatedPlace("here.example", new Route.Local("here.example"), 0, false, 0, 1,
                List.of(),
                Integer.MAX_VALUE, 0, Long.MAX_VALUE);
        SimulatedMail mail = new SimulatedMail(ID, 0, Optional.of(Address.of("s@here.example")),
                List.of(new Addressee(Address.of("a@far.example"), fortune)));
        return new Scenario(1, QmgrConfig.defaults(), false, List.of(mail), List.of(far, home),
                new OwnServer(5, 1, 10, 0, 0), List.of(), crashes);
    }

    @Test
    void aMessageTakesTheTimeOfItsWay() {
        List<String> lines = new ArrayList<>();
        World world = new World(scenario(new Fortune.Welcome(), List.of(), List.of())).transcribe(lines::add).run();

        assertThat(world.fates(ID)).containsExactly(Fate.DELIVERED);
        // read 1, route 10, connect 100, deliver 1000
        assertThat(lines).anyMatch(line -> line.startsWith("1111 DeliveryDone"));
    }

    @Test
    void afterAnOutageOfTenMinutesTheMessageArrivesAtTheThirdAttempt() {
        World world = new World(scenario(new Fortune.Welcome(), List.of(new Outage(0, 600_000)), List.of())).run();

        assertThat(world.fates(ID)).containsExactly(Fate.DELIVERED);
        assertThat(world.nowMillis()).isBetween(600_000L, 700_000L);
    }

    @Test
    void aCrashBetweenDeliveryAndRecordDeliversTwiceAndLosesNothing() {
        World world = new World(scenario(new Fortune.Welcome(), List.of(), List.of(1_113L))).run();

        assertThat(world.fates(ID)).containsExactly(Fate.DELIVERED);
        assertThat(world.copies(ID, 1)).isEqualTo(2);
    }

    @Test
    void aRefusedMessageComesBackAsAReportThatIsDeliveredItself() {
        World world = new World(scenario(new Fortune.Refused(), List.of(), List.of())).run();

        assertThat(world.fates(ID)).containsExactly(Fate.REPORTED);
        assertThat(world.reasons()).containsEntry(ID, "bounced").hasSize(2);
    }

    @Test
    void anEventThatCannotHappenStopsTheSimulationWithTheState() {
        Witness liar = new Witness() {
            @Override
            public void happened(long nowMillis, QmgrEvent event) {
                if (event instanceof QmgrEvent.ConnectionReady) {
                    throw new ImpossibleEventException("nobody asked for " + event, ID);
                }
            }
        };
        World world = new World(scenario(new Fortune.Welcome(), List.of(), List.of()), liar);

        assertThatThrownBy(world::run).isInstanceOf(SimulationStoppedException.class)
                .hasMessageContaining("an event that cannot happen: nobody asked for ConnectionReady[connection=1]")
                .hasMessageContaining("at 111 ms").hasMessageContaining("queue=" + ID + " waiting=0 running=1")
                .hasMessageContaining("to=smtp/far.example waiting=0 running=1 connections=1");
    }

    @Test
    void theRefereeSeesWhatMustNotBe() {
        Referee referee = new Referee(QmgrConfig.defaults(), PlaceRules.defaults());
        Clockwork clock = new Clockwork();
        Scenario scenario = scenario(new Fortune.Welcome(), List.of(), List.of());
        SimulatedSpool spool = new SimulatedSpool(clock, scenario.house(), referee);
        referee.watch(spool, new SimulatedNetwork(scenario, clock, new java.util.Random(1)));
        spool.commit(scenario.mails().getFirst());

        assertThatThrownBy(() -> referee.removed(spool.rows.get(ID), "sent")).hasMessageContaining("open recipients");
        assertThatThrownBy(() -> referee.ordered(new QmgrOrder.Defer(ID, 1), 0)).hasMessageContaining("off the curve");
        assertThatThrownBy(() -> referee.ordered(new QmgrOrder.Remove(ID, "sent"), 0))
                .hasMessageContaining("filed twice");
    }
}
