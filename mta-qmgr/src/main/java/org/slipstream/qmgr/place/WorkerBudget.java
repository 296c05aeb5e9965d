package org.slipstream.qmgr.place;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntSupplier;

/// Shares workers among messages: Finch's `allowed_new_worker`. A large message can use idle
/// workers, and a new message always finds some free.
///
/// Two simple rules fail. *First come, first served*: a message to fifty thousand recipients takes
/// every worker, and all other mail waits until it is done. *Equal shares*: with as many messages
/// as workers each has one, and a large message is slow although hundreds of workers may be idle.
///
/// The rule: a message may have another worker when it has fewer than a small **floor**, or fewer
/// than **scale times the free workers**. A lone message grows until its share m equals s·(W − m),
/// that is s/(1+s) of the workers: 91 % at s = 10. Some workers are always free, and a new message
/// takes from these at once. As jobs of the first message end, its limit is lower by the newcomer's
/// share and it does not replace them. So the two converge at s/(1+2s) = 47.6 % each, n messages at
/// s/(1+ns). No job is interrupted, and the only state per message is its count.
///
/// A worker counts for the delivery that it processes, not for queued ones: a delivery that shares
/// a connection opened for others adds nothing to its message's count. The rule serves workers that
/// look up routes (FI-05) as well as connections.
///
/// Source: Tony Finch, *Job placement with a destination database*, "worker allocation" (FI-01 to
/// FI-07). O(1).
public final class WorkerBudget {
    /// The share of one owner.
    ///
    /// @param floor minimum (`max_message_concurrency`)
    /// @param scale factor of the free workers (`scale_max_concurrency`)
    public record Shares(int floor, int scale) {
        public Shares {
            if (floor < 1 || scale < 0) {
                throw new IllegalArgumentException("a share has a floor of at least 1: " + floor + ", " + scale);
            }
        }
    }

    private final IntSupplier workers;
    private Shares messages;
    private Shares verification;
    private final Map<Owner, Integer> busyFor = new LinkedHashMap<>();
    private int busy;

    public WorkerBudget(int workers, Shares messages, Shares verification) {
        this(() -> workers, messages, verification);
    }

    /// @param workers their number, which may change
    WorkerBudget(IntSupplier workers, Shares messages, Shares verification) {
        this.workers = workers;
        this.messages = messages;
        this.verification = verification;
    }

    void change(Shares ofMessages, Shares ofVerification) {
        messages = ofMessages;
        verification = ofVerification;
    }

    /// True when this owner may have one more worker (`allowed_new_worker`). Whether one is free is
    /// a separate question.
    public boolean allows(Owner owner) {
        Shares shares = switch (owner) {
            case Owner.Message _ -> messages;
            case Owner.Verification _ -> verification;
        };
        int has = busyFor(owner);
        return has < shares.floor() || has < (long) shares.scale() * free();
    }

    /// A worker starts for this owner.
    public void begins(Owner owner) {
        busyFor.merge(owner, 1, Integer::sum);
        busy++;
    }

    /// A worker of this owner finished.
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

    /// Free workers, including those with an idle connection.
    public int free() {
        return workers() - busy;
    }

    public int workers() {
        return workers.getAsInt();
    }
}
