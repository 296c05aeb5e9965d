package org.slipstream.spool.history;

import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.SubmitterView;
import org.slipstream.core.queue.MessageTrace.TraceEvent;
import org.slipstream.core.queue.MessageTrace.TraceResult;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.function.Consumer;

/// Finds messages in the files of the history. It reads them from the first line to the last, because
/// a bounded history is read within a second and an index would have to be written for each message.
///
/// A queue id is known by its form. A text with `@` is a Message-ID, the address of a sender or of a
/// recipient, or with `@` first any address of a domain. Letters match in either case. A first pass
/// finds the ids, a second one the events of these.
///
/// @param folder of the files; they may be written at the same time
/// @param earliest events before it are not shown
public record HistorySearch(Path folder, Instant earliest) {
    private static final String PREFIX = "{\"queue\":\"";
    private static final int READ_BYTES = 1 << 16;

    /// @param nowMillis the time from which the kept time counts
    public static HistorySearch in(Path folder, HistorySettings settings, long nowMillis) {
        return new HistorySearch(folder, Instant.ofEpochMilli(Math.max(0, nowMillis - settings.keep().toMillis())));
    }

    /// @param limit of messages; the latest are found
    public TraceResult find(String wanted, int limit) throws IOException {
        Optional<QueueId> id = QueueId.parse(wanted);
        SequencedSet<String> ids = id.isPresent()
                ? new LinkedHashSet<>(List.of(id.get().toString()))
                : idsOf(plain(wanted));
        boolean more = ids.size() > limit;
        while (ids.size() > limit) {
            ids.removeFirst();
        }
        return new TraceResult(stories(ids), more, since());
    }

    private static String plain(String wanted) {
        String text = wanted.strip().toLowerCase(Locale.ROOT);
        return text.startsWith("<") && text.endsWith(">") && text.length() > 2
                ? text.substring(1, text.length() - 1)
                : text;
    }

    private SequencedSet<String> idsOf(String wanted) throws IOException {
        SequencedSet<String> ids = new LinkedHashSet<>();
        String quoted = JsonLine.quoted(wanted);
        String sought = quoted.substring(1, quoted.length() - 1);
        lines(line -> {
            if (line.toLowerCase(Locale.ROOT).contains(sought)) {
                HistoryEvent.parse(line).filter(event -> isNamed(event, wanted))
                        .ifPresent(event -> ids.add(event.fact(HistoryEvent.QUEUE)));
            }
        });
        return ids;
    }

    private static boolean isNamed(HistoryEvent event, String wanted) {
        return plain(event.fact("message-id")).equals(wanted) || isAddress(event.fact("sender"), wanted)
                || event.recipients().stream().anyMatch(each -> isAddress(each, wanted))
                || Arrays.stream(event.fact(HistoryEvent.ORIGINAL).split(" "))
                        .anyMatch(each -> isAddress(each, wanted));
    }

    private static boolean isAddress(String address, String wanted) {
        String lower = address.toLowerCase(Locale.ROOT);
        return wanted.startsWith("@") ? lower.endsWith(wanted) : lower.equals(wanted);
    }

    private List<MessageTrace> stories(SequencedSet<String> ids) throws IOException {
        Map<String, Story> stories = new LinkedHashMap<>();
        if (ids.isEmpty()) {
            return List.of();
        }
        lines(line -> {
            int end = line.indexOf('"', PREFIX.length());
            String queue = end < 0 ? "" : line.substring(PREFIX.length(), end);
            if (ids.contains(queue)) {
                HistoryEvent.parse(line).filter(this::isKept)
                        .ifPresent(event -> stories.computeIfAbsent(queue, Story::new).add(event));
            } else if (line.contains("\"about\":\"")) {
                HistoryEvent.parse(line).filter(this::isKept).filter(event -> ids.contains(event.fact("about")))
                        .ifPresent(event -> stories.computeIfAbsent(event.fact("about"), Story::new).report(event));
            }
        });
        return stories.values().stream().map(Story::trace).toList();
    }

    private boolean isKept(HistoryEvent event) {
        return !Instant.parse(event.fact(HistoryEvent.AT)).isBefore(earliest);
    }

    /// ISO 8601; empty without a history.
    private String since() throws IOException {
        List<HistoryFiles.HistoryFile> files = HistoryFiles.list(folder);
        if (files.isEmpty()) {
            return "";
        }
        Instant first = firstEvent(files.getFirst())
                .orElseGet(() -> Instant.ofEpochMilli(files.getFirst().begunMillis()));
        return (first.isBefore(earliest) ? earliest : first).toString();
    }

    private static Optional<Instant> firstEvent(HistoryFiles.HistoryFile file) throws IOException {
        try (BufferedReader lines = reader(file)) {
            return Optional.ofNullable(lines.readLine()).flatMap(HistoryEvent::parse)
                    .map(event -> Instant.parse(event.fact(HistoryEvent.AT)));
        } catch (NoSuchFileException deleted) {
            return Optional.empty();
        }
    }

    /// Octets that are not UTF-8, from a damaged disk, are replaced; their line is skipped later.
    private static BufferedReader reader(HistoryFiles.HistoryFile file) throws IOException {
        return new BufferedReader(
                new InputStreamReader(Files.newInputStream(file.path()), StandardCharsets.UTF_8), READ_BYTES);
    }

    private void lines(Consumer<String> reader) throws IOException {
        for (HistoryFiles.HistoryFile file : HistoryFiles.list(folder)) {
            try (BufferedReader lines = reader(file)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.startsWith(PREFIX)) {
                        reader.accept(line);
                    }
                }
            } catch (NoSuchFileException deleted) {
                // It became too old a moment ago.
            }
        }
    }

    /// The events of one message, in order.
    private static final class Story {
        private final String id;
        private final List<TraceEvent> events = new ArrayList<>();
        private Optional<HistoryEvent> accepted = Optional.empty();
        private String state = MessageTrace.OPEN;

        Story(String id) {
            this.id = id;
        }

        void add(HistoryEvent event) {
            if (event.is(EventKind.ACCEPTED)) {
                accepted = Optional.of(event);
            } else if (event.is(EventKind.REMOVED)) {
                state = "left the queue: " + event.fact("text");
            }
            events.add(new TraceEvent(event.fact(HistoryEvent.AT), event.fact(HistoryEvent.EVENT), event.recipients(),
                    event.fact("host"), event.fact("phase"), took(event),
                    event.fact("reply").isEmpty() ? event.fact("text") : event.fact("reply")));
        }

        void report(HistoryEvent event) {
            if (event.is(EventKind.ACCEPTED)) {
                events.add(new TraceEvent(event.fact(HistoryEvent.AT), EventKind.REPORT.word(), event.recipients(), "",
                        "", -1, event.fact(HistoryEvent.QUEUE)));
            }
        }

        private static long took(HistoryEvent event) {
            return event.fact("took").isEmpty() ? -1 : Long.parseLong(event.fact("took"));
        }

        MessageTrace trace() {
            HistoryEvent first = accepted.orElseGet(() -> new HistoryEvent(Map.of(), List.of()));
            return new MessageTrace(id, first.fact("sender"), first.recipients(),
                    first.fact("bytes").isEmpty() ? 0 : Long.parseLong(first.fact("bytes")),
                    new SubmitterView(first.fact("service"), first.fact("client"), first.fact("helo"),
                            first.fact("user"), first.fact("message-id"), first.fact("about")),
                    state, accepted.isPresent(), List.copyOf(events));
        }
    }
}
