package org.slipstream.lab.study;

import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.scenario.BundledScenarios;
import org.slipstream.lab.scenario.ScenarioFile;
import org.slipstream.lab.scenario.ScenarioReader;
import org.slipstream.lab.scenario.ScenarioReader.Reading;
import org.slipstream.lab.scenario.ScenarioRunner;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.function.Consumer;

/// The order of service against its bounds: the inflation of a mailing under a flood of single messages
/// beside k/(k−1), and the mean time of a message beside the least that any order can reach.
///
/// The least is that of a clairvoyant: it knows the size of each message and always serves the one with
/// the least work left. With one connection and entries of equal length, no order has a smaller mean
/// (Schrage 1968).
public final class OrderStudy {
    /// For the command line.
    public static final String NAME = "order";
    private static final long ENTRY_MILLIS = 1_000;
    private static final int FLOODED = 60;
    private static final List<String> LOADS = List.of("ten-two-two", "twenty-and-singles", "pair-and-single");
    private static final List<String> TITLES = List.of("", "mean time of a message, as a multiple of the clairvoyant's",
            "load                clairvoyant, s  preemptive   fifo  round-robin");
    private static final List<String> ORDERS = List.of("preemptive", "fifo", "round-robin");

    /// A message as the clairvoyant sees it.
    private static final class SizedMessage {
        final long arrivalMillis;
        long leftMillis;

        SizedMessage(long arrivalMillis, long workMillis) {
            this.arrivalMillis = arrivalMillis;
            this.leftMillis = workMillis;
        }
    }

    private OrderStudy() {}

    /// @param progress receives the position before each run
    public static List<String> lines(Consumer<String> progress) {
        List<String> lines = new ArrayList<>(List.of("order: The order of service against its bounds", "",
                "a mailing of " + FLOODED + " entries under a flood of single messages",
                "  k  k/(k-1)  (k+1)/k  inflation"));
        for (int cost : List.of(2, 3, 5, 10)) {
            progress.accept("study order, slot cost " + cost);
            lines.add(String.format(Locale.ROOT, "%3d  %7.3f  %7.3f  %9.3f", cost, cost / (cost - 1.0),
                    (cost + 1.0) / cost, flooded(cost)));
        }
        lines.addAll(TITLES);
        LOADS.forEach(name -> lines.add(row(name, BundledScenarios.find(name).orElseThrow(), ENTRY_MILLIS, progress)));
        for (long seed = 1; seed <= 3; seed++) {
            lines.add(row("mixed, seed " + seed, mixed(seed), ENTRY_MILLIS, progress));
        }
        RecordedLoad recorded = RecordedLoad.bundled();
        lines.add(row("the lab's minutes", recorded, progress));
        lines.addAll(List.of("",
                "One connection, and one second for each entry. The flood has one message a second, and slots have",
                "no loan, no discount and no minimum. The mixed loads have 30 messages of 1 to 64 entries, whose",
                "sizes double with equal chance, and use three quarters of the connection. The lab's minutes are",
                "mail of its simulated day, of no real server: " + recorded + ";",
                "an entry takes " + recorded.entryMillis() + " ms, for three quarters."));
        return lines;
    }

    /// The orders with the mail of a journal.
    ///
    /// @param progress receives the position before each run
    public static List<String> lines(RecordedLoad load, Consumer<String> progress) {
        List<String> lines = new ArrayList<>(TITLES.subList(1, TITLES.size()));
        lines.add(row("the journal", load, progress));
        lines.addAll(List.of("", "The journal has " + load + ".",
                "One connection, and " + load.entryMillis()
                        + " ms for each entry, so that it is used for three quarters."
                        + " Settings are the defaults."));
        lines.addAll(load.remarks());
        return lines;
    }

