package org.slipstream.qmgr.settle;

import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RetryHint;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.RetryBounds;
import org.slipstream.qmgr.settings.DelayTimes;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.wake.ErrorClass;
import org.slipstream.qmgr.wake.RetryClause;
import org.slipstream.qmgr.wake.RetryPolicies;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/// The retry schedule: the time of the next attempt, and the age at which a message expires.
///
/// **The curve** is that of a [RetryPolicy][org.slipstream.qmgr.wake.RetryPolicy], by default
/// Postfix's: the next attempt comes after as long as the message has existed, at least the minimal
/// and at most the maximal backoff. The age doubles with every attempt up to the maximum: with
/// 300 s and 4000 s the attempts are at 0, 300, 600, 1200, 2400, 4800, 8800, 12800 … s (PF-29). New
/// mail is tried often, old mail costs little. Each deferred recipient has the policy of its
/// destination and of its error; the message waits for the earliest.
///
/// RFC 5321 section 4.5.4 asks for pauses of 30 minutes and more, later ones longer than the first.
///
/// **The first interval is that of a new message**, whatever the age of the message. Postfix would
/// use the age here, too. But a message may be old because its host was suspended, `queue.deliver`
/// was off or this server was down; that is not the destination's fault and must not use up the
/// schedule.
///
/// **A delay that a host names** in its reply can only lengthen the pause of the recipients with
/// that reply, and not past the longest pause of a policy in use.
///
/// **Without an attempt** in this activation the pause is at least the minimal backoff, whatever
/// the policy: a policy of one second must not write to the disk each second for a dead
/// destination.
///
/// **Expiry** depends on age as well. Mail of the null sender has a shorter lifetime (RFC 5321
/// section 4.5.4.1 requires 4 to 5 days; PF-30). The lifetime ends a message that has been tried
/// (ZMailer's `expiry`, ZM-35): a backlog older than its lifetime, because this server was down or
/// the destination was dead, still gets an attempt. A message without an attempt fails when the
/// second expiry has passed as well (`expiry2`, ZM-36). A hold does not count as an attempt. A retry
/// policy may have a shorter lifetime, for its destination or its class of errors.
public final class RetrySchedule {
    private QmgrConfig config;
    private RetryPolicies policies;
    private DelayTimes delayTimes;

    public RetrySchedule(QmgrConfig config) {
        this.config = config;
        this.policies = config.retryPolicies();
        this.delayTimes = config.delayTimes();
    }

    public void change(QmgrConfig settings) {
        config = settings;
        policies = settings.retryPolicies();
        delayTimes = settings.delayTimes();
    }

    /// The time of the next attempt: the earliest of its deferred recipients, or that of the common
    /// policy when none was deferred.
    long nextAttemptMillis(Activation message, long nowMillis) {
        long next = Long.MAX_VALUE;
        for (SameReply same : SameReply.of(message.deferred())) {
            long hinted = nowMillis + RetryHint.millis(same.reply()).orElse(0);
            next = Math.min(next, Math.max(Math.max(nextAttemptMillis(clause(same), message, nowMillis), hinted),
                    same.bounds().notBeforeMillis()));
        }
        return Math.min(next == Long.MAX_VALUE ? nextAttemptMillis(policies.common(), message, nowMillis) : next,
                furthestMillis(nowMillis));
    }

    private RetryClause clause(SameReply same) {
        return policies.of(same.bounds().policy(), ErrorClass.of(same.reply()));
    }

    /// Deferred recipients in a row with the same reply and the same bounds. A list of 2,000 recipients
    /// usually has one such reply, whose text is then read once.
    private record SameReply(Reply reply, RetryBounds bounds) {
        static Set<SameReply> of(List<Activation.DeferredRecipient> deferred) {
            Set<SameReply> all = new LinkedHashSet<>();
            deferred.forEach(each -> all.add(of(each)));
            return all;
        }

        static SameReply of(Activation.DeferredRecipient deferred) {
            return new SameReply(deferred.outcome().reply(), deferred.bounds());
        }
    }

    private long nextAttemptMillis(RetryClause clause, Activation message, long nowMillis) {
        boolean first = message.isAttempted() && !message.wasAttemptedBefore();
        long ageMillis = first ? 0 : Math.max(0, nowMillis - message.createdMillis);
        long pause = clause.pauseMillis(ageMillis, message.attempts(), message.id.value());
        return nowMillis + (message.isAttempted() ? pause : Math.max(pause, config.minimalBackoffMillis()));
    }

