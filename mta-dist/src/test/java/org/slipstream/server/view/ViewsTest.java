package org.slipstream.server.view;

import org.junit.jupiter.api.Test;
import org.slipstream.admin.operations.Operations.ConnectionsView;
import org.slipstream.admin.operations.Operations.DestinationView;
import org.slipstream.admin.operations.Operations.Status;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.qmgr.trace.DestinationFigures;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// The views of a server with as many destinations as one provider of mailings has.
class ViewsTest {
    private static final int DESTINATIONS = 80_000;
    private static final long NOW = 1_800_000_000_000L;

    @Test
    void theStatusHasTheBusiestDestinationsAndTheSumOfTheOthers() {
        List<DestinationView> all = new ArrayList<>();
        for (int i = 0; i < DESTINATIONS; i++) {
            all.add(new DestinationView("smtp", name(i), waiting(i), 0, 0, Optional.empty()));
        }
        List<DestinationView> shown = Views.busiest(all);
        assertThat(shown).hasSize(Views.MOST_DESTINATIONS + 1);
        assertThat(shown.getFirst().nextHop()).isEqualTo("d79999.example");
        assertThat(shown.getLast().nextHop()).isEqualTo("(others)");
        assertThat(shown.stream().mapToInt(DestinationView::waiting).sum()).isEqualTo(DESTINATIONS - 1 + 50);
        assertThat(Views.busiest(all.subList(0, Views.MOST_DESTINATIONS)))
                .hasSameElementsAs(all.subList(0, Views.MOST_DESTINATIONS));
        List<DestinationView> ofTwoShards = new ArrayList<>(shown);
        ofTwoShards.addFirst(shown.getLast());
        assertThat(Views.busiest(ofTwoShards)).as("of each shard the others are in the sum")
                .hasSize(Views.MOST_DESTINATIONS + 1).last().satisfies(others -> {
                    assertThat(others.nextHop()).isEqualTo("(others)");
                    assertThat(others.waiting()).isEqualTo(2 * (DESTINATIONS - Views.MOST_DESTINATIONS));
                });
    }

    /// `top` asks for it every two seconds, and a monitoring system keeps three series for each row.
    @Test
    void theLoadHasTheBusiestDestinationsAndTheSumOfTheOthers() {
        List<DestinationFigures> figures = new ArrayList<>();
        for (int i = 0; i < DESTINATIONS; i++) {
            figures.add(new DestinationFigures("smtp", name(i), new DestinationState.Dead(NOW + 1,
                    Reply.of(450, "4.4.1", "refused")), 0, 20, 0, 0, waiting(i), Optional.empty()));
        }
        Activity load = Views.activity(status(), figures, new MailCounters(NOW), NOW);
        assertThat(load.destinations()).hasSize(Views.MOST_DESTINATIONS + 1);
        assertThat(load.destinations().getFirst().nextHop()).isEqualTo("d79999.example");
        assertThat(load.destinations().getLast().nextHop()).isEqualTo("(others)");
        assertThat(load.destinations().stream().mapToInt(BusyDestination::waiting).sum())
                .isEqualTo(DESTINATIONS - 1 + 50);
    }

    private static String name(int number) {
        return "d" + number + ".example";
    }

    private static int waiting(int number) {
        return number == DESTINATIONS - 1 ? 50 : 1;
    }

    private static Status status() {
        return new Status("0.1", "mail.example", "2027-01-15T08:00:00Z", Optional.of(1L), Optional.of(0L),
                Optional.of(0L), 0, 0, 0, true, new ConnectionsView(100, 0, 0, 0, 75), List.of(), List.of(), List.of(),
                List.of());
    }
}
