package org.slipstream.it;

import org.slipstream.it.fixture.MixedMail;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// The events of [MixedMail], compared with what was promised and what arrived.
///
/// - Each acknowledged message was accepted, and each of its recipients has one end.
/// - Nothing is told of a message whose client left before the final dot.
/// - With one shard no event comes twice, and those of a message are in order.
final class EventLedger {
    private static final Set<String> ENDS = Set.of("delivered", "bounced", "expired");
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /// By id, in the order of their first line.
    private final Map<String, JsonNode> events = new LinkedHashMap<>();
    private int lines;

    /// @param home of a server that has stopped
    static EventLedger of(Path home) {
        EventLedger ledger = new EventLedger();
        try (Stream<Path> all = Files.walk(home)) {
            for (Path file : all.filter(each -> each.getFileName().toString().matches("events-\\d{15}-.*\\.jsonl"))
                    .sorted()
                    .toList()) {
                for (String line : Files.readAllLines(file)) {
                    ledger.add(JSON.readTree(line));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ledger;
    }

    private void add(JsonNode event) {
        lines++;
        events.putIfAbsent(event.get("id").asString(), event);
    }

    private static String text(JsonNode event, String field) {
        return event.path(field).asString("");
    }

    /// @param arrived recipients of the far side
    void check(Set<Integer> acknowledged, Set<String> arrived, int shards) {
        assertThat(events.values()).noneMatch(each -> text(each, "kind").equals("lost"));
        Map<String, Integer> accepted = new HashMap<>();
        Map<String, List<String>> ends = new TreeMap<>();
        Map<String, List<JsonNode>> ofMessages = new HashMap<>();
        for (JsonNode event : events.values()) {
            ofMessages.computeIfAbsent(text(event, "queue"), _ -> new ArrayList<>()).add(event);
            if (text(event, "kind").equals("accepted")) {
                accepted.merge(text(event, "messageId"), 1, Integer::sum);
            } else if (ENDS.contains(text(event, "kind"))) {
                assertThat(text(event, "recipient")).as("recipient of %s", event).isNotEmpty();
                ends.computeIfAbsent(text(event, "messageId") + " " + text(event, "recipient"),
                        _ -> new ArrayList<>()).add(text(event, "kind"));
            }
        }
        var wrong = new TreeSet<String>();
        for (int number : acknowledged) {
            var message = MixedMail.message(number);
            String id = "<" + message.id().replaceAll("[<>]", "") + ">";
            if (accepted.getOrDefault(id, 0) != 1) {
                wrong.add(id + " accepted " + accepted.getOrDefault(id, 0) + " times");
            }
            for (String recipient : message.recipients()) {
                String end = MixedMail.Result.of(recipient) == MixedMail.Result.REPORTED ? "bounced" : "delivered";
                if (!ends.getOrDefault(id + " " + recipient, List.of()).equals(List.of(end))) {
                    wrong.add(id + " " + recipient + ": " + ends.get(id + " " + recipient));
                }
            }
        }
        assertThat(wrong).as("acknowledged, and not told as it happened").isEmpty();
        assertThat(ends.keySet()).noneMatch(each -> each.contains("<cut-"));
        assertThat(ends.entrySet().stream().filter(each -> each.getValue().contains("delivered"))
                .map(each -> each.getKey().substring(each.getKey().indexOf(' ') + 1))
                .filter(each -> each.endsWith("@far.example") && !arrived.contains(each)))
                .as("told as delivered, and never at the far side").isEmpty();
        System.out.printf("EventLedger: %d events, %d lines came again%n", events.size(), lines - events.size());
        if (shards == 1) {
            assertThat(lines).as("lines").isEqualTo(events.size());
            ofMessages.values().forEach(EventLedger::inOrder);
        }
    }

    private static void inOrder(List<JsonNode> ofMessage) {
        assertThat(text(ofMessage.getFirst(), "kind")).as("first of %s", ofMessage).isEqualTo("accepted");
        Map<Integer, String> last = new HashMap<>();
        for (JsonNode each : ofMessage) {
            if (each.has("number")) {
                String before = last.put(each.get("number").asInt(), text(each, "kind"));
                assertThat(before == null || before.equals("deferred")).as("an event behind the end: %s", each)
                        .isTrue();
            }
        }
    }
}
