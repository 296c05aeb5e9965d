package org.slipstream.it.cluster;

import org.slipstream.it.cluster.MailHistory.Copy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The promises of a cluster, looked for in the history of clients, hosts, nodes and database.
///
/// - A message with a 250 is delivered, reported to its sender, or queued.
/// - A recipient gets a further copy only when the copy before was under way at a fault that its node felt.
/// - Each term of a shard (its number and epoch) has one claim, and only the node that made it wrote into the log.
/// - A host never has more connections of the whole cluster than the limit.
/// - No node says that its program has failed.
final class HistoryCheck {
    private static final int SHOWN = 10;
    private static final Pattern CLAIMED = Pattern.compile("^(\\S+) .*event=shard-claimed shard=(\\d+) epoch=(\\d+)");
    private static final Pattern FAULT_OF_THE_PROGRAM = Pattern.compile(
            "event=(shard-failed|message-set-aside|internal-error)\\b");

    private final MailHistory history;
    private final List<FaultRecord> faults;
    private final List<String> violations = new ArrayList<>();
    private final Map<Integer, Integer> furtherCopies = new HashMap<>();

    HistoryCheck(MailHistory history, List<FaultRecord> faults) {
        this.history = history;
        this.faults = List.copyOf(faults);
    }

    /// One sentence each; empty when all promises were kept.
    List<String> violations() {
        return violations;
    }

    /// Of each fault, by its number: the copies that it repeated.
    Map<Integer, Integer> furtherCopies() {
        return furtherCopies;
    }

    /// @param queued addresses of recipients that nodes still have
    HistoryCheck mail(Set<String> queued) {
        Set<String> outcomes = new HashSet<>();
        List<String> lost = new ArrayList<>();
        List<String> both = new ArrayList<>();
        for (int number : history.acknowledged().keySet()) {
            String outcome = MailHistory.outcome(number);
            outcomes.add(outcome);
            boolean here = history.copies().containsKey(outcome);
            boolean waits = queued.contains(MailHistory.recipient(number)) || queued.contains(outcome);
            if (!here && !waits) {
                lost.add(outcome);
            } else if (here && queued.contains(MailHistory.recipient(number))) {
                both.add(outcome);
            }
        }
        tell(lost, "acknowledged, and neither delivered nor reported nor queued");
        tell(both, "delivered or reported, and queued");
        tell(history.copies().keySet().stream().filter(address -> address.startsWith("back")
                && !outcomes.contains(address) && history.acknowledged().containsKey(MailHistory.numberOf(address)))
                .toList(), "reported, and not refused");
        return this;
    }

    /// @param queued messages of all nodes
    /// @param waiting messages that were accepted for a host that takes none
    HistoryCheck waiting(long queued, int waiting) {
        if (queued < waiting) {
            violations.add("of " + waiting + " messages that wait, " + queued + " are queued");
        }
        return this;
    }

    HistoryCheck copies() {
        List<String> unexplained = new ArrayList<>();
        history.copies().forEach((recipient, copies) -> {
            for (Copy first : copies.subList(0, copies.size() - 1)) {
                faults.stream().filter(fault -> fault.explains(first)).findFirst()
                        .ifPresentOrElse(
                                fault -> furtherCopies.merge(fault.number(), 1, Integer::sum),
                                () -> unexplained.add(recipient + " from " + copies.stream().map(Copy::node).toList()
                                        + before(first)));
            }
        });
        tell(unexplained, "sent again, and not under way at a fault");
        return this;
    }

    /// The next fault that the node of this copy felt.
    private String before(Copy copy) {
        return faults.stream().filter(fault -> fault.nodes().contains(copy.node()) && fault.begun() > copy.atNanos())
                .findFirst().map(fault -> ", %.1f s before fault %d".formatted(
                        (fault.begun() - copy.atNanos()) / 1e9, fault.number()))
                .orElse("");
    }

    /// @param claims of each term, the lives of nodes that claimed it
    /// @param writers of each term, the lives of nodes that wrote
    HistoryCheck terms(Map<FaultyCluster.Term, List<String>> claims, Map<FaultyCluster.Term, List<String>> writers) {
        claims.forEach((term, lives) -> {
            if (lives.size() != 1) {
                violations.add(term + " was claimed by " + lives);
            }
        });
        writers.forEach((term, lives) -> {
            if (lives.size() != 1 || !claims.getOrDefault(term, List.of()).equals(lives)) {
                violations.add(term + " was written by " + lives + ", claimed by " + claims.get(term));
            }
        });
        return this;
    }

    HistoryCheck connections(String host, List<Overlap> overlaps, int limit) {
        overlaps.stream().max(Comparator.comparingInt(Overlap::lasting)).filter(most -> most.lasting() > limit)
                .ifPresent(most -> violations.add(host + " had " + most.lasting() + " connections of the cluster, the"
                        + " limit is " + limit + ", from " + most.from()));
        return this;
    }

    /// @param lines with the name of the node in front
    HistoryCheck logs(List<String> lines) {
        Map<FaultyCluster.Term, Set<String>> claimed = new HashMap<>();
        for (String line : lines) {
            Matcher claim = CLAIMED.matcher(line);
            if (claim.find()) {
                claimed.computeIfAbsent(new FaultyCluster.Term(Integer.parseInt(claim.group(2)),
                        Long.parseLong(claim.group(3))), _ -> new HashSet<>()).add(claim.group(1));
            }
        }
        claimed.forEach((term, nodes) -> {
            if (nodes.size() > 1) {
                violations.add(term + " is claimed in the logs of " + nodes);
            }
        });
        tell(lines.stream().filter(line -> FAULT_OF_THE_PROGRAM.matcher(line).find()).toList(),
                "said in the log");
        return this;
    }

    private void tell(List<String> wrong, String what) {
        if (!wrong.isEmpty()) {
            violations.add(wrong.size() + " " + what + ": "
                    + String.join(", ", wrong.subList(0, Math.min(SHOWN, wrong.size()))));
        }
    }
}
