package org.slipstream.lab.study;

import org.slipstream.lab.scenario.BundledScenarios;
import org.slipstream.lab.scenario.ScenarioFile;
import org.slipstream.lab.scenario.ScenarioReader;
import org.slipstream.lab.scenario.ScenarioReader.Reading;
import org.slipstream.lab.scenario.ScenarioRunner;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;

/// The order of service against its bounds: the inflation of a mailing under a flood of single messages
/// beside k/(k−1), and the mean time of a message beside the least that any order can reach.
///
/// The least is that of a clairvoyant: it knows the size of each message and always serves the one with
/// the fewest entries left. With one connection, entries of one second and arrivals at whole seconds, no
/// order has a smaller mean (Schrage 1968).
public final class OrderStudy {
    /// For the command line.
    public static final String NAME = "order";
    private static final long ENTRY_MILLIS = 1_000;
    private static final int FLOODED = 60;
    private static final List<String> LOADS = List.of("ten-two-two", "twenty-and-singles", "pair-and-single");
    private static final List<String> ORDERS = List.of("preemptive", "fifo", "round-robin");

    /// A message as the clairvoyant sees it.
    private static final class SizedMessage {
        final long arrivalMillis;
        int left;

        SizedMessage(long arrivalMillis, int entries) {
            this.arrivalMillis = arrivalMillis;
            this.left = entries;
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
        lines.addAll(List.of("", "mean time of a message, as a multiple of the clairvoyant's",
                "load                clairvoyant, s  preemptive   fifo  round-robin"));
        LOADS.forEach(name -> lines.add(row(name, BundledScenarios.find(name).orElseThrow(), progress)));
        for (long seed = 1; seed <= 3; seed++) {
            lines.add(row("mixed, seed " + seed, mixed(seed), progress));
        }
        lines.addAll(List.of("",
                "One connection, and one second for each entry. The flood has one message a second, and slots have",
                "no loan, no discount and no minimum. The mixed loads have 30 messages of 1 to 64 entries, whose",
                "sizes double with equal chance, and use three quarters of the connection."));
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

    private static String row(String name, String text, Consumer<String> progress) {
        StringBuilder line = new StringBuilder();
        double least = 0;
        for (String order : ORDERS) {
            progress.accept("study order, " + name + ", " + order);
            ScenarioFile file = file(name, text, "order=" + order);
            if (line.isEmpty()) {
                least = mean(clairvoyant(file));
                line.append(String.format(Locale.ROOT, "%-18s  %14.1f", name, least / ENTRY_MILLIS));
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
        var record = ScenarioRunner.run(file).record();
        return file.scenario().mails().stream().map(
                mail -> record.messages().get(mail.id()).lastMillis().orElseThrow() - mail.arrivalMillis()).toList();
    }

    /// The same for an order that knows all sizes and serves the message with the fewest entries left.
    static List<Long> clairvoyant(ScenarioFile file) {
        List<SizedMessage> open = new ArrayList<>();
        file.scenario().mails()
                .forEach(mail -> open.add(new SizedMessage(mail.arrivalMillis(), mail.recipients().size())));
        List<Long> times = new ArrayList<>();
        long now = 0;
        while (!open.isEmpty()) {
            long at = now;
            var next = open.stream().filter(message -> message.arrivalMillis <= at)
                    .min(Comparator.comparingInt(message -> message.left));
            if (next.isEmpty()) {
                now = open.stream().mapToLong(message -> message.arrivalMillis).min().orElseThrow();
                continue;
            }
            now += ENTRY_MILLIS;
            if (--next.get().left == 0) {
                times.add(now - next.get().arrivalMillis);
                open.remove(next.get());
            }
        }
        return times;
    }

    private static double mean(List<Long> millis) {
        return millis.stream().mapToLong(Long::longValue).average().orElseThrow();
    }
}
