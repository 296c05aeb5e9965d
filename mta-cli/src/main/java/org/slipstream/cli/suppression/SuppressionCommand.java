package org.slipstream.cli.suppression;

import org.slipstream.admin.operations.SuppressionOperations.SuppressionPart;
import org.slipstream.admin.operations.SuppressionOperations.SuppressionView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.order.SuppressionVerb;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// `suppression`: addresses that get no mail. This class has the commands that show and those that take files,
/// [SuppressionOrderCommand] those that change single entries.
@Command(header = "Shows and changes the addresses that get no mail.",
        footer = {"  mta suppression list", "  mta suppression add bob@far.example --reason 'asked by phone'",
                "  mta suppression export > list.csv"})
public final class SuppressionCommand implements CommandGroup {
    private static final String HEAD = "recipient,from,cause,until,since,origin";

    private static Stream<SuppressionPart> parts(AdminClient server, String text) {
        return PagedRequests.of(server, "GET", "suppressions",
                text.isEmpty() ? "" : "&text=" + AdminClient.encoded(text),
                SuppressionPart.class, part -> part.next().map(AdminClient::encoded));
    }

    @Command(header = "Lists the addresses that get no mail, and why.",
            exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = {"  mta suppression list", "  mta suppression list far.example"})
    public static final class SuppressionListing implements MtaAction {
        @Parameters(paramLabel = "TEXT", arity = "0..1", description = "a part of the address")
        private String text = "";

        @Option(names = "--json", description = "as the server's JSON, one object for each part of the list")
        private boolean json;

        @Override
        public int run(MtaCommand mta) {
            try (AdminClient server = AdminClient.of(mta)) {
                if (json) {
                    parts(server, text).map(RecordJson::write)
                            .forEach(mta.world().out()::println);
                    return Exit.DONE;
                }
                Instant now = Instant.now();
                List<String> lines = new ArrayList<>();
                parts(server, text).forEach(part -> {
                    Table table = new Table("RECIPIENT", "FROM", "CAUSE", "SINCE", "FOR", "ORIGIN");
                    part.suppressions().forEach(each -> table.add(each.recipient(),
                            each.from().isEmpty() ? "all" : each.from(), each.cause(),
                            DisplayUnits.age(each.since(), now) + " ago",
                            each.until().isEmpty() ? "ever" : DisplayUnits.until(each.until(), now), each.origin()));
                    if (!part.suppressions().isEmpty()) {
                        table.lines().stream().skip(lines.isEmpty() ? 0 : 1).forEach(mta.world().out()::println);
                        lines.add("");
                    }
                });
                if (lines.isEmpty()) {
                    mta.world().out().println("no address is suppressed" + (text.isEmpty() ? "" : " with this text"));
                }
            }
            return Exit.DONE;
        }
    }

    @Command(header = "Writes the list as CSV, which import reads.",
            exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = "  mta suppression export > list.csv")
    public static final class SuppressionExport implements MtaAction {
        @Override
        public int run(MtaCommand mta) {
            try (AdminClient server = AdminClient.of(mta)) {
                mta.world().out().println(HEAD);
                parts(server, "").flatMap(part -> part.suppressions().stream()).map(SuppressionExport::line)
                        .forEach(mta.world().out()::println);
            }
            return Exit.DONE;
        }

        private static String line(SuppressionView each) {
            return String.join(",", each.recipient(), each.from(), each.cause(), each.until(), each.since(),
                    "\"" + each.origin().replace("\"", "\"\"") + "\"");
        }
    }

    @Command(header = "Adds the addresses of a file: one in a line, or the CSV of export.",
            description = "Columns after the address are optional: from, cause, until. Others are ignored.",
            footer = {"  mta suppression import list.csv", "  mta suppression import unsubscribed.txt"})
    public static final class SuppressionImport implements MtaAction {
        private static final int LONGEST_LINE = 2_000;
        private static final int SHOWN = 100;
        /// Lines with the same columns wait for each other, so that one request takes many.
        private static final int MOST_BATCHES = 16;

        @Parameters(paramLabel = "FILE", description = "UTF-8")
        private Path file;

        private record Batch(String from, String cause, String until) {
            String query(String reason, String recipients) {
                return "?recipients=" + AdminClient.encoded(recipients) + "&reason=" + AdminClient.encoded(reason)
                        + (from.isEmpty() ? "" : "&from=" + AdminClient.encoded(from))
                        + (cause.isEmpty() ? "" : "&cause=" + AdminClient.encoded(cause))
                        + (until.isEmpty() ? "" : "&until=" + AdminClient.encoded(until));
            }
        }

        @Override
        public int run(MtaCommand mta) {
            long sent = 0;
            Map<Batch, StringBuilder> waiting = new LinkedHashMap<>();
            try (AdminClient server = AdminClient.of(mta); BufferedReader lines = Files.newBufferedReader(file)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.isBlank() || line.startsWith("#") || line.equals(HEAD)) {
                        continue;
                    }
                    List<String> cells = cells(line, sent);
                    Batch batch = new Batch(cell(cells, 1), cell(cells, 2), cell(cells, 3));
                    StringBuilder recipients = waiting.computeIfAbsent(batch, _ -> new StringBuilder());
                    if (AdminClient.encoded(recipients + cells.getFirst()).length() >= SuppressionVerb.MOST_OCTETS) {
                        sent += send(server, batch, recipients.toString());
                        recipients.setLength(0);
                    }
                    recipients.append(recipients.isEmpty() ? "" : " ").append(cells.getFirst());
                    if (waiting.size() > MOST_BATCHES) {
                        sent += sendAll(server, waiting);
                    }
                }
                sent += sendAll(server, waiting);
            } catch (IOException unreadable) {
                throw new CommandFailure(Exit.USAGE, "mta: " + file + " cannot be read as UTF-8: " + unreadable
                        + "; " + sent + " addresses were added", unreadable);
            }
            mta.world().out().println(sent + " addresses are suppressed");
            return Exit.DONE;
        }

        private List<String> cells(String line, long sent) {
            List<String> cells = Arrays.stream(line.split(",", -1)).map(String::strip).toList();
            if (line.length() > LONGEST_LINE || cells.getFirst().isEmpty() || cells.getFirst().contains(" ")) {
                throw new CommandFailure(Exit.USAGE, "mta: a line of " + file + " does not begin with an address or a"
                        + " domain, or has more than " + LONGEST_LINE + " characters: \""
                        + line.substring(0, Math.min(line.length(), SHOWN)) + "\"; " + sent
                        + " addresses were added");
            }
            return cells;
        }

        private long sendAll(AdminClient server, Map<Batch, StringBuilder> waiting) {
            long sent = 0;
            for (Map.Entry<Batch, StringBuilder> each : waiting.entrySet()) {
                sent += send(server, each.getKey(), each.getValue().toString());
            }
            waiting.clear();
            return sent;
        }

        private static String cell(List<String> cells, int at) {
            return at < cells.size() ? cells.get(at) : "";
        }

        private long send(AdminClient server, Batch batch, String recipients) {
            String body = server.ask("POST", "suppressions/add"
                    + batch.query("import of " + file.getFileName(), recipients)).orElseThrow();
            return RecordJson.read(body, SuppressionOrderCommand.Done.class).recipients()
                    .size();
        }
    }
}