    /// The earliest time at which recipients may be tried again whose host has refused them.
    ///
    /// @param hintMillis the delay that the host requested; it can only lengthen the pause
    public long afterFailureMillis(OptionalLong hintMillis, long nowMillis) {
        return nowMillis + Math.max(config.minimalBackoffMillis(), hintMillis.orElse(0));
    }

    /// The latest possible time of a next attempt.
    long furthestMillis(long nowMillis) {
        return nowMillis + Math.max(config.minimalBackoffMillis(), policies.furthestMillis());
    }

    /// The deferred recipients that have no further attempt: all of a message that has expired, else
    /// those that are older than the lifetime of their policy.
    List<Activation.DeferredRecipient> expired(Activation message, long nowMillis) {
        if (isExpired(message.sender.isEmpty(), message.hasBeenTried(), message.createdMillis, nowMillis)) {
            return message.deferred();
        }
        long ageMillis = nowMillis - message.createdMillis;
        if (!message.hasBeenTried() || ageMillis < policies.shortestLifetimeMillis()) {
            return List.of();
        }
        Set<SameReply> overdue = SameReply.of(message.deferred());
        overdue.removeIf(same -> ageMillis < clause(same).lifetimeMillis());
        return message.deferred().stream().filter(each -> overdue.contains(SameReply.of(each))).toList();
    }

    /// @param tried at least one attempt has been counted
    public boolean isExpired(boolean nullSender, boolean tried, long createdMillis, long nowMillis) {
        long overdue = nowMillis - createdMillis - (nullSender ? bounceLifetimeMillis() : config.lifetimeMillis());
        return overdue >= (tried ? 0 : config.secondExpiryMillis());
    }

    /// True when the message is old enough for one more delay report.
    ///
    /// @param reports delay times that reports cover
    boolean isLate(int reports, long createdMillis, long nowMillis) {
        return delayTimes.passed(createdMillis, nowMillis) > reports;
    }

    /// Held messages created before this time may have expired; each is checked individually.
    long expiryHorizonMillis(long nowMillis) {
        return nowMillis - Math.min(config.lifetimeMillis(), bounceLifetimeMillis()) + 1;
    }

    /// The outcome of a recipient whose message has expired.
    static Outcome.Failed expired(Outcome last, long createdMillis, long nowMillis) {
        return expired(nowMillis - createdMillis, "; last reply: " + last.reply(), last.remote());
    }

    /// The outcome of a recipient whose message expired on hold.
    public Outcome.Failed expiredUntried(long createdMillis, long nowMillis, String remote) {
        return expired(nowMillis - createdMillis, " while on hold", remote);
    }

    /// The outcome of a recipient whose message an operator expired before its first attempt.
    static Outcome.Failed expiredBeforeAttempt(long createdMillis, long nowMillis, String remote) {
        return expired(nowMillis - createdMillis, " without an attempt", remote);
    }

    private static Outcome.Failed expired(long ageMillis, String ending, String remote) {
        return new Outcome.Failed(
                Reply.of(554, "5.4.7", "message expired in queue after " + duration(ageMillis) + ending),
                remote);
    }

    /// The outcome of a recipient whose message missed its deadline (RFC 2852 section 4, mode R).
    public static Outcome.Failed tooLate(String lastReply, String remote) {
        return new Outcome.Failed(DeliveryOptions.tooLate(lastReply), remote);
    }

    /// When a deferral becomes a failure, by the lifetime of all mail; the policy of a destination may
    /// have a shorter one.
    public long expiryMillis(long createdMillis, boolean nullSender) {
        return createdMillis + (nullSender ? bounceLifetimeMillis() : config.lifetimeMillis());
    }

    // As in Postfix, at most the normal lifetime.
    private long bounceLifetimeMillis() {
        return Math.min(config.bounceLifetimeMillis(), config.lifetimeMillis());
    }

    /// The two largest units: `5d`, `2h 13m`, `45s`.
    public static String duration(long millis) {
        long seconds = Math.max(0, millis / 1_000);
        long[] amounts = {seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60};
        String units = "dhms";
        for (int i = 0; i < amounts.length; i++) {
            if (amounts[i] > 0) {
                String first = amounts[i] + units.substring(i, i + 1);
                boolean exact = i == amounts.length - 1 || amounts[i + 1] == 0;
                return exact ? first : first + " " + amounts[i + 1] + units.charAt(i + 1);
            }
        }
        return "0s";
    }
}
