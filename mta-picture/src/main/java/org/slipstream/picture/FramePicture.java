package org.slipstream.picture;

import org.slipstream.picture.LivePictures.JobRow;

import java.util.List;
import java.util.Map;

/// The queue manager at one moment, as a part of a page: the jobs of each transport in their order
/// of service, the windows of destinations, and the connections with what waits on them.
///
/// @param of distinguishes the pictures of a page; empty when there is one
/// @param summary of the moment, in a sentence
/// @param furtherDestinations that are in memory and not drawn
public record FramePicture(String of, String summary, List<JobsPart> jobs, List<DestinationPart> destinations,
        int furtherDestinations, List<ConnectionPart> connections) {
    private static final Template FRAME = Template.of(FramePicture.class, "/picture/frame.html");

    public FramePicture {
        jobs = List.copyOf(jobs);
        destinations = List.copyOf(destinations);
        connections = List.copyOf(connections);
    }

    /// @param transport with its shard, if there are several
    /// @param count of jobs on the list, of which `rows` has the first ones
    /// @param preemptions since the start
    public record JobsPart(String transport, boolean dead, int slotCost, int count, long preemptions,
            List<JobRow> rows) {}

    /// @param limit of the window; 0 for none
    public record DestinationPart(String name, String state, int window, int limit, int running, int waiting) {}

    /// @param queued deliveries that were given to the connection and have no answer
    public record ConnectionPart(long number, String host, String state, int queued, String destinations) {}

    public Markup markup() {
        return FRAME.markup(Map.of("summary", summary, "jobs", jobs.stream().map(this::values).toList(),
                "destinations", destinations.stream().map(FramePicture::values).toList(), "further",
                furtherDestinations > 0 ? List.of(furtherDestinations) : List.of(), "connections",
                connections.stream()
                        .map(each -> Map.of("number", each.number(), "host", each.host(), "state", each.state(),
                                "queued", each.queued(), "destinations", each.destinations()))
                        .toList(),
                "has-destinations", destinations.isEmpty() ? List.of() : List.of(""), "has-connections",
                connections.isEmpty() ? List.of() : List.of("")));
    }

    private Map<String, Object> values(JobsPart part) {
        String list = part.transport().replace(' ', '-') + (of.isEmpty() ? "" : "-" + of);
        return Map.of("transport", part.transport(), "count", part.count(), "preemptions", part.preemptions(), "dead",
                part.dead() ? List.of("") : List.of(), "picture",
                LivePictures.jobs(list, part.rows(), part.slotCost()));
    }

    private static Map<String, Object> values(DestinationPart part) {
        return Map.of("name", part.name(), "state", part.state(), "window",
                LivePictures.window(part.window(), part.limit(), part.running(), part.waiting()));
    }
}
