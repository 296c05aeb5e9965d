package org.slipstream.qmgr.place;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.TransitionTable;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.slipstream.qmgr.place.Yard.to;

/// The table of transitions in the class comment of [Connections], cell by cell.
class ConnectionStatesTest {
    private static final long FIRST = 1;

    private static Yard opening() {
        Yard yard = new Yard(PlaceRules.defaults());
        yard.seat(1, to("a"));
        return yard;
    }

    private static Yard busy(int deliveries) {
        Yard yard = opening();
        yard.ready(FIRST);
        for (int i = 1; i < deliveries; i++) {
            yard.seat(1, to("a"));
        }
        return yard;
    }

    private static Yard idle() {
        Yard yard = busy(1);
        yard.answer(FIRST, 1);
        return yard;
    }

    private static Yard gone() {
        Yard yard = opening();
        yard.fragile = true;
        yard.refuse(FIRST);
        return yard;
    }

    /// Ways into each state.
    private static final Map<String, List<Supplier<Yard>>> STATES = Map.of("Opening",
            List.of(ConnectionStatesTest::opening), "Busy", List.of(() -> busy(1), () -> busy(2)), "Idle",
            List.of(ConnectionStatesTest::idle), "Gone", List.of(ConnectionStatesTest::gone));

    /// Each call, in the forms that may have different results.
    private static final Map<String, List<Consumer<Yard>>> CALLS = Map.of("ready",
            List.of(yard -> event(yard, new QmgrEvent.ConnectionReady(FIRST))), "failed",
            List.of(yard -> event(yard, new QmgrEvent.ConnectionFailed(FIRST, Yard.REFUSED, "mx"))), "answered",
            List.of(yard -> answered(yard, true), yard -> answered(yard, false)), "returned",
            List.of(yard -> event(yard, new QmgrEvent.DeliveryDone(
                    new DeliveryResult.Unanswered(1, FIRST, Yard.RESET, "mx", false)))),
            "lost", List.of(yard -> event(yard, new QmgrEvent.ConnectionLost(FIRST, "gone"))), "queue",
            List.of(yard -> take(yard, new Seat.Queue(FIRST, Yard.host("a"), "", List.of()))), "reuse",
            List.of(yard -> take(yard, new Seat.Reuse(FIRST, Yard.host("a"), List.of()))), "evict",
            List.of(yard -> take(yard, new Seat.Open(Yard.host("b"), OptionalLong.of(FIRST), "", List.of()))));

    private static void event(Yard yard, QmgrEvent.OfConnection event) {
        yard.connections.handle(event, yard.now, yard);
    }

    private static void answered(Yard yard, boolean usable) {
        event(yard, new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(1, FIRST,
                List.of(new RecipientOutcome(1, Outcome.of(Yard.OK, "mx"))), usable)));
    }

    private static void take(Yard yard, Seat seat) {
        yard.connections.seat(seat, new Assignment(99, new QueueId(99), Yard.message(2), to("a"),
                List.of(new Recipient(1, Address.of("r@d.example")))), yard.now, yard);
    }

    private static String state(Yard yard) {
        return StreamSupport.stream(yard.connections.open().all().spliterator(), false)
                .filter(connection -> connection.number == FIRST).findFirst()
                .map(connection -> connection.isIdle() ? "Idle" : connection.up ? "Busy" : "Opening").orElse("Gone");
    }

    @Test
    void theTableHasARowForEachStateAndAColumnForEachCall() throws IOException {
        assertThat(TransitionTable.of(Connections.class).keySet()).isEqualTo(STATES.keySet());
        assertThat(TransitionTable.of(Connections.class).values())
                .allSatisfy(row -> assertThat(row.keySet()).isEqualTo(CALLS.keySet()));
    }

    @TestFactory
    Stream<DynamicTest> eachCellIsWhatHappens() throws IOException {
        return TransitionTable.of(Connections.class).entrySet().stream()
                .flatMap(row -> row.getValue().entrySet().stream().map(cell -> dynamicTest(
                        row.getKey() + ", " + cell.getKey() + ": " + cell.getValue(),
                        () -> walk(row.getKey(), cell.getKey(), cell.getValue()))));
    }

    private static void walk(String from, String call, String written) {
        Set<String> results = new TreeSet<>();
        for (Supplier<Yard> way : STATES.get(from)) {
            for (Consumer<Yard> form : CALLS.get(call)) {
                Yard yard = way.get();
                assertThat(state(yard)).isEqualTo(from);
                results.add(result(yard, form));
            }
        }
        assertThat(results).isEqualTo(new TreeSet<>(Arrays.asList(written.split(" or "))));
    }

    private static String result(Yard yard, Consumer<Yard> call) {
        String before = state(yard);
        List<String> orders = List.copyOf(yard.log);
        try {
            call.accept(yard);
        } catch (IllegalStateException | ImpossibleEventException _) {
            assertThat(state(yard)).as("a refused call changes nothing").isEqualTo(before);
            assertThat(yard.log).isEqualTo(orders);
            return "refused";
        }
        if (before.equals("Gone")) {
            assertThat(yard.log).as("a late event orders nothing").isEqualTo(orders);
        }
        return state(yard);
    }
}
