package org.slipstream.server.operate;

import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.TraceEvent;
import org.slipstream.core.queue.MessageTrace.TraceResult;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The stories of messages from the histories of several nodes. A message whose shard has moved has a part of its
/// story on each of its owners.
final class MergedStories {
    private MergedStories() {}

    /// @param limit of messages, the latest ones
    /// @param faults of the nodes that did not answer
    static TraceResult of(List<TraceResult> parts, int limit, List<String> faults) {
        // Ids grow with time, so their order is that of the messages.
        Map<String, MessageTrace> stories = new TreeMap<>();
        parts.forEach(part -> part.messages()
                .forEach(story -> stories.merge(story.id(), story, MergedStories::merged)));
        List<MessageTrace> latest = List.copyOf(stories.values());
        int left = Math.max(0, latest.size() - limit);
        return new TraceResult(latest.subList(left, latest.size()),
                left > 0 || parts.stream().anyMatch(TraceResult::more),
                parts.stream().map(TraceResult::since).filter(since -> !since.isEmpty()).max(Comparator.naturalOrder())
                        .orElse(""),
                faults);
    }

    private static MessageTrace merged(MessageTrace one, MessageTrace other) {
        MessageTrace first = one.complete() || !other.complete() ? one : other;
        MessageTrace second = first == one ? other : one;
        List<TraceEvent> events = new ArrayList<>(Stream.concat(first.events().stream(), second.events().stream())
                .distinct().toList());
        events.sort(Comparator.comparing(TraceEvent::at));
        return first.withEvents(events)
                .withState(first.state().equals(MessageTrace.OPEN) ? second.state() : first.state());
    }
}
