package org.slipstream.qmgr;

import org.slipstream.qmgr.flow.FeedbackVariant;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.OrderPolicy;

import java.util.Optional;
import java.util.random.RandomGenerator;

/// The queue manager's settings, in milliseconds and counts; `docs/configuration.md` has their names in `mta.toml`.
///
/// @param activeLimit messages in the active set (Postfix `qmgr_message_active_limit`)
/// @param minimalBackoffMillis first retry gap, lease of a scanned message, and how long a destination stays dead
/// (`minimal_backoff_time`)
/// @param maximalBackoffMillis longest retry gap (`maximal_backoff_time`)
/// @param lifetimeMillis age at which a deferral becomes a failure (`maximal_queue_lifetime`)
/// @param bounceLifetimeMillis the same for the null sender (`bounce_queue_lifetime`)
/// @param secondExpiryMillis after the lifetime: when a message fails that has never been tried (ZMailer's `expiry2`); 0: with the lifetime,
/// as in Postfix; `Long.MAX_VALUE`: never
/// @param delayNoticeMillis age at which the sender is told once of a delay; 0 for never (`delay_warning_time`)
/// @param recipientsPerDelivery recipients in one transaction, for transports without settings of their own
/// (`default_destination_recipient_limit`)
/// @param recipientBatch recipients read from the spool at a time, at most
/// @param lanesPerDestination connections to one destination, for transports without settings of their own
/// (`default_destination_concurrency_limit`)
/// @param lanes connections of one transport in all, for transports without settings of their own
/// (`default_process_limit`)
/// @param idleLaneMillis how long an unused connection is kept
/// @param scanLimit messages asked for in one scan
/// @param scanIntervalMillis the safety net: a scan happens at least this often (`queue_run_delay`)
/// @param memory how many recipients may be in memory
/// @param policy in which order entries are served: the preemptive list, or what came before it, to compare
/// ([#withPolicy]; in `mta.toml` and scenario files `preemptive`, `round-robin`, `fifo`)
/// @param feedback which text of the feedback algorithm windows follow ([#withFeedback]; `pseudocode`, `postfix-source`,
/// `plus-minus-one`). The manager before 2.5 is [OrderPolicy#ROUND_ROBIN] with [FeedbackVariant#PLUS_MINUS_ONE]
/// @param transportRetryMillis how long a broken transport rests (`transport_retry_time`)
/// @param transports what else can be set, by transport
/// @param spacedStarts bulk deliveries to one destination start one after the other ([org.slipstream.qmgr.flow.Spacing]);
/// false is the plain algorithm
/// @param recipientDelimiter between a mailbox and its extension (`recipient_delimiter`): where recipients are destinations of their own,
/// all extensions of a mailbox are one
public record QmgrConfig(int activeLimit, long minimalBackoffMillis, long maximalBackoffMillis, long lifetimeMillis,
        long bounceLifetimeMillis, long secondExpiryMillis, long delayNoticeMillis, int recipientsPerDelivery,
        int recipientBatch,
        int lanesPerDestination, int lanes, long idleLaneMillis, int scanLimit, long scanIntervalMillis, Memory memory,
        OrderPolicy policy, FeedbackVariant feedback, long transportRetryMillis, TransportTable transports,
        boolean spacedStarts, Optional<String> recipientDelimiter) {

    /// Two days, as in ZMailer's sample.
    private static final long SECOND_EXPIRY_MILLIS = 172_800_000;

    /// How many recipients may be in memory.
    ///
    /// @param recipientLimit up to which first batches may fill it (`qmgr_message_recipient_limit`)
    /// @param messageMinimum of any message, whatever the pools say (`qmgr_message_recipient_minimum`)
    public record Memory(int recipientLimit, int messageMinimum) {
        public Memory {
            if (recipientLimit < 1 || messageMinimum < 1) {
                throw new IllegalArgumentException(
                        "limits of recipients in memory are at least 1: " + recipientLimit + ", " + messageMinimum);
            }
        }

        /// Postfix's defaults.
        public static Memory defaults() {
            return new Memory(20_000, 10);
        }
    }

    /// With the usual figures for everything that is not named.
    public QmgrConfig(int activeLimit, long minimalBackoffMillis, long maximalBackoffMillis, long lifetimeMillis,
            long bounceLifetimeMillis, long delayNoticeMillis, int recipientsPerDelivery, int recipientBatch,
            int lanesPerDestination, int lanes, long idleLaneMillis, int scanLimit, long scanIntervalMillis) {
        this(activeLimit, minimalBackoffMillis, maximalBackoffMillis, lifetimeMillis, bounceLifetimeMillis,
                SECOND_EXPIRY_MILLIS, delayNoticeMillis, recipientsPerDelivery, recipientBatch, lanesPerDestination,
                lanes, idleLaneMillis,
                scanLimit, scanIntervalMillis, Memory.defaults(), OrderPolicy.PREEMPTIVE, FeedbackVariant.PSEUDOCODE,
                60_000,
                TransportTable.of(TransportSettings.defaults().withRecipientsPerDelivery(recipientsPerDelivery)
                        .withConcurrency(lanes, TransportSettings.defaults().initialConcurrency(),
                                lanesPerDestination)),
                false, Optional.empty());
    }

    /// What a server on the open Internet needs; the figures are Postfix's, but for the shorter bounce lifetime.
    public static QmgrConfig defaults() {
        return new QmgrConfig(20_000, 300_000, 4_000_000, 432_000_000, 172_800_000, 14_400_000, 50, 1_000, 20, 100,
                2_000, 1_000, 300_000);
    }

    public QmgrConfig withSecondExpiry(long millis) {
        return new QmgrConfig(activeLimit, minimalBackoffMillis, maximalBackoffMillis, lifetimeMillis,
                bounceLifetimeMillis, millis, delayNoticeMillis, recipientsPerDelivery, recipientBatch,
                lanesPerDestination,
                lanes, idleLaneMillis, scanLimit, scanIntervalMillis, memory, policy, feedback, transportRetryMillis,
                transports, spacedStarts, recipientDelimiter);
    }

    public QmgrConfig withTransports(TransportTable table) {
        return new QmgrConfig(activeLimit, minimalBackoffMillis, maximalBackoffMillis, lifetimeMillis,
                bounceLifetimeMillis, secondExpiryMillis, delayNoticeMillis, recipientsPerDelivery, recipientBatch,
                lanesPerDestination,
                lanes, idleLaneMillis, scanLimit, scanIntervalMillis, memory, policy, feedback, transportRetryMillis,
                table, spacedStarts, recipientDelimiter);
    }

    public QmgrConfig withMemory(Memory limits) {
        return new QmgrConfig(activeLimit, minimalBackoffMillis, maximalBackoffMillis, lifetimeMillis,
                bounceLifetimeMillis, secondExpiryMillis, delayNoticeMillis, recipientsPerDelivery, recipientBatch,
                lanesPerDestination,
                lanes, idleLaneMillis, scanLimit, scanIntervalMillis, limits, policy, feedback, transportRetryMillis,
                transports, spacedStarts, recipientDelimiter);
    }

    public QmgrConfig withFeedback(FeedbackVariant variant) {
        return new QmgrConfig(activeLimit, minimalBackoffMillis, maximalBackoffMillis, lifetimeMillis,
                bounceLifetimeMillis, secondExpiryMillis, delayNoticeMillis, recipientsPerDelivery, recipientBatch,
                lanesPerDestination,
                lanes, idleLaneMillis, scanLimit, scanIntervalMillis, memory, policy, variant, transportRetryMillis,
                transports, spacedStarts, recipientDelimiter);
    }

    public QmgrConfig withPolicy(OrderPolicy order) {
        return new QmgrConfig(activeLimit, minimalBackoffMillis, maximalBackoffMillis, lifetimeMillis,
                bounceLifetimeMillis, secondExpiryMillis, delayNoticeMillis, recipientsPerDelivery, recipientBatch,
                lanesPerDestination,
                lanes, idleLaneMillis, scanLimit, scanIntervalMillis, memory, order, feedback, transportRetryMillis,
                transports, spacedStarts, recipientDelimiter);
    }

    public QmgrConfig withRecipientDelimiter(Optional<String> delimiter) {
        return new QmgrConfig(activeLimit, minimalBackoffMillis, maximalBackoffMillis, lifetimeMillis,
                bounceLifetimeMillis, secondExpiryMillis, delayNoticeMillis, recipientsPerDelivery, recipientBatch,
                lanesPerDestination, lanes, idleLaneMillis, scanLimit, scanIntervalMillis, memory, policy, feedback,
                transportRetryMillis, transports, spacedStarts, delimiter);
    }

    public QmgrConfig withSpacedStarts(boolean spaced) {
        return new QmgrConfig(activeLimit, minimalBackoffMillis, maximalBackoffMillis, lifetimeMillis,
                bounceLifetimeMillis, secondExpiryMillis, delayNoticeMillis, recipientsPerDelivery, recipientBatch,
                lanesPerDestination,
                lanes, idleLaneMillis, scanLimit, scanIntervalMillis, memory, policy, feedback, transportRetryMillis,
                transports, spaced, recipientDelimiter);
    }

    /// The settings of a transport.
    public TransportSettings transport(String name) {
        return transports.of(name);
    }

    // The original raises it in the same way: every message has at least one recipient.
    int recipientLimit() {
        return Math.max(memory.recipientLimit(), activeLimit);
    }

    /// A seating where every destination has one host and every connection carries one delivery at a time. With it the brain decides as
    /// Postfix does.
    public Seating plainSeating(RandomGenerator random) {
        return new Seating(this::plainRules, new DestDb(
                PlaceRules.defaults().memory().withRetry(minimalBackoffMillis, 0,
                        maximalBackoffMillis)),
                HostKeys.BY_NAME, HostMemory.NONE, random);
    }

    /// The rules of a transport whose destinations have one host each: local delivery, LMTP, discard.
    public PlaceRules plainRules(String transport) {
        TransportSettings settings = transport(transport);
        return PlaceRules.plain(settings.processLimit(), settings.concurrencyLimit(), idleLaneMillis);
    }
}
