package org.slipstream.qmgr.settings;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;
import org.slipstream.qmgr.event.ActivationOrder.PickUp;
import org.slipstream.qmgr.flow.FeedbackVariant;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.qmgr.wake.RetrySettings;
import org.slipstream.qmgr.wake.WakeDestination;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The settings of a queue manager that hold for all its transports: the section `[queue]`, and
/// what `[scheduler]` and `[concurrency]` say of all transports. [TransportSettings] has the
/// others.
///
/// @param minimalBackoff first retry gap, lease of a scanned message, and how long a destination
///     stays dead (`minimal_backoff_time`)
/// @param maximalBackoff longest retry gap (`maximal_backoff_time`)
/// @param retry the name of a retry policy
/// @param lifetime age at which a deferral becomes a failure (`maximal_queue_lifetime`)
/// @param bounceLifetime the same for the null sender (`bounce_queue_lifetime`)
/// @param secondExpiry after the lifetime: when a message fails that has never been tried
///     (ZMailer's `expiry2`); zero: with the lifetime, as in Postfix; empty: never
/// @param delayNotice ages at which the sender is told of a delay, at most four (ZMailer's
///     `reporttimes`); zero for never (`delay_warning_time`)
/// @param reports when reports to senders are made
/// @param activeMessages messages in the active set (`qmgr_message_active_limit`)
/// @param idleConnection how long an unused connection is kept
/// @param scanInterval the safety net: a scan happens at least this often (`queue_run_delay`)
/// @param lanesOfServer busy connections of all transports (ZMailer's `maxta`); 0: no limit
/// @param wakeDestination which event makes all mail of a destination due
/// @param spacedStarts bulk deliveries to one destination start one after the other
/// ([org.slipstream.qmgr.flow.Spacing]); false is
/// the plain algorithm
/// @param order in which order entries are served: the preemptive list, or what came before it, to
///     compare
/// @param pickUp whether new mail comes before all deferred mail
/// @param memory how many recipients may be in memory
/// @param feedbackVariant which text of the feedback algorithm windows follow. The manager before
///     2.5 is [OrderPolicy#ROUND_ROBIN] with [FeedbackVariant#PLUS_MINUS_ONE]
/// @param transportRetry how long a broken transport is paused (`transport_retry_time`)
@SettingsSection("queue")
public record QueueSettings(
        @Setting(value = "300s", min = "1ms",
                doc = "Shortest pause before the next attempt, and how long a host or destination that failed is"
                        + " left alone.") Duration minimalBackoff,
        @Setting(value = "4000s", min = "1ms",
                doc = "Longest pause before the next attempt.") Duration maximalBackoff,
        @Setting(value = RetrySettings.POSTFIX, form = "retry-policy",
                doc = "The retry policy of all mail: `postfix`, `zmailer`, `qmail`, or one of `[retry]`;"
                        + " docs/retry.md.") String retry,
        @Setting(value = "5d",
                doc = "Age at which undelivered mail is returned.") Duration lifetime,
        @Setting(value = "2d",
                doc = "Age at which an undelivered report is dropped.") Duration bounceLifetime,
        @Setting(value = "2d", none = "never", expert = true,
                doc = "How much later mail is returned that has not been tried once by the end of its lifetime,"
                        + " because the destination was dead, the server was stopped, or an operator held it."
                        + " `never`: it stays until it is tried.") Optional<Duration> secondExpiry,
        @Setting(value = "4h",
                doc = "Ages at which the sender is told of a delay, at most four. `0s`: never.") List<Duration> delayNotice,
        ReportSettings reports,
        @Setting(value = "20000", min = "1", expert = true,
                doc = "Messages in memory at once. The others wait on disk.") int activeMessages,
        @Setting(value = "2s", expert = true,
                doc = "How long an unused connection to another server is kept.") Duration idleConnection,
        @Setting(value = "300s", min = "1ms", expert = true,
                doc = "How often the disk is searched for mail that is due; a safety net.") Duration scanInterval,
        @Setting(value = "0", max = "100000", expert = true,
                doc = "Connections of all transports together. `0`: no limit but those of the"
                        + " transports.") int lanesOfServer,
        @Setting(value = "off", form = "wake-destination", expert = true,
                doc = "The event that makes all deferred mail of a destination due at once: the first delivery that"
                        + " works after failures (`after-failure`), or the first message of it that is due, as in"
                        + " ZMailer (`thread`). `off`: each message waits for its own time, as in Postfix. `true` and"
                        + " `false` of older files are `after-failure` and `off`.") WakeDestination wakeDestination,
        @Setting(value = "true", expert = true,
                doc = "Bulk deliveries to a slow destination start one after the other, so that its connections do"
                        + " not all become free at once and a small message finds one soon. `false`: all at once, as"
                        + " in Postfix.") boolean spacedStarts,
        @Setting(section = "scheduler", value = "preemptive", restart = "the queue in memory has that order",
                expert = true,
                doc = "Order of service: small mail may pass bulk mail at a price (`preemptive`), destinations take"
                        + " turns as in old managers (`round-robin`), destinations start one after the other as in"
                        + " ZMailer's older style (`threads`), or first come, first served (`fifo`). The others are"
                        + " there to compare.") OrderPolicy order,
        @Setting(section = "scheduler", value = "alternate", expert = true,
                doc = "Which mail is taken into memory next: new and deferred mail in turn, one message each"
                        + " (`alternate`), or new mail as long as some waits (`new-first`). With `new-first` a server"
                        + " that gets more mail than it delivers does not try deferred mail.") PickUp pickUp,
        Memory memory,
        @Setting(section = "concurrency", value = "pseudocode", expert = true,
                doc = "The feedback algorithm as printed (`pseudocode`), as compiled in Postfix today"
                        + " (`postfix-source`), or as it was before Postfix 2.5"
                        + " (`plus-minus-one`).") FeedbackVariant feedbackVariant,
        @Setting(section = "concurrency", value = "60s", min = "1ms", expert = true,
                doc = "Pause of a transport that fails for a reason of this server.") Duration transportRetry) {

    /// The treatment of mail of the null sender that cannot be delivered.
    public enum DoubleBounce {
        DISCARD, POSTMASTER
    }

    /// When reports to senders are made, in `[queue]`.
    ///
    /// @param confirmDelayCleared tell the sender when a reported delay has ended
    ///     (`confirm_delay_cleared`)
    /// @param reportInterval how long failures of a message with open recipients are collected
    ///     (ZMailer's `interval` of reports)
    /// @param doubleBounce what happens to a report that cannot be delivered (`2bounce` in
    ///     `notify_classes`)
    @SettingsSection("queue")
    public record ReportSettings(
            @Setting(value = "false",
                    doc = "Tell the sender when a message was delivered after a report of its"
                            + " delay.") boolean confirmDelayCleared,
            @Setting(value = "15m", expert = true,
                    doc = "How long failures of a message are collected for one report while other recipients of it are"
                            + " still tried. Without such recipients the report is sent at once, and always with"
                            + " `0s`.") Duration reportInterval,
            @Setting(value = "discard",
                    doc = "Treatment of a report, or other mail of the null sender, that cannot be delivered: `discard`,"
                            + " or a notice to `local.postmaster` (`postmaster`). The log names it in either"
                            + " case.") DoubleBounce doubleBounce) {
        public static ReportSettings defaults() {
            return SettingsRecords.defaults(ReportSettings.class);
        }
    }

    /// How many recipients may be in memory.
    ///
    /// @param messageRecipientLimit up to which first batches may fill it
    ///     (`qmgr_message_recipient_limit`)
    /// @param messageRecipientMinimum of any message, whatever the pools say
    ///     (`qmgr_message_recipient_minimum`)
    @SettingsSection("scheduler")
    public record Memory(
            @Setting(value = "20000", min = "1", expert = true,
                    doc = "Recipients in memory up to which the first batch of a message is read in full; at least"
                            + " `queue.active-messages`.") int messageRecipientLimit,
            @Setting(value = "10", min = "1", expert = true,
                    doc = "Recipients that any message may have in memory, whatever the other limits"
                            + " are.") int messageRecipientMinimum) {
        public Memory {
            if (messageRecipientLimit < 1 || messageRecipientMinimum < 1) {
                throw new IllegalArgumentException(
                        "limits of recipients in memory are at least 1: " + messageRecipientLimit + ", "
                                + messageRecipientMinimum);
            }
        }

        /// Postfix's defaults.
        public static Memory defaults() {
            return SettingsRecords.defaults(Memory.class);
        }
    }

    /// Values for a server on the open Internet; the figures are Postfix's, except for the shorter
    /// bounce lifetime.
    public static QueueSettings defaults() {
        return SettingsRecords.defaults(QueueSettings.class);
    }
}
