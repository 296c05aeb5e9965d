package org.slipstream.qmgr.sched;

import org.slipstream.core.Route;

import java.util.LinkedHashMap;
import java.util.Map;

/// A way of handing mail over, with its destinations and its own order of jobs.
final class Transport {
    final String name;
    final ServiceRules rules;

    /// In order of creation, or of turns where destinations take turns.
    final LinkedHashMap<String, Line> lines = new LinkedHashMap<>();
    final Map<String, Site> sites = new LinkedHashMap<>();
    final Doors doors = new Doors();
    final JobList jobs = new JobList();
    final Blockers blockers;
    final CandidateSearch candidates;
    final RecipientPool pool;
    final ServiceOrder order;

    /// Where the next search starts, or none: everything in front of it is blocked.
    Job current;

    /// A search that waits for recipients.
    Pause pause;

    /// A job was passed over for its message's sake, and nothing has happened since that could change that.
    boolean rationed;

    /// Out of order as a whole; nothing is taken.
    boolean dead;

    Transport(String name, ServiceRules rules, CandidateSearch candidates, boolean crowds, OrderPolicy policy,
            Batches batches, SchedTrace trace) {
        this.name = name;
        this.rules = rules;
        this.candidates = candidates;
        this.blockers = new Blockers(crowds);
        this.pool = new RecipientPool(rules);
        this.order = policy.of(this, batches, trace);
    }

    /// The search stands at this job, whose recipients are being read.
    ///
    /// @param afterLooking the reading was ordered because nothing could go; otherwise before looking
    record Pause(Job job, boolean afterLooking) {}

    boolean isReady(Gate gate) {
        return !dead && doors.isAnyOpen(gate);
    }

    /// A search waits for recipients, and they are there.
    boolean canResume() {
        return pause != null && !pause.job().message.reading;
    }

    /// The line of this key, made when there is none. Later routes with the same key replace how to get there.
    Line line(Route route, String key) {
        Line line = lines.get(key);
        if (line == null) {
            Site site = sites.computeIfAbsent(route.nextHop(), Site::new);
            site.lines++;
            line = new Line(this, site, key, route);
            lines.put(key, line);
        }
        line.route = route;
        return line;
    }

    /// Forgets an empty line.
    void drop(Line line) {
        if (!line.isEmpty()) {
            throw new IllegalStateException("line " + line + " has entries");
        }
        lines.remove(line.key);
        if (--line.site.lines == 0) {
            sites.remove(line.site.nextHop);
            doors.forget(line.site);
        }
    }

    /// Puts a job on both lists. True when the search is to start at it: there was none to start at, or it stands in front of
    /// that.
    boolean enter(Job job) {
        boolean passedCurrent = jobs.enter(job, current);
        pool.entered(job, jobs.enterByAge(job, pool.firstUnread));
        return current == null || passedCurrent;
    }

    /// Takes the first entry of a peer; from now on it runs.
    Entry take(Peer peer) {
        Line line = peer.line;
        Entry entry = peer.takeFirst();
        line.remove(entry);
        peer.running++;
        line.running++;
        peer.job.message.waiting--;
        peer.job.message.running++;
        peer.job.selected++;
        doors.look(line);
        return entry;
    }
}
