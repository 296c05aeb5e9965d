package org.slipstream.server.pictures;

import org.slipstream.picture.RunRecord;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.qmgr.place.Effects;
import org.slipstream.qmgr.place.HostState;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// The three ledgers of the queue manager: the window of a destination, the state of a host, the
/// connection. The names are those of the sealed types.
final class LedgersPicture {
    private static final int WIDTH = 900;
    private static final int BOX = 250;
    private static final int COLUMN = 300;
    private static final int LEFT = 26;
    private static final int TOP = 60;
    private static final int GAP = 54;

    private LedgersPicture() {}

    static String svg() {
        Drawing drawing = new Drawing(WIDTH, "Three ledgers: window, host, connection");
        double events = drawing.box(x(2), TOP, BOX, "box", "events of a connection",
                names(QmgrEvent.OfConnection.class));
        double results = drawing.box(x(0), TOP, BOX, "box", "how a delivery ended", names(Effects.Ended.class));
        double top = Math.max(events, results) + GAP;
        double window = drawing.box(x(0), top, BOX, "c0", "window of a destination", states(DestinationState.class,
                "how many deliveries at once", "per transport and next hop"));
        double host = drawing.box(x(1), top, BOX, "c1", "host", states(HostState.class, "whether and when it is tried",
                "per host name and port"));
        double connection = drawing.box(x(2), top, BOX, "c2", "connection", phases());
        drawing.arrow(x(0) + BOX / 2.0, results, x(0) + BOX / 2.0, top)
                .arrow(x(2) + BOX / 2.0, events, x(2) + BOX / 2.0, top)
                .arrow(x(2), TOP + 40, x(0) + BOX, TOP + 40)
                .arrow(x(2) + 40.0, events, x(2) + 40.0, top - GAP / 2.0, x(1) + BOX / 2.0, top - GAP / 2.0,
                        x(1) + BOX / 2.0, top)
                .centred(x(1) + BOX / 2.0, TOP + 30, "soft", "decided by the seating");
        return drawing.svg(Math.max(window, Math.max(host, connection)),
                "A failed attempt marks the host. The window of the destination shrinks only when no other host is left to try.",
                "States, events and results are sealed types, the phases of a connection those of the lab. The arrows are drawn by hand.");
    }

    private static double x(int column) {
        return LEFT + column * (double) COLUMN;
    }

    private static List<String> names(Class<?> family) {
        return Arrays.stream(family.getPermittedSubclasses()).map(Class::getSimpleName).toList();
    }

    private static List<String> states(Class<?> family, String... about) {
        List<String> lines = new ArrayList<>(List.of(about));
        names(family).forEach(name -> lines.add("• " + name));
        return lines;
    }

    private static List<String> phases() {
        List<String> lines = new ArrayList<>(List.of("what it does now", "per connection"));
        for (RunRecord.Phase phase : RunRecord.Phase.values()) {
            lines.add("• " + phase.name().charAt(0) + phase.name().substring(1).toLowerCase(Locale.ROOT));
        }
        return lines;
    }
}
