package org.slipstream.qmgr.message;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.TransitionTable;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.sched.ServiceRules;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/// The table of transitions in the class comment of [Activation], cell by cell.
class ActivationTest {
    private static final QueueId ID = new QueueId(1L << 20);
    private static final Recipient RECIPIENT = new Recipient(1, Address.of("r@example.com"));
    private static final QmgrEvent.Notified TOLD = new QmgrEvent.Notified(new QmgrOrder.Notify(ID, ReportKind.FAILED),
            true);

    /// A message that the scheduler has no recipients of.
    ///
    /// @param recording an outcome waits for the spool
    private static Activation activation(boolean recording) {
        Activation message = activation(0);
        if (recording) {
            record(message);
        }
        return message;
    }

    private static Activation activation(int open) {
        Scheduler scheduler = new Scheduler(100, 10, 50, _ -> ServiceRules.defaults(), OrderPolicy.PREEMPTIVE,
                QmgrTrace.SILENT);
        Activation message = new Activation(
                new MessageSummary(ID, Optional.empty(), 0, 1, 1, open, 0, 0, false, false),
                scheduler.admit(ID, 0, 1, open), 0);
        message.routeRequested("example.com", 0);
        return message;
    }

    private static Activation after(Activation message, List<Consumer<Activation>> calls) {
        calls.forEach(call -> call.accept(message));
        return message;
    }

    private static final Consumer<Activation> REPORT = message -> message.report(ReportKind.FAILED);
    private static final Consumer<Activation> HOLD = message -> message.order(new MessageOrder.Hold("", ""));

    private static void record(Activation message) {
        message.record(List.of(RECIPIENT),
                List.of(new RecipientOutcome(1, new Outcome.Deferred(Reply.of(450, "4.2.1", "later"), "host"))), true,
                RetryBounds.NONE, 0);
    }

    /// Ways into each state.
    private static final Map<String, List<Supplier<Activation>>> STATES = Map.of("Open",
            List.of(() -> activation(false)), "Leaving",
            List.of(() -> after(activation(false), List.of(HOLD)),
                    () -> after(activation(false), List.of(Activation::damage))),
            "Reporting",
            List.of(() -> after(activation(false), List.of(REPORT)),
                    () -> after(activation(false), List.of(HOLD, REPORT)),
                    () -> after(activation(false), List.of(REPORT, HOLD))),
            "Left",
            List.of(() -> after(activation(false), List.of(Activation::leave)),
                    () -> after(activation(false), List.of(HOLD, Activation::leave))));

    private static final Map<String, List<Consumer<Activation>>> CALLS = Map.of("progress",
            List.of(message -> message.read(1), message -> message.routeAnswered("example.com"), ActivationTest::record,
                    ActivationTest::recordAndConfirm, Activation::leaveOpen),
            "route",
            List.of(message -> message.routeRequested("example.com", 0),
                    message -> message.addRouted(RECIPIENT, new Route.Local("example.com"))),
            "order", List.of(HOLD), "damage", List.of(Activation::damage), "report", List.of(REPORT), "reportAnswered",
            List.of(message -> message.reportAnswered(TOLD)), "leave", List.of(Activation::leave));

    private static void recordAndConfirm(Activation message) {
        record(message);
        message.recorded();
    }

    @Test
    void theTableHasARowForEachStateAndAColumnForEachCall() throws IOException {
        assertThat(TransitionTable.of(Activation.class).keySet()).isEqualTo(STATES.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Activation.ActivationState.values()).map(ActivationTest::name).toList());
        assertThat(TransitionTable.of(Activation.class).values())
                .allSatisfy(row -> assertThat(row.keySet()).isEqualTo(CALLS.keySet()));
    }

    @TestFactory
    Stream<DynamicTest> eachCellIsWhatHappens() throws IOException {
        return TransitionTable.of(Activation.class).entrySet().stream()
                .flatMap(row -> row.getValue().entrySet().stream().map(cell -> dynamicTest(
                        row.getKey() + ", " + cell.getKey() + ": " + cell.getValue(),
                        () -> walk(row.getKey(), CALLS.get(cell.getKey()), cell.getValue()))));
    }

    private static void walk(String from, List<Consumer<Activation>> calls, String written) {
        for (Consumer<Activation> call : calls) {
            Set<String> results = new TreeSet<>();
            for (Supplier<Activation> way : STATES.get(from)) {
                Activation message = way.get();
                assertThat(name(message.state())).isEqualTo(from);
                results.add(result(message, call));
            }
            assertThat(results).isEqualTo(new TreeSet<>(Arrays.asList(written.split(" or "))));
        }
    }

    private static String result(Activation message, Consumer<Activation> call) {
        Activation.ActivationState before = message.state();
        try {
            call.accept(message);
        } catch (IllegalStateException | ImpossibleEventException _) {
            assertThat(message.state()).as("a refused call changes nothing").isEqualTo(before);
            return "refused";
        }
        return name(message.state());
    }

    private static String name(Activation.ActivationState state) {
        return state.name().charAt(0) + state.name().substring(1).toLowerCase(Locale.ROOT);
    }

    @Test
    void nothingIsReportedOrLeftWhileRecipientsAreReadOrAnOutcomeIsRecorded() {
        for (Activation busy : List.of(activation(1), activation(true))) {
            assertThatThrownBy(() -> REPORT.accept(busy)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(busy::leave).isInstanceOf(IllegalStateException.class);
            assertThat(name(busy.state())).isEqualTo("Open");
        }
    }

    @Test
    void eachKindOfReportComesOnceWhateverBecameOfIt() {
        Activation message = after(activation(false), List.of(REPORT));
        message.reportAnswered(new QmgrEvent.Notified(new QmgrOrder.Notify(ID, ReportKind.FAILED), false));
        assertThat(message.isReported()).isFalse();
        assertThatThrownBy(() -> REPORT.accept(message)).isInstanceOf(IllegalStateException.class);
        message.report(ReportKind.DELAYED);
        assertThatThrownBy(() -> message.reportAnswered(TOLD)).isInstanceOf(ImpossibleEventException.class);
        assertThat(message.isReporting()).isTrue();
    }

    @Test
    void anAnswerWithoutAnUnconfirmedOutcomeIsImpossible() {
        Activation message = activation(true);
        message.recorded();
        assertThatThrownBy(message::recorded).isInstanceOf(ImpossibleEventException.class)
                .hasMessageContaining("has no unconfirmed outcome");
    }
}
