package org.slipstream.smtpout.demand;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.auth.sts.StsPolicy;
import org.slipstream.auth.sts.StsRecord;
import org.slipstream.auth.tlsreport.ReportedTlsPolicy;
import org.slipstream.auth.tlsreport.TlsOutcome;
import org.slipstream.core.LogText;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.smtpout.demand.StsDownload.Download;
import org.slipstream.smtpout.demand.StsStore.StoredPolicy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// The policies of MTA-STS by domain (RFC 8461).
///
/// | TXT record | known policy | what holds |
/// |---|---|---|
/// | none, or DNS fails | none | no policy; nothing is fetched |
/// | none, or DNS fails | valid | the known one |
/// | the id of the known one | valid | the known one; after half of its time it is fetched again in the background |
/// | another id | any | the new one. When it cannot be fetched: the known one while it is valid, or no policy |
///
/// A failed download is not repeated for [#PAUSE_MILLIS]. Questions about one domain share a download.
/// Blocking.
final class StsPolicies {
    static final long PAUSE_MILLIS = 300_000;

    private static final Logger log = LoggerFactory.getLogger(StsPolicies.class);
    private static final int MOST_PAUSES = 10_000;

    private final DnsLookup dns;
    private final StsDownload download;
    private final StsStore store;
    private final LongSupplier clockMillis;
    private final Consumer<TlsOutcome> outcomes;
    private final Map<String, CompletableFuture<Optional<StoredPolicy>>> underWay = new ConcurrentHashMap<>();

    // Guarded by itself. The end of the last failed download, by domain and id.
    private final Map<String, Long> failed = new LinkedHashMap<>();

    StsPolicies(DnsLookup dns, StsDownload download, StsStore store, LongSupplier clockMillis,
            Consumer<TlsOutcome> outcomes) {
        this.dns = dns;
        this.download = download;
        this.store = store;
        this.clockMillis = clockMillis;
        this.outcomes = outcomes;
    }

    /// The policy that holds now.
    ///
    /// @param domain in ASCII and lower case
    Optional<StsPolicy> find(String domain) {
        if (!StsStore.isDomain(domain)) {
            return Optional.empty();
        }
        Optional<StoredPolicy> known = store.find(domain, clockMillis.getAsLong());
        Optional<String> id = dns.ask("_mta-sts." + domain, RecordType.TXT) instanceof TextAnswer.Found found
                ? StsRecord.id(found.texts())
                : Optional.empty();
        if (id.isEmpty()) {
            return known.map(StoredPolicy::policy);
        }
        if (known.isPresent() && known.get().id().equals(id.get())) {
            if (known.get().isOld(clockMillis.getAsLong())) {
                shared(domain, id.get());
            }
            return known.map(StoredPolicy::policy);
        }
        return shared(domain, id.get()).join().or(() -> known).map(StoredPolicy::policy);
    }

    /// The policy that was found last, while it is valid. Asks neither DNS nor the web.
    Optional<StsPolicy> known(String domain) {
        return store.find(domain, clockMillis.getAsLong()).map(StoredPolicy::policy);
    }

    private CompletableFuture<Optional<StoredPolicy>> shared(String domain, String id) {
        String job = domain + " " + id;
        if (isPaused(job)) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        CompletableFuture<Optional<StoredPolicy>> mine = new CompletableFuture<>();
        CompletableFuture<Optional<StoredPolicy>> others = underWay.putIfAbsent(job, mine);
        if (others != null) {
            return others;
        }
        Thread.ofVirtual().name("sts-" + domain).start(() -> {
            Optional<StoredPolicy> fetched = Optional.empty();
            try {
                fetched = fetched(domain, id, job);
            } catch (RuntimeException broken) {
                log.error("event=sts-policy-not-fetched domain={}", LogText.word(domain), broken);
            } finally {
                // In this order, so that a question after the answer begins a download of its own.
                underWay.remove(job);
                mine.complete(fetched);
            }
        });
        return mine;
    }

    private Optional<StoredPolicy> fetched(String domain, String id, String job) {
        return switch (download.fetch(domain)) {
            case Download.Policy(StsPolicy policy) -> {
                StoredPolicy stored = new StoredPolicy(id, clockMillis.getAsLong(), policy);
                store.keep(domain, stored);
                yield Optional.of(stored);
            }
            case Download.Failed failure -> {
                log.info("event=sts-policy-not-fetched domain={} error=\"{}\"", LogText.word(domain),
                        LogText.text(failure.reason()));
                pause(job);
                outcomes.accept(new TlsOutcome(ReportedTlsPolicy.none(domain), failure.result(), Optional.empty(),
                        Optional.empty(), Optional.empty(), failure.reason()));
                yield Optional.empty();
            }
        };
    }

    private boolean isPaused(String job) {
        synchronized (failed) {
            Long at = failed.get(job);
            return at != null && clockMillis.getAsLong() - at < PAUSE_MILLIS;
        }
    }

    private void pause(String job) {
        synchronized (failed) {
            failed.remove(job);
            failed.put(job, clockMillis.getAsLong());
            if (failed.size() > MOST_PAUSES) {
                failed.remove(failed.keySet().iterator().next());
            }
        }
    }
}