    /// The time of the mailing in the flood, divided by its time alone.
    private static double flooded(int cost) {
        ScenarioFile file = file("flood", """
                title = "A flood"
                [transport]
                lanes = 1
                recipients-per-delivery = 1
                delivery-slot-loan = 0
                delivery-slot-discount = 0
                minimum-delivery-slots = 0
                [[messages]]
                name = "mailing"
                to = { "a.example" = %d }
                [[messages]]
                name = "single"
                every = "1s"
                count = 80
                to = { "b.example" = 1 }
                """.formatted(FLOODED), "delivery-slot-cost=" + cost);
        return millis(file).getFirst() / (double) (FLOODED * ENTRY_MILLIS);
    }

    private static String mixed(long seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder("""
                title = "A mixed load"
                [transport]
                lanes = 1
                recipients-per-delivery = 1
                """);
        int at = 0;
        for (int i = 0; i < 30; i++) {
            int entries = 1 << random.nextInt(7);
            text.append("[[messages]]\nat = \"").append(at).append("s\"\nto = { \"d").append(i).append(".example\" = ")
                    .append(entries).append(" }\n");
            at += random.nextInt(2 * entries * 4 / 3 + 1);
        }
        return text.toString();
    }

    private static String row(String name, RecordedLoad load, Consumer<String> progress) {
        return row(name, load.toml(), load.entryMillis(), progress);
    }

    private static String row(String name, String text, long entryMillis, Consumer<String> progress) {
        StringBuilder line = new StringBuilder();
        double least = 0;
        for (String order : ORDERS) {
            progress.accept("study order, " + name + ", " + order);
            ScenarioFile file = file(name, text, "order=" + order);
            if (line.isEmpty()) {
                least = mean(clairvoyant(file, entryMillis));
                line.append(String.format(Locale.ROOT, "%-18s  %14.1f", name, least / 1_000));
            }
            line.append(String.format(Locale.ROOT, "%" + Math.max(7, order.length() + 2) + ".2f",
                    mean(millis(file)) / least));
        }
        return line.toString();
    }

    private static ScenarioFile file(String name, String text, String change) {
        return switch (ScenarioReader.read(name, text, List.of(change))) {
            case Reading.Good(ScenarioFile file) -> file;
            case Reading.Bad(String sentence) -> throw new IllegalStateException(sentence);
        };
    }

    /// The time of each message from its arrival to its last delivery.
    private static List<Long> millis(ScenarioFile file) {
        var record = ScenarioRunner.record(file);
        return file.scenario().mails().stream().map(
                mail -> record.messages().get(mail.id()).lastMillis().orElseThrow() - mail.arrivalMillis()).toList();
    }

    /// The same for an order that knows all sizes and serves the message with the least work left. It may change
    /// the message in the middle of an entry, so no order of whole entries has a smaller mean.
    static List<Long> clairvoyant(ScenarioFile file, long entryMillis) {
        List<SimulatedMail> coming = file.scenario().mails().stream()
                .sorted(Comparator.comparingLong(SimulatedMail::arrivalMillis)).toList();
        Queue<SizedMessage> open = new PriorityQueue<>(Comparator.comparingLong(message -> message.leftMillis));
        List<Long> times = new ArrayList<>();
        int arrived = 0;
        long now = 0;
        while (times.size() < coming.size()) {
            if (open.isEmpty()) {
                now = Math.max(now, coming.get(arrived).arrivalMillis());
            }
            while (arrived < coming.size() && coming.get(arrived).arrivalMillis() <= now) {
                SimulatedMail mail = coming.get(arrived++);
                open.add(new SizedMessage(mail.arrivalMillis(), mail.recipients().size() * entryMillis));
            }
            SizedMessage next = open.remove();
            long until = arrived < coming.size() ? coming.get(arrived).arrivalMillis() : Long.MAX_VALUE;
            long work = Math.min(next.leftMillis, until - now);
            now += work;
            next.leftMillis -= work;
            if (next.leftMillis == 0) {
                times.add(now - next.arrivalMillis);
            } else {
                open.add(next);
            }
        }
        return times;
    }

    private static double mean(List<Long> millis) {
        return millis.stream().mapToLong(Long::longValue).average().orElseThrow();
    }
}
