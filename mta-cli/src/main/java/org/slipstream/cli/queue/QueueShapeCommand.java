package org.slipstream.cli.queue;

import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.admin.operations.ViewOperations.ShapePage;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MissingShards;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.text.Controls;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// `queue shape`: destinations or senders by the age of their waiting mail, as Postfix's `qshape`.
@Command(header = "Counts waiting mail by destination and age, as Postfix's qshape.",
        description = {
                "The columns are minutes: up to 5, up to 10, up to 20 and so on. A message for several destinations"
                        + " counts once for each. STATE marks destinations that are dead, suspended, or left alone.",
                "Works for a stopped server too: the command then reads the index itself."},
        exitCodeList = {Exit.DONE_TEXT, MissingShards.EXIT_TEXT, Exit.USAGE_TEXT, Exit.CANNOT_START_TEXT,
                Exit.CONFIGURATION_TEXT},
        footer = {"  mta queue shape", "  mta queue shape --by sender --rows 5",
                "  mta queue shape --json | jq '.rows[] | select(.state != \"\") | .name'"})
public final class QueueShapeCommand implements MtaAction {
    private static final String[] HEAD = {"T", "5", "10", "20", "40", "80", "160", "320", "640", "1280", "1280+",
            "HELD"};

    @Option(names = "--by", paramLabel = "WHAT", defaultValue = "destination",
            description = "destination, provider, or sender for the domains of senders (default: destination)")
    private String by;

    @Option(names = "--rows", paramLabel = "N", defaultValue = "20",
            description = "at most N rows, those with the most mail; 0: all (default: 20)")
    private int most;

    @Option(names = "--shard", paramLabel = "N",
            description = "only the mail of this shard; mta shard list shows them")
    private Optional<Integer> shard = Optional.empty();

    @Option(names = "--json", description = "as JSON: rows with name, ages, held, state, lastReply, lastAt")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) {
        ShapeBy what = switch (by) {
            case "destination" -> ShapeBy.DESTINATION;
            case "provider" -> ShapeBy.PROVIDER;
            case "sender" -> ShapeBy.SENDER;
            default -> throw new ParameterException(spec.commandLine(), "--by must be destination, provider or sender");
        };
        if (most < 0) {
            throw new ParameterException(spec.commandLine(), "--rows must be 0 or more");
        }
        List<String> faults = new ArrayList<>();
        List<ShapeRow> rows = rows(mta, what, faults);
        if (json) {
            mta.world().out().println(RecordJson.write(new ShapePage(shown(rows), Optional.empty(), faults)));
        } else if (rows.isEmpty()) {
            mta.world().out().println("the queue is empty");
        } else {
            lines(rows).forEach(mta.world().out()::println);
        }
        return MissingShards.tell(mta, faults);
    }

    private List<ShapeRow> rows(MtaCommand mta, ShapeBy what, List<String> faults) {
        Map<String, ShapeRow> merged = new TreeMap<>();
        try (AdminClient server = AdminClient.of(mta)) {
            PagedRequests
                    .of(server, "GET", "queue/shape", "&by=" + by + shard.map(number -> "&shard=" + number).orElse(""),
                            ShapePage.class, ShapePage::next)
                    .peek(page -> faults.addAll(page.faults())).flatMap(page -> page.rows().stream())
                    .forEach(row -> merged.merge(row.name(), row, ShapeRow::plus));
        } catch (CommandFailure stopped) {
            if (stopped.exit() != Exit.UNREACHABLE) {
                throw stopped;
            }
            merged.clear();
            SpoolShape.of(mta, what, shard).forEach(row -> merged.merge(row.name(), row, ShapeRow::plus));
        }
        return merged.values().stream().sorted(Comparator.comparingLong(ShapeRow::total).reversed()).toList();
    }

    private List<ShapeRow> shown(List<ShapeRow> rows) {
        return most == 0 ? rows : rows.subList(0, Math.min(most, rows.size()));
    }

    // ---- as text

    /// The sum of all rows first, as qshape prints it.
    private List<String> lines(List<ShapeRow> rows) {
        ShapeRow total = rows.stream().reduce(ShapeRow::plus).orElseThrow();
        List<List<String>> cells = new ArrayList<>();
        cells.add(List.of(HEAD));
        cells.add(numbers(total));
        shown(rows).forEach(row -> cells.add(numbers(row)));
        int[] widths = new int[HEAD.length];
        cells.forEach(line -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        });
        int name = Math.max(12, shown(rows).stream().mapToInt(row -> row.name().length()).max().orElse(0));
        List<String> lines = new ArrayList<>();
        lines.add(line(by.equals("sender") ? "SENDER" : "DESTINATION", name, cells.get(0), widths,
                by.equals("sender") ? "" : "STATE"));
        lines.add(line("TOTAL", name, cells.get(1), widths, ""));
        for (int i = 0; i < shown(rows).size(); i++) {
            ShapeRow row = shown(rows).get(i);
            lines.add(line(row.name(), name, cells.get(i + 2), widths, row.state()));
        }
        if (shown(rows).size() < rows.size()) {
            lines.add(rows.size() - shown(rows).size() + " more; --rows 0 shows all");
        }
        return lines;
    }

    private static List<String> numbers(ShapeRow row) {
        List<String> numbers = new ArrayList<>();
        numbers.add(Long.toString(row.total()));
        row.ages().forEach(age -> numbers.add(Long.toString(age)));
        numbers.add(Long.toString(row.held()));
        return numbers;
    }

    private static String line(String name, int width, List<String> numbers, int[] widths, String state) {
        StringBuilder line = new StringBuilder(name).repeat(' ', width - name.length());
        for (int i = 0; i < widths.length; i++) {
            line.repeat(' ', 1 + widths[i] - numbers.get(i).length() + (i == 0 ? 1 : 0)).append(numbers.get(i));
        }
        return Controls.replaced(line.append("  ").append(state).toString()).stripTrailing();
    }
}
