package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.place.Connection.ConnectionStanding;

import java.util.List;
import java.util.Optional;

/// The hosts of a destination as they are now: which can be tried, and when that changes.
///
/// @param hosts the records of hosts
/// @param book the connections of the transport
record HostOutlook(DestDb hosts, ConnectionBook book) {
    /// The earliest end of a state that excludes this destination's hosts.
    long nextChangeMillis(Candidates where, long now) {
        return where.hosts().mapToLong(candidate -> Math.min(
                Math.min(hosts.crowd(candidate.host(), now).map(HostState.Crowded::untilMillis).orElse(Long.MAX_VALUE),
                        hosts.suspension(candidate.host(), now).map(HostState.Suspended::untilMillis)
                                .orElse(Long.MAX_VALUE)),
                hosts.mark(candidate.host(), now) instanceof HostState.Retry retry
                        ? retry.isDue(now) ? retry.forgivenMillis() : retry.untilMillis()
                        : Long.MAX_VALUE))
                .min().orElse(Long.MAX_VALUE);
    }

    boolean mayEndWithTime(Candidates where, long now) {
        return where.hosts().anyMatch(candidate -> hosts.crowd(candidate.host(), now).isPresent()
                || hosts.suspension(candidate.host(), now).isPresent()
                || hosts.mark(candidate.host(), now) instanceof HostState.Retry);
    }

    boolean hasOtherHost(Candidates where, HostKey failed, long now) {
        return where.hosts().map(Candidate::host).anyMatch(host -> !host.equals(failed) && isUsable(host, now));
    }

    /// True when the host has deferred every recipient, for the first time in this attempt, and
    /// another host is usable. A host that took or refused one of them has looked at the recipients,
    /// so its deferrals are about them.
    boolean mayTryAnother(Assignment assignment, List<RecipientOutcome> outcomes, HostKey host, long now) {
        return assignment.owner() instanceof Owner.Message && !assignment.isDeferredByAHost()
                && FailedAttempts.isDeferredByTheHost(outcomes) && hasOtherHost(assignment.where(), host, now);
    }

    boolean isUsable(HostKey host, long now) {
        return hosts.suspension(host, now).isEmpty() && (book.connections(host) > 0
                || !(hosts.mark(host, now) instanceof HostState.Retry retry && !retry.isDue(now)));
    }

    /// The temporary failure of a host of the destination.
    Optional<Reply> transientReply(Candidates where, long now) {
        return where.hosts().map(candidate -> hosts.mark(candidate.host(), now))
                .filter(HostState.Retry.class::isInstance).map(mark -> ((HostState.Retry) mark).last())
                .filter(Reply::isTransient).findFirst();
    }

    ConnectionStanding standing(HostKey host, long now) {
        return switch (hosts.mark(host, now)) {
            case HostState.Closed _ -> ConnectionStanding.PROVEN;
            case HostState.Retry _ -> ConnectionStanding.FAILED;
            case HostState _ -> book.up(host) > 0 ? ConnectionStanding.PROVEN : ConnectionStanding.UNKNOWN;
        };
    }
}
