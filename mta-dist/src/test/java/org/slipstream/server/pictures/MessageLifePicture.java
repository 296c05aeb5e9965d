package org.slipstream.server.pictures;

import org.slipstream.core.queue.QueuePhase;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The life of a message in the queue: the phases that `queue list` shows, in the groups of
/// [QueuePhase.Code], and the events and orders that lead from one group to the next.
final class MessageLifePicture {
    private static final int WIDTH = 1140;
    private static final int TOP = 140;
    private static final int BOX = 176;
    private static final int COLUMN = 296;
    private static final int LEFT = 36;

    private MessageLifePicture() {}

    static String svg(Path root) throws IOException {
        Map<String, List<String>> groups = groups(root);
        Drawing drawing = new Drawing(WIDTH, "The life of a message in the queue");
        double[] bottoms = new double[groups.size()];
        int column = 0;
        for (var group : groups.entrySet()) {
            bottoms[column] = drawing.box(LEFT + column * (double) COLUMN, TOP, BOX, "c" + column,
                    group.getKey(), group.getValue());
            column++;
        }
        double low = Math.max(bottoms[0], Math.max(bottoms[1], bottoms[3])) + 60;
        double lower = Math.max(low, bottoms[2]) + 46;
        forth(drawing, 0, BOX, List.of(name(QmgrOrder.Scan.class), name(QmgrEvent.ScanDone.class)));
        forth(drawing, 1, BOX, List.of(name(QmgrOrder.Open.class), name(QmgrOrder.Deliver.class)));
        forth(drawing, 2, BOX, List.of(name(QmgrEvent.DeliveryDone.class)));
        double in = LEFT + COLUMN + 80.0;
        drawing.centred(in, 82, "", name(QmgrEvent.MessageQueued.class) + " (250 sent to the client)").arrow(in, 92, in,
                TOP);
        double out = LEFT + 3 * COLUMN + BOX / 2.0;
        drawing.centred(out, 82, "", name(QmgrOrder.Remove.class)).arrow(out, TOP, out, 92);
        double first = LEFT + BOX / 2.0;
        double last = LEFT + 3 * COLUMN + 100.0;
        drawing.arrow(last, bottoms[3], last, lower, first, lower, first, bottoms[0]).centred(
                (first + last) / 2, lower - 6, "", name(QmgrOrder.Defer.class) + ": the next attempt comes later");
        double back = LEFT + COLUMN + 80.0;
        double from = LEFT + 3 * COLUMN + 40.0;
        double middle = bottoms[2] + 18;
        drawing.arrow(from, bottoms[3], from, middle, back, middle, back, bottoms[1])
                .centred((back + from) / 2, middle - 5, "",
                        name(QmgrEvent.OutcomeRecorded.class) + ": more recipients wait");
        return drawing.svg(lower,
                "The groups and their phases are those of QueuePhase.Code;"
                        + " the words on the arrows are events and orders of the queue manager.",
                "Which arrow leads where is drawn by hand, as in docs/flow.md. A report ("
                        + name(QmgrOrder.Notify.class)
                        + ") is a message of its own.");
    }

    private static void forth(Drawing drawing, int column, int wide, List<String> words) {
        double x = LEFT + column * (double) COLUMN + wide;
        double next = LEFT + (column + 1.0) * COLUMN;
        double y = TOP + 60;
        for (String word : words) {
            drawing.centred((x + next) / 2, y - 8 - Drawing.LINE * (words.size() - 1 - words.indexOf(word)), "soft",
                    word);
        }
        drawing.arrow(x, y, next, y);
    }

    private static String name(Class<?> type) {
        return type.getSimpleName();
    }

    /// The codes under the headings of the source.
    private static Map<String, List<String>> groups(Path root) throws IOException {
        String source = Files
                .readString(root.resolve("mta-core/src/main/java/org/slipstream/core/queue/QueuePhase.java"));
        Map<String, List<String>> groups = new LinkedHashMap<>();
        List<QueuePhase.Code> left = new ArrayList<>(List.of(QueuePhase.Code.values()));
        List<String> parts = List.of(source.substring(source.indexOf("public enum Code {")).split("// ---- "));
        for (String part : parts.subList(1, parts.size())) {
            List<String> words = new ArrayList<>();
            while (!left.isEmpty() && part.matches("(?s).*\\s" + left.getFirst().name() + "[(,;].*")) {
                words.add(left.removeFirst().word());
            }
            groups.put(part.lines().findFirst().orElseThrow().replace("active, nothing under way",
                    "active, not under way"), words);
        }
        return groups;
    }
}
