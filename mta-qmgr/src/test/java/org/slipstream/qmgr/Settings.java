package org.slipstream.qmgr;

import org.slipstream.core.SettingsRecords;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.QueueSettings;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/// The defaults with single changes.
public final class Settings {
    public int activeLimit = 20_000;
    public long minimalBackoffMillis = 300_000;
    public long maximalBackoffMillis = 4_000_000;
    public long lifetimeMillis = 432_000_000;
    public long bounceLifetimeMillis = 172_800_000;
    public List<Duration> delayNotice = List.of(Duration.ofHours(4));
    /// Without collecting, so that a test sees each report at once.
    public QueueSettings.ReportSettings reports = SettingsRecords.with(QueueSettings.ReportSettings.defaults(),
            "reportInterval", Duration.ZERO);
    public int recipientsPerDelivery = 50;
    public int recipientBatch = 1_000;
    public int lanesPerDestination = 20;
    public int lanes = 100;
    public long idleLaneMillis = 2_000;
    public int scanLimit = 1_000;
    public long scanIntervalMillis = 300_000;

    private UnaryOperator<QmgrConfig> last = config -> config;

    public static QmgrConfig of(UnaryOperator<Settings> change) {
        Settings s = change.apply(new Settings());
        QueueSettings queue = SettingsRecords.with(QueueSettings.defaults(),
                Map.of("reports", s.reports, "activeMessages", s.activeLimit,
                        "minimalBackoff", Duration.ofMillis(s.minimalBackoffMillis),
                        "maximalBackoff", Duration.ofMillis(s.maximalBackoffMillis),
                        "lifetime", Duration.ofMillis(s.lifetimeMillis),
                        "bounceLifetime", Duration.ofMillis(s.bounceLifetimeMillis),
                        "delayNotice", s.delayNotice,
                        "idleConnection", Duration.ofMillis(s.idleLaneMillis),
                        "scanInterval", Duration.ofMillis(s.scanIntervalMillis),
                        "spacedStarts", false));
        TransportSettings transport = TransportSettings.defaults().withRecipientsPerDelivery(s.recipientsPerDelivery)
                .withConcurrency(s.lanes, TransportSettings.defaults().initialConcurrency(), s.lanesPerDestination);
        return s.last
                .apply(QmgrConfig.of(queue, TransportTable.of(transport)).withReads(s.recipientBatch, s.scanLimit));
    }

    /// A change without a short form here.
    public Settings also(UnaryOperator<QmgrConfig> change) {
        last = change;
        return this;
    }

    public Settings transport(UnaryOperator<TransportSettings> change) {
        return also(config -> config.withTransports(TransportTable.of(change.apply(config.transports().common()))));
    }

    public Settings active(int limit) {
        activeLimit = limit;
        return this;
    }

    public Settings scans(int limit) {
        scanLimit = limit;
        return this;
    }

    public Settings lanes(int perDestination, int all) {
        lanesPerDestination = perDestination;
        lanes = all;
        return this;
    }

    public Settings recipients(int perDelivery, int batch) {
        recipientsPerDelivery = perDelivery;
        recipientBatch = batch;
        return this;
    }

    public Settings lifetime(long millis, long ofBouncesMillis) {
        lifetimeMillis = millis;
        bounceLifetimeMillis = ofBouncesMillis;
        return this;
    }

    public Settings report(String component, Object value) {
        reports = SettingsRecords.with(reports, component, value);
        return this;
    }

    public Settings delayNotice(long... millis) {
        delayNotice = Arrays.stream(millis).mapToObj(Duration::ofMillis).toList();
        return this;
    }
}
