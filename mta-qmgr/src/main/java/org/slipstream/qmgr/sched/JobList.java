package org.slipstream.qmgr.sched;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// The order of service within one transport: first come, first served over jobs, round-robin over a job's peers.
///
/// The rule is Postfix's without preemption: walk the jobs from the oldest to the youngest, within a job try its peers in
/// turn, and take the first entry whose destination has room. Walked literally, a thousand jobs that all wait for one
/// busy destination are passed over one by one at every selection.
///
/// Here nobody walks. Each destination keeps its own waiting peers by age, so only the **first peer of each line** can
/// be the answer: another peer of the same line is younger and waits for the same seat. The list is therefore a sorted set
/// of lines, ordered by the rank of their first peer (activation number of its message, then its turn within the job), and
/// the answer is the first line with a seat. A line without one is *parked*, out of the set, until something happens
/// there; the set holds only lines worth asking.
///
/// Cost: O(log lines + log waiting peers of a line) for a selection, plus one question per line that gets parked. A line
/// is parked only while it is full, so at any time no more lines are parked than seats are taken.
///
/// The preemptive order (jobs that step in front of larger ones, paid for with delivery slots) replaces this class.
final class JobList {
    private static final Comparator<Line> BY_RANK = Comparator.<Line>comparingLong(line -> line.rankMessage)
            .thenComparingLong(line -> line.rankTurn).thenComparingLong(line -> line.number);

    private final TreeSet<Line> lines = new TreeSet<>(BY_RANK);
    private final Set<Line> parked = new LinkedHashSet<>();

    /// The first peer in the order of service that passes the gate.
    Optional<Peer> next(Gate gate) {
        while (!lines.isEmpty()) {
            Line line = lines.first();
            Peer peer = line.peers.firstEntry().getValue();
            switch (gate.ask(peer.job.message, line)) {
                case FREE -> {
                    return Optional.of(peer);
                }
                case NOT_HERE -> park(line);
                case NOWHERE -> {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    /// To be called after anything that may change a line's first peer, or its turn.
    void rerank(Line line) {
        if (line.listed) {
            lines.remove(line);
            line.listed = false;
        }
        if (!line.parked && !line.peers.isEmpty()) {
            Peer first = line.peers.firstEntry().getValue();
            line.rankMessage = first.job.message.number;
            line.rankTurn = first.turn;
            line.listed = lines.add(line);
        }
    }

    void unpark(Line line) {
        if (line.parked) {
            line.parked = false;
            parked.remove(line);
            rerank(line);
        }
    }

    void unparkAll() {
        List<Line> again = List.copyOf(parked);
        parked.clear();
        for (Line line : again) {
            line.parked = false;
            rerank(line);
        }
    }

    private void park(Line line) {
        lines.remove(line);
        line.listed = false;
        line.parked = true;
        parked.add(line);
    }
}
