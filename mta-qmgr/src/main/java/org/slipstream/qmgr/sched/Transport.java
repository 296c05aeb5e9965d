package org.slipstream.qmgr.sched;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;

/// A way of handing mail over, with its destinations and its own order of jobs.
final class Transport {
    final String name;
    final ServiceRules rules;
    final Map<String, Line> lines = new LinkedHashMap<>();

    final Map<String, Site> sites = new LinkedHashMap<>();

    /// Where an entry may go, as far as is known.
    final SequencedSet<Site> open = new LinkedHashSet<>();

    /// Where there was no seat, and nothing has happened since that could change that.
    final SequencedSet<Site> full = new LinkedHashSet<>();
    final JobList jobs = new JobList();
    final Blockers blockers = new Blockers();
    final CandidateSearch candidates;
    final RecipientPool pool;

    /// Where the next search starts, or none: everything in front of it is blocked.
    Job current;

    /// A search that waits for recipients.
    Pause pause;

    /// A job was passed over for its message's sake, and nothing has happened since that could change that.
    boolean rationed;

    /// Out of order as a whole; nothing is taken.
    boolean dead;

    Transport(String name, ServiceRules rules, CandidateSearch candidates) {
        this.name = name;
        this.rules = rules;
        this.candidates = candidates;
        this.pool = new RecipientPool(rules);
    }

    /// The search stands at this job, whose recipients are being read.
    ///
    /// @param afterLooking the reading was ordered because nothing could go; otherwise before looking
    record Pause(Job job, boolean afterLooking) {}
}
