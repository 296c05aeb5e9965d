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

/// The settings of the queue manager, in milliseconds and counts; `docs/configuration.md` lists
/// their names in `mta.toml`.
///
/// @param activeLimit messages in the active set (Postfix `qmgr_message_active_limit`)
/// @param minimalBackoffMillis first retry interval, lease of a scanned message, and dead time of a
/// destination (`minimal_backoff_time`)
/// @param maximalBackoffMillis longest retry interval (`maximal_backoff_time`)
/// @param lifetimeMillis age at which a deferral becomes a failure (`maximal_queue_lifetime`)
/// @param bounceLifetimeMillis the same for the null sender (`bounce_queue_lifetime`)
/// @param secondExpiryMillis time after the lifetime at which a message without an attempt fails
/// (ZMailer's `expiry2`); 0: with the lifetime, as in Postfix; `Long.MAX_VALUE`: never
/// @param delayNoticeMillis age at which the sender gets one delay report; 0 for never
/// (`delay_warning_time`)
/// @param recipientsPerDelivery recipients in one transaction, for transports without their own
/// settings (`default_destination_recipient_limit`)
/// @param recipientBatch recipients read from the spool at a time, at most
/// @param lanesPerDestination connections to one destination, for transports without their own
/// settings (`default_destination_concurrency_limit`)
/// @param lanes connections of one transport in all, for transports without their own settings
/// (`default_process_limit`)
/// @param idleLaneMillis time for which an unused connection is kept
/// @param scanLimit messages requested in one scan
/// @param scanIntervalMillis longest time between two scans (`queue_run_delay`)
/// @param memory limits of recipients in memory
/// @param policy order in which entries are served: the preemptive list, or an older order for
/// comparison ([#withPolicy]; in `mta.toml` and scenario files `preemptive`, `round-robin`, `fifo`)
/// @param feedback version of the feedback algorithm for windows ([#withFeedback]; `pseudocode`,
/// `postfix-source`, `plus-minus-one`). The queue manager before Postfix 2.5 is
/// [OrderPolicy#ROUND_ROBIN] with [FeedbackVariant#PLUS_MINUS_ONE]
/// @param transportRetryMillis dead time of a transport (`transport_retry_time`)
/// @param transports settings by transport
/// @param spacedStarts bulk deliveries to one destination start at intervals
/// ([org.slipstream.qmgr.flow.Spacing]); false is the plain algorithm
/// @param recipientDelimiter between a mailbox and its extension (`recipient_delimiter`): with
/// per-recipient destinations, all extensions of a mailbox are one
public record QmgrConfig(int activeLimit, long minimalBackoffMillis, long maximalBackoffMillis, long lifetimeMillis,
        long bounceLifetimeMillis, long secondExpiryMillis, long delayNoticeMillis, int recipientsPerDelivery,
        int recipientBatch,
        int lanesPerDestination, int lanes, long idleLaneMillis, int scanLimit, long scanIntervalMillis, Memory memory,
        OrderPolicy policy, FeedbackVariant feedback, long transportRetryMillis, TransportTable transports,
        boolean spacedStarts, Optional<String> recipientDelimiter) {

    /// Two days, as in ZMailer's sample.
    private static final long SECOND_EXPIRY_MILLIS = 172_800_000;

    /// Limits of recipients in memory.
    ///
    /// @param recipientLimit up to which first batches may fill memory
    /// (`qmgr_message_recipient_limit`)
    /// @param messageMinimum minimum for any message, independent of the pools
    /// (`qmgr_message_recipient_minimum`)
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

    /// Defaults for all components that are not named.
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

    /// Defaults for a server on the Internet; the values are Postfix's, except for the shorter
    /// bounce lifetime.
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

    // Postfix raises the limit in the same way: every message has at least one recipient.
    int recipientLimit() {
        return Math.max(memory.recipientLimit(), activeLimit);
    }

    /// A seating in which every destination has one host and every connection carries one delivery
    /// at a time. With it the queue manager decides as Postfix does.
    public Seating plainSeating(RandomGenerator random) {
        return new Seating(this::plainRules, new DestDb(
                PlaceRules.defaults().memory().withRetry(minimalBackoffMillis, 0,
                        maximalBackoffMillis)),
                HostKeys.BY_NAME, HostMemory.NONE, random);
    }

    /// The rules of a transport whose destinations have one host each: local delivery, LMTP,
    /// discard.
    public PlaceRules plainRules(String transport) {
        TransportSettings settings = transport(transport);
        return PlaceRules.plain(settings.processLimit(), settings.concurrencyLimit(), idleLaneMillis);
    }
}
