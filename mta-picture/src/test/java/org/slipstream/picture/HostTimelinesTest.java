package org.slipstream.picture;

import org.junit.jupiter.api.Test;
import org.slipstream.picture.RunPictures.DrawnRun;
import org.slipstream.picture.RunRecord.Attempt;
import org.slipstream.picture.RunRecord.AttemptOutcome;
import org.slipstream.picture.RunRecord.ConnectionRecord;
import org.slipstream.picture.RunRecord.HostSample;
import org.slipstream.picture.RunRecord.Phase;
import org.slipstream.picture.RunRecord.Span;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The picture of a run by host.
class HostTimelinesTest {
    private static Attempt attempt(int connection, long from, long to) {
        return new Attempt(Optional.empty(), "list", "smtp", "smtp/a.example", 1, from, OptionalLong.of(from), to,
                connection, AttemptOutcome.DELIVERED);
    }

    private static ConnectionRecord connection(int number, String host, long from, long to, Phase phase) {
        return new ConnectionRecord(number, host, List.of(new Span(from, to, phase)), phase == Phase.OPENING ? 0 : 1,
                phase == Phase.OPENING ? "refused" : "closed");
    }

    private static RunRecord record(List<Attempt> attempts, List<ConnectionRecord> connections,
            SequencedMap<String, List<HostSample>> hosts) {
        return new RunRecord(attempts, List.of(), new LinkedHashMap<>(), new LinkedHashMap<>(), connections, hosts,
                new LinkedHashMap<>(), 10_000);
    }

    private static SequencedMap<String, List<HostSample>> hosts(List<HostSample> ofDead) {
        SequencedMap<String, List<HostSample>> hosts = new LinkedHashMap<>();
        hosts.put("good.example", List.of());
        hosts.put("dead.example", ofDead);
        return hosts;
    }

    private static String svg(RunRecord record) {
        return svg(record, true);
    }

    private static String svg(RunRecord record, boolean hasHosts) {
        return new RunPictures("T", List.of("list"),
                List.of(new DrawnRun(record, "as written", "list", new LinkedHashMap<>(), hasHosts))).svg();
    }

    /// The number 1 belongs to the dead host first, then to the good one.
    @Test
    void aDeliveryStandsBelowTheHostOfItsConnection() {
        String svg = svg(record(List.of(attempt(1, 100, 5_000), attempt(2, 0, 9_000)),
                List.of(connection(1, "dead.example", 0, 50, Phase.OPENING),
                        connection(2, "good.example", 0, 9_000, Phase.BUSY),
                        connection(1, "good.example", 100, 6_000, Phase.BUSY)),
                hosts(List.of(new HostSample(50, "retry")))));

        assertThat(svg).containsSubsequence(">dead.example<", "1 connection, 1 failed, no delivery",
                "retry, 0.05s to 9s", "failed: no connection is tried",
                "connection to dead.example, 0s to 0.05s; refused",
                ">good.example<", "2 connections, 2 deliveries", "list to smtp/a.example, 0s to 9s",
                "list to smtp/a.example, 0.1s to 5s");
        assertThat(svg).doesNotContain("waiting recipients");
        assertThat(svg.split("<rect class=\"bar ", -1)).as("each delivery once").hasSize(3);
    }

    /// Connections of a host that follow each other share a row, and the picture has an end.
    @Test
    void theRowsHaveABound() {
        List<ConnectionRecord> many = IntStream.rangeClosed(1, 100)
                .mapToObj(n -> connection(n, "good.example", 0, 9_000, Phase.BUSY)).toList();
        String svg = svg(record(IntStream.rangeClosed(1, 100).mapToObj(n -> attempt(n, 0, 9_000)).toList(), many,
                hosts(List.of(new HostSample(50, "retry")))));

        assertThat(svg.split("<rect class=\"bar ", -1)).hasSize(41);
        assertThat(svg).contains("100 connections, 100 deliveries");

        String inTurn = svg(record(List.of(attempt(1, 0, 1_000), attempt(1, 2_000, 3_000)),
                List.of(connection(1, "good.example", 0, 1_500, Phase.BUSY),
                        connection(1, "good.example", 2_000, 3_500, Phase.BUSY)),
                hosts(List.of(new HostSample(50, "retry")))));
        assertThat(Pattern.compile("<rect class=\"open\" x=\"[^\"]+\" y=\"([^\"]+)\"[^>]*><title>").matcher(inTurn)
                .results().map(result -> result.group(1))).hasSize(2).containsOnly(
                        Pattern.compile("<rect class=\"bar c0\" x=\"70.0\" y=\"([^\"]+)\"").matcher(inTurn).results()
                                .map(result -> result.group(1)).findFirst().orElseThrow());
    }

    @Test
    void withoutKnowledgeOfHostsTheRowsAreConnections() {
        assertThat(svg(record(List.of(attempt(1, 0, 1_000)), List.of(connection(1, "good.example", 0, 900, Phase.BUSY)),
                hosts(List.of())))).contains("waiting recipients").doesNotContain("good.example<");
        assertThat(svg(record(List.of(), List.of(), hosts(List.of(new HostSample(50, "retry")))), false))
                .contains("waiting recipients");
    }
}
