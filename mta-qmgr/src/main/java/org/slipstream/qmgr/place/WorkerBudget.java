package org.slipstream.qmgr.place;

import java.util.LinkedHashMap;
import java.util.Map;

/// How many workers may one message keep busy? Finch's `allowed_new_worker`.
///
/// Two simple answers are wrong. *First come, first served*: a message to fifty thousand recipients takes every worker, and
/// all other mail waits until it is done. *Equal parts*: with as many messages as workers each has one, and a large
/// envelope that could use hundreds of idle minutes crawls from recipient to recipient.
///
/// The rule: a message may have another worker when it has fewer than a small **floor**, or fewer than **scale times the
/// workers that are free**. A lone message grows until its share m meets s·(W − m), that is s/(1+s) of the workers: 91 % at
/// s = 10. There is always something left, and a newcomer takes from that at once; as the first one's jobs end it finds
/// its limit lowered by the newcomer's share and does not replace them, so the two converge at s/(1+2s) = 47.6 % each, n
/// messages at s/(1+ns). Nobody is interrupted and nothing is computed per message but its own count.
///
/// What counts is what a worker is doing, not what is queued behind it: a load that rides along on a connection opened for
/// others costs its message nothing. The rule is as good for workers that look up routes (FI-05) as for connections.
///
/// Source: Tony Finch, *Job placement with a destination database*, "worker allocation" (FI-01 to FI-07). O(1).
public final class WorkerBudget {
    /// What one owner may have.
    ///
    /// @param floor always (`max_message_concurrency`)
    /// @param scale times the free workers (`scale_max_concurrency`)
    public record Shares(int floor, int scale) {
        public Shares {
            if (floor < 1 || scale < 0) {
                throw new IllegalArgumentException("a share has a floor of at least 1: " + floor + ", " + scale);
            }
        }
    }

    private final int workers;
    private final Shares messages;
    private final Shares verification;
    private final Map<Owner, Integer> busyFor = new LinkedHashMap<>();
    private int busy;

    public WorkerBudget(int workers, Shares messages, Shares verification) {
        this.workers = workers;
        this.messages = messages;
        this.verification = verification;
    }

    /// May this owner have one more worker? (`allowed_new_worker`; whether there *is* one is another question.)
    public boolean allows(Owner owner) {
        Shares shares = switch (owner) {
            case Owner.Message _ -> messages;
            case Owner.Verification _ -> verification;
        };
        int has = busyFor(owner);
        return has < shares.floor() || has < (long) shares.scale() * free();
    }

    /// A worker begins to work for this owner.
    public void begins(Owner owner) {
        busyFor.merge(owner, 1, Integer::sum);
        busy++;
    }

    /// It no longer does.
    public void ends(Owner owner) {
        if (!busyFor.containsKey(owner)) {
            throw new IllegalStateException("no worker is busy for " + owner);
        }
        busyFor.compute(owner, (_, n) -> n == 1 ? null : n - 1);
        busy--;
    }

    /// The owner's message concurrency.
    public int busyFor(Owner owner) {
        return busyFor.getOrDefault(owner, 0);
    }

    public int busy() {
        return busy;
    }

    /// Workers that do nothing, among them those that hold an idle connection.
    public int free() {
        return workers - busy;
    }

    public int workers() {
        return workers;
    }
}
