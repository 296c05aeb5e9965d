package org.slipstream.qmgr;

/// The queue manager's settings, in milliseconds and counts; `docs/configuration.md` has their names in `mta.toml`.
///
/// @param activeLimit messages in the active set (Postfix `qmgr_message_active_limit`)
/// @param minimalBackoffMillis first retry gap and lease of a scanned message (`minimal_backoff_time`)
/// @param maximalBackoffMillis longest retry gap (`maximal_backoff_time`)
/// @param lifetimeMillis age at which a deferral becomes a failure (`maximal_queue_lifetime`)
/// @param bounceLifetimeMillis the same for the null sender (`bounce_queue_lifetime`)
/// @param delayNoticeMillis age at which the sender is told once of a delay; 0 for never (`delay_warning_time`)
/// @param recipientsPerDelivery recipients in one transaction (`default_destination_recipient_limit`)
/// @param recipientBatch recipients read into memory at a time
/// @param lanesPerDestination connections to one destination (`default_destination_concurrency_limit`)
/// @param lanes connections of one transport in all (`default_process_limit`)
/// @param idleLaneMillis how long an unused connection is kept
/// @param scanLimit messages asked for in one scan
/// @param scanIntervalMillis the safety net: a scan happens at least this often (`queue_run_delay`)
public record QmgrConfig(int activeLimit, long minimalBackoffMillis, long maximalBackoffMillis, long lifetimeMillis,
        long bounceLifetimeMillis, long delayNoticeMillis, int recipientsPerDelivery, int recipientBatch,
        int lanesPerDestination, int lanes, long idleLaneMillis, int scanLimit, long scanIntervalMillis) {

    /// What a server on the open Internet needs; the figures are Postfix's, but for the shorter bounce lifetime.
    public static QmgrConfig defaults() {
        return new QmgrConfig(20_000, 300_000, 4_000_000, 432_000_000, 172_800_000, 14_400_000, 50, 1_000, 20, 100,
                2_000, 1_000, 300_000);
    }
}
