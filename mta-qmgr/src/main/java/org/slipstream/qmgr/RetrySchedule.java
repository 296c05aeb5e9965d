package org.slipstream.qmgr;

import org.slipstream.core.Outcome;
import org.slipstream.core.Reply;

/// How long a message is kept trying, and how often.
///
/// **The curve** is Postfix's: the next attempt comes after as long as the message has existed, at least the minimal and
/// at most the maximal backoff. Age doubles with every attempt until the maximum cuts in, without a counter that would have
/// to be kept: with 300 s and 4000 s the attempts are at 0, 300, 600, 1200, 2400, 4800, 8800, 12800 … s (PF-29). New mail
/// is tried eagerly, old mail costs little.
///
/// **The first gap is the minimal backoff**, however old the message is. Postfix would count the age here, too. But a message may be old because its
/// host was suspended, `queue.deliver` was off or this server stood still; that is not the destination's fault and must not use up the
/// schedule.
///
/// **Expiry** is a matter of age as well, and the null sender's mail, which is nobody's but a report's, has a shorter one
/// (RFC 5321 section 4.5.4.1 asks for 4 to 5 days; PF-30). The lifetime ends a message that has been tried (ZMailer's `expiry`, ZM-35): a
/// backlog that is older than its lifetime, because this server stood still or the destination was dead, still gets its attempt. A message that
/// never gets one fails when the second expiry has passed as well (`expiry2`, ZM-36). An operator's hold is no attempt.
final class RetrySchedule {
    private final QmgrConfig config;

    RetrySchedule(QmgrConfig config) {
        this.config = config;
    }

    long nextAttemptMillis(long createdMillis, long nowMillis) {
        return nowMillis + Math.clamp(nowMillis - createdMillis, config.minimalBackoffMillis(),
                Math.max(config.minimalBackoffMillis(), config.maximalBackoffMillis()));
    }

    /// After the first attempt.
    long secondAttemptMillis(long nowMillis) {
        return nowMillis + config.minimalBackoffMillis();
    }

    /// No next attempt is later than this.
    long furthestMillis(long nowMillis) {
        return nowMillis + Math.max(config.minimalBackoffMillis(), config.maximalBackoffMillis());
    }

    /// @param tried at least one attempt has been counted
    boolean isExpired(boolean nullSender, boolean tried, long createdMillis, long nowMillis) {
        long overdue = nowMillis - createdMillis - (nullSender ? bounceLifetimeMillis() : config.lifetimeMillis());
        return overdue >= (tried ? 0 : config.secondExpiryMillis());
    }

    /// Late enough for the sender to be told.
    boolean isLate(long createdMillis, long nowMillis) {
        return config.delayNoticeMillis() > 0 && nowMillis - createdMillis >= config.delayNoticeMillis();
    }

    /// Held messages created before this may have expired; which of them have is checked one by one.
    long expiryHorizonMillis(long nowMillis) {
        return nowMillis - Math.min(config.lifetimeMillis(), bounceLifetimeMillis()) + 1;
    }

    /// What a recipient gets whose message is too old to be tried again.
    Outcome.Failed expired(Outcome last, long createdMillis, long nowMillis) {
        return expired(nowMillis - createdMillis, "; last reply: " + last.reply(), last.remote());
    }

    /// What a recipient gets whose message is too old and was held.
    Outcome.Failed expiredUntried(long createdMillis, long nowMillis, String remote) {
        return expired(nowMillis - createdMillis, " while it was held", remote);
    }

    private static Outcome.Failed expired(long ageMillis, String ending, String remote) {
        return new Outcome.Failed(
                Reply.of(554, "5.4.7", "message expired in queue after " + duration(ageMillis) + ending),
                remote);
    }

    /// What a recipient gets whose message was to be there by now (RFC 2852 section 4: mode R).
    static Outcome.Failed tooLate(String lastReply, String remote) {
        return new Outcome.Failed(
                Reply.of(554, "5.4.7", "not delivered by the time its sender named" + lastReply), remote);
    }

    // Postfix lowers it in the same way.
    private long bounceLifetimeMillis() {
        return Math.min(config.bounceLifetimeMillis(), config.lifetimeMillis());
    }

    /// The two largest units: `5d`, `2h 13m`, `45s`.
    static String duration(long millis) {
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
