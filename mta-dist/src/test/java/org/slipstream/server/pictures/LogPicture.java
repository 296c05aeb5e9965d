package org.slipstream.server.pictures;

import org.slipstream.spool.log.LogRecord;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The message log and the queue index that follows it. The records are the sealed types of the
/// log, the tables those of the migrations, the threads those that the sources of the spool name.
final class LogPicture {
    private static final int WIDTH = 900;
    private static final int BOX = 230;
    private static final int LEFT = 26;
    private static final int MIDDLE = 335;
    private static final int RIGHT = 644;
    private static final int TOP = 60;
    private static final Pattern TABLE = Pattern.compile("(?m)^create table (\\w+)");

    private LogPicture() {}

    static String svg(Path root) throws IOException {
        Drawing drawing = new Drawing(WIDTH, "The message log is the truth, the queue index follows it");
        List<String> records = new ArrayList<>();
        add(LogRecord.class, records);
        double log = drawing.box(LEFT, TOP, BOX, "c0", "message log (segments)", records);
        double writer = drawing.box(MIDDLE, TOP, BOX, "box", "writer",
                List.of("thread " + thread(root, "LogWriter") + "…",
                        "appends records, syncs once", "for many clients; then 250"));
        double indexer = drawing.box(MIDDLE, TOP + 120, BOX, "box", "indexer",
                List.of("thread " + thread(root, "Indexer") + "…",
                        "applies records in order,", "seconds later, many at a time"));
        double readers = drawing.box(MIDDLE, TOP + 212, BOX, "box", "readers",
                List.of("threads " + thread(root, "ReaderThreads") + "…",
                        "scans, recipients, queue list"));
        double index = drawing.box(RIGHT, TOP + 120, BOX, "c1", "queue index (tables)", tables(root));
        drawing.arrow(MIDDLE, TOP + 40, LEFT + BOX, TOP + 40)
                .arrow(LEFT + BOX, TOP + 160, MIDDLE, TOP + 160).arrow(MIDDLE + BOX, TOP + 160, RIGHT, TOP + 160)
                .arrow(RIGHT, TOP + 240, MIDDLE + BOX, TOP + 240)
                .arrow(LEFT + BOX, TOP + 240, MIDDLE, TOP + 240);
        return drawing.svg(Math.max(log, Math.max(Math.max(writer, indexer), readers)),
                "A record that is applied twice leads to the same state, so an index"
                        + " that is older than the log is brought up by reading on.",
                "Records, tables and threads come from the code; the arrows are drawn by hand (docs/spool.md).");
    }

    private static void add(Class<?> family, List<String> records) {
        for (Class<?> each : family.getPermittedSubclasses()) {
            if (each.isSealed()) {
                add(each, records);
            } else {
                records.add(each.getSimpleName());
            }
        }
    }

    private static List<String> tables(Path root) throws IOException {
        String sql = Files.readString(root.resolve("mta-spool/src/main/resources/db/index.sql"));
        return TABLE.matcher(sql).results().map(table -> table.group(1)).sorted().toList();
    }

    private static String thread(Path root, String type) throws IOException {
        String source = Files
                .readString(root.resolve("mta-spool/src/main/java/org/slipstream/spool/work/" + type + ".java"));
        return Pattern.compile("\\.name\\(\"([a-z0-9-]+)\"").matcher(source).results().findFirst().orElseThrow()
                .group(1);
    }
}
