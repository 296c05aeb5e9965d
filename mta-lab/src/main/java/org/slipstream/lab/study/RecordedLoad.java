package org.slipstream.lab.study;

import org.slipstream.lab.Scenario;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.journal.RecordedTraffic;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The mail of a journal as an order of service sees it: the time at which each message came, and the number of
/// its entries at each destination. Destinations have numbers in place of names, so a load can be shown.
///
/// At most [#MOST_MESSAGES] messages and [#MOST_ENTRIES] entries are kept; a remark tells of the others.
public final class RecordedLoad {
    static final int MOST_MESSAGES = 5_000;
    static final int MOST_ENTRIES = 50_000;
    private static final String BUNDLED = "/studies/recorded-minutes.txt";
    /// The part of the time in which the connection of a study is used.
    private static final double USED = 0.75;

    /// A message of the load.
    ///
    /// @param entries by the name of the destination
    private record LoadedMessage(long atMillis, SequencedMap<String, Integer> entries) {
        int size() {
            return entries.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    private final List<LoadedMessage> messages;
    private final List<String> remarks;

    private RecordedLoad(List<LoadedMessage> messages, List<String> remarks) {
        this.messages = List.copyOf(messages);
        this.remarks = List.copyOf(remarks);
    }

    /// The load that comes with the program.
    static RecordedLoad bundled() {
        try (InputStream text = RecordedLoad.class.getResourceAsStream(BUNDLED)) {
            if (text == null) {
                throw new IllegalStateException("the program is without " + BUNDLED);
            }
            return of(new String(text.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// @throws IOException there is no mail in it
    public static RecordedLoad of(RecordedTraffic traffic) throws IOException {
        Scenario recorded = traffic.between(traffic.beganMillis(), Long.MAX_VALUE, traffic.config(),
                traffic.placement());
        if (recorded.mails().isEmpty()) {
            throw new IOException("the journal has no mail with a sender and known routes");
        }
        return of(recorded, traffic.remarks());
    }

    static RecordedLoad of(Scenario recorded, List<String> recordedRemarks) {
        int limit = recorded.config().transport("smtp").recipientsPerDelivery();
        int most = limit == 0 ? Integer.MAX_VALUE : limit;
        Map<String, String> numbers = new TreeMap<>();
        List<LoadedMessage> messages = new ArrayList<>();
        List<String> remarks = new ArrayList<>(recordedRemarks);
        int entries = 0;
        long first = recorded.mails().stream().mapToLong(SimulatedMail::arrivalMillis).min().orElse(0);
        for (SimulatedMail mail : recorded.mails()) {
            SequencedMap<String, Integer> recipients = new LinkedHashMap<>();
            mail.recipients().forEach(each -> recipients.merge(numbers.computeIfAbsent(each.address().domainKey(),
                    _ -> "d" + (numbers.size() + 1)), 1, Integer::sum));
            recipients.replaceAll((_, count) -> Math.ceilDiv(count, most));
            LoadedMessage message = new LoadedMessage(mail.arrivalMillis() - first, recipients);
            entries += message.size();
            if (messages.size() == MOST_MESSAGES || entries > MOST_ENTRIES) {
                remarks.add("Only the first " + messages.size() + " of " + recorded.mails().size()
                        + " messages are used: a study has at most " + MOST_MESSAGES + " messages and " + MOST_ENTRIES
                        + " entries.");
                break;
            }
            messages.add(message);
        }
        return new RecordedLoad(messages, remarks);
    }

    /// The load of the lines that [#text] has written.
    static RecordedLoad of(String text) {
        List<LoadedMessage> messages = new ArrayList<>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            String[] words = line.split(" ");
            SequencedMap<String, Integer> entries = new LinkedHashMap<>();
            for (String word : List.of(words).subList(1, words.length)) {
                String[] pair = word.split("=");
                entries.put(pair[0], Integer.parseInt(pair[1]));
            }
            messages.add(new LoadedMessage(Long.parseLong(words[0]), entries));
        });
        return new RecordedLoad(messages, List.of());
    }

    /// A line for each message: its millisecond, and `destination=entries`.
    String text() {
        return messages.stream().map(message -> message.atMillis() + message.entries().entrySet().stream()
                .map(each -> " " + each.getKey() + "=" + each.getValue()).collect(Collectors.joining()) + "\n")
                .collect(Collectors.joining());
    }

    /// The load as a scenario of one connection.
    String toml() {
        StringBuilder text = new StringBuilder("""
                title = "A recorded load"
                [transport]
                lanes = 1
                recipients-per-delivery = 1
                [servers.default]
                delivery = "%dms"
                """.formatted(entryMillis()));
        messages.forEach(message -> text.append("[[messages]]\nat = \"").append(message.atMillis())
                .append("ms\"\nto = { ").append(message.entries().entrySet().stream()
                        .map(each -> '"' + each.getKey() + ".example\" = " + each.getValue())
                        .collect(Collectors.joining(", ")))
                .append(" }\n"));
        return text.toString();
    }

    /// The length of an entry with which the recorded mail uses a connection for three quarters of its time.
    long entryMillis() {
        long span = messages.stream().mapToLong(LoadedMessage::atMillis).max().orElse(0);
        return Math.max(1, Math.round(USED * span / entries()));
    }

    private int entries() {
        return messages.stream().mapToInt(LoadedMessage::size).sum();
    }

    List<String> remarks() {
        return remarks;
    }

    /// `90 messages with 120 entries, the largest with 31`.
    @Override
    public String toString() {
        return messages.size() + " messages with " + entries() + " entries, the largest with "
                + messages.stream().mapToInt(LoadedMessage::size).max().orElse(0);
    }
}
