package org.slipstream.config;

import org.slipstream.core.Address;
import org.slipstream.core.Units;
import org.slipstream.guard.policy.Greylisting;
import org.slipstream.guard.sender.SenderTreatment;
import org.slipstream.guard.tls.TlsSettings;
import org.slipstream.qmgr.settings.DelayTimes;
import org.slipstream.settings.AccessRemedy;
import org.slipstream.settings.BoundedFiles;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.Values;
import org.slipstream.spool.DatabaseLost;
import org.slipstream.spool.LogEngine;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Mistakes that no single value shows: values that contradict each other, files that are missing.
final class Checks {
    private static final String CERTIFICATE_MARK = "-----BEGIN CERTIFICATE-----";
    private static final String KEY_MARK = "PRIVATE KEY-----";

    private final Config config;
    private final Values values;
    private final Complaints complaints;

    Checks(Config config, Values values, Complaints complaints) {
        this.config = config;
        this.values = values;
        this.complaints = complaints;
    }

    void run() {
        ports();
        inOrder("queue.minimal-backoff", config.queue().minimalBackoff(), "is longer than", "queue.maximal-backoff",
                config.queue().maximalBackoff());
        depth();
        mailboxes();
        srsDomain();
        feedback();
        relayDomains();
        dailyReports();
        postmaster();
        certificate();
        tlsOff();
        inOrder("spool.inline-size", config.spool().inlineSize(), "is larger than", "spool.segment-size",
                config.spool().segmentSize());
        greylisting();
        delayTimes();
        shards();
        cluster();
        mailStore();
    }

    private void cluster() {
        String node = "cluster.node";
        String engine = "spool.engine";
        String lost = "spool.database-lost";
        if (config.spool().databaseLost() == DatabaseLost.KEEP_HERE && config.spool().database().isEmpty()
                && values.isSound(lost, engine, "spool.database")) {
            complain(lost, "spool.database-lost is for messages in a PostgreSQL",
                    "remove it, or set spool.engine = \"postgresql\" and spool.database");
        }
        if (config.cluster().node().isEmpty() || !values.isSound(node, engine, "spool.database")) {
            return;
        }
        if (config.spool().engine() != LogEngine.POSTGRESQL || config.spool().database().isEmpty()) {
            complain(values.givenOf(node, engine), "a node of a cluster has its messages in a PostgreSQL",
                    "set spool.engine = \"postgresql\" and spool.database");
        }
    }

    private void mailStore() {
        String key = "local.delivery";
        config.operation().store().delivery().filter(_ -> values.isSound(key)).map(RouteTarget.Lmtp::new)
                .flatMap(store -> RouteBook.conflict(store, List.of(), config.listen().open().values()))
                .ifPresent(what -> complain(key, key + ": " + what, "name the mail store"));
    }

    private void shards() {
        String start = "shard.start";
        String count = "shard.count";
        String maximum = "shard.maximum";
        ShardSettings shards = config.shard();
        inOrder(count, shards.count(), "is more than", maximum, shards.maximum());
        int last = shards.start() + shards.maximum() - 1;
        if (last > ShardSettings.LAST_NUMBER && values.isSound(start, maximum)) {
            complain(values.givenOf(start, maximum), start + " (" + shards.start() + ") and " + maximum + " ("
                    + shards.maximum() + ") allow a shard " + last + ", and the last number is "
                    + ShardSettings.LAST_NUMBER,
                    "set " + maximum + " = " + (ShardSettings.LAST_NUMBER + 1 - shards.start()));
        }
        if (shards.folders().stream().distinct().count() < shards.folders().size()) {
            complain("shard.folders", "shard.folders names a folder twice");
        }
    }

    private void delayTimes() {
        int count = config.queue().delayNotice().size();
        if (count > DelayTimes.MOST && values.isSound("queue.delay-notice")) {
            complain("queue.delay-notice", "queue.delay-notice has " + count + " times, and " + DelayTimes.MOST
                    + " are possible");
        }
    }

    private void ports() {
        Map<String, InetSocketAddress> earlier = new LinkedHashMap<>();
        Map<String, InetSocketAddress> all = new LinkedHashMap<>(config.listen().open());
        config.listen().metrics().ifPresent(address -> all.put("listen.metrics", address));
        config.listen().http().ifPresent(address -> all.put("listen.http", address));
        all.forEach((key, address) -> {
            earlier.forEach((other, taken) -> {
                if (collide(address, taken) && values.isSound(key, other)) {
                    complain(values.givenOf(key, other),
                            key + " and " + other + " have the same port " + address.getPort());
                }
            });
            earlier.put(key, address);
        });
    }

    private static boolean collide(InetSocketAddress a, InetSocketAddress b) {
        return a.getPort() != 0 && a.getPort() == b.getPort() && (a.getAddress().equals(b.getAddress())
                || a.getAddress().isAnyLocalAddress() || b.getAddress().isAnyLocalAddress());
    }

    /// The first of two amounts must not exceed the second.
    private <T extends Comparable<T>> void inOrder(String key, T amount, String words, String other, T bound) {
        if (amount.compareTo(bound) > 0 && values.isSound(key, other)) {
            complain(values.givenOf(key, other),
                    key + " (" + written(amount) + ") " + words + " " + other + " (" + written(bound) + ")");
        }
    }

    private static String written(Object amount) {
        return amount instanceof Duration time ? Units.DURATIONS.write(time.toMillis()) : amount.toString();
    }

    private void complain(String key, String what) {
        complaints.add(values.place(key), key, what);
    }

    private void complain(String key, String what, String suggestion) {
        complaints.add(values.place(key), key, what, Optional.of(suggestion));
    }

    /// The record has lowered the depth already, so the value as it was given is compared.
    private void depth() {
        String depth = "placement.connection-depth";
        String most = "placement.most-connection-depth";
        int given = (Integer) values.of(ServerSchema.SERVER.key(depth).declared());
        if (values.isGiven(depth) && given > config.placement().mostConnectionDepth() && values.isSound(depth, most)) {
            complain(depth, depth + " (" + given + ") is more than " + most + " ("
                    + config.placement().mostConnectionDepth() + ")");
        }
    }

    private void mailboxes() {
        if (!values.isSound("local.domains")) {
            return;
        }
        for (String mailbox : config.local().mailboxes()) {
            Optional<Address> full = mailbox.contains("@") ? Address.parse(mailbox) : Optional.empty();
            if (full.isPresent() && !config.local().domains().contains(full.get().domainKey())) {
                complain("local.mailboxes", "local.mailboxes: mail for " + mailbox + " does not end here",
                        "add \"" + full.get().domainKey() + "\" to local.domains");
            }
        }
    }

    private void relayDomains() {
        if (values.isSound("relay.domains", "local.domains")) {
            config.relay().domains().stream().filter(config.local().domains()::contains).forEach(
                    domain -> complain("relay.domains", "relay.domains: mail for " + domain
                            + " ends here, because local.domains has it", "name it in one of the two"));
        }
    }

    private void srsDomain() {
        String key = "local.srs-domain";
        if (values.isSound(key, "local.domains")) {
            config.local().srsDomain().filter(domain -> !config.local().domains().contains(domain)).ifPresent(
                    domain -> complain(key, key + ": bounces to " + domain + " do not end here",
                            "add \"" + domain + "\" to local.domains"));
        }
    }

    private void feedback() {
        String key = "feedback.address";
        if (values.isSound(key, "local.domains", "local.mailboxes")) {
            config.feedback().address().filter(address -> config.addressBook(_ -> false).mailbox(address).isEmpty())
                    .ifPresent(address -> complain(key, key + ": " + address + " is no mailbox of this server",
                            "add it to local.mailboxes"));
            String domains = "feedback.unsubscribe-domains";
            if (config.feedback().unsubscribeUrl().isEmpty() && !config.feedback().unsubscribeDomains().isEmpty()) {
                complain(domains, domains + ": there is no page to unsubscribe", "set feedback.unsubscribe-url");
            }
        }
    }

    private void dailyReports() {
        String key = "reports.dmarc";
        if (values.isSound(key, "policy.sender-authentication") && config.dailyReports().dmarc()
                && config.policy().senderAuthentication() == SenderTreatment.OFF) {
            complain(key, key + ": there is nothing to report, because senders are not judged",
                    "set policy.sender-authentication = \"note\"");
        }
    }

    private void postmaster() {
        String postmaster = config.local().postmasterName();
        if (!postmaster.contains("@") && config.local().domains().isEmpty()) {
            // RFC 5321 section 4.5.1: every server accepts mail for postmaster.
            complaints.add(values.place(values.givenOf("local.postmaster", "local.domains")), "local.postmaster",
                    "local.postmaster = \"" + postmaster + "\" has no domain, and there is no local one",
                    Optional.of("give the full address of a person who reads it"));
        }
    }

    private void certificate() {
        TlsSettings tls = config.tls();
        if (!values.isSound("tls.certificate", "tls.key", "tls.further")) {
            return;
        }
        if (tls.certificate().isPresent() != tls.key().isPresent()) {
            String given = tls.certificate().isPresent() ? "tls.certificate" : "tls.key";
            complain(given, "tls.certificate and tls.key belong together, but only " + given + " is set");
        }
        tls.certificate().ifPresent(file -> pem("tls.certificate", file, CERTIFICATE_MARK, "a certificate"));
        tls.key().ifPresent(file -> pem("tls.key", file, KEY_MARK, "a private key"));
        for (TlsSettings.Pair pair : tls.further()) {
            pem("tls.further", pair.certificate(), CERTIFICATE_MARK, "a certificate");
            pem("tls.further", pair.key(), KEY_MARK, "a private key");
        }
    }

    // A login in clear text is not offered.
    private void tlsOff() {
        if (config.tls().off().contains("submission") && config.listen().submission().isPresent()
                && !config.submission().networksWithoutLogin()) {
            complain("tls.off", "tls.off names submission, where every client has to log in and none can without TLS",
                    "set listen.submission = \"off\" or submission.networks-without-login = true");
        }
    }

    private void pem(String key, Path file, String mark, String kind) {
        try {
            if (Files.isDirectory(file)) {
                complain(key, key + ": " + file + " is a folder, not a file");
            } else if (Files.notExists(file)) {
                complain(key, key + ": there is no file " + file);
            } else if (!new String(BoundedFiles.bytes(file, BoundedFiles.MOST_TEXT_OCTETS), StandardCharsets.ISO_8859_1)
                    .contains(mark)) {
                complain(key, key + ": " + file + " does not hold " + kind + " in PEM");
            }
        } catch (IOException unreadable) {
            complain(key, key + ": the file cannot be read: " + new AccessRemedy(config.home()).words(unreadable));
        }
    }

    private void greylisting() {
        String delay = "policy.greylist-delay";
        String window = "policy.greylist-window";
        Greylisting rules = config.policy().greylisting();
        if (rules.delay().compareTo(rules.window()) >= 0 && values.isSound(delay, window)) {
            complain(values.givenOf(delay, window),
                    delay + " (" + written(rules.delay()) + ") is not shorter than " + window + " ("
                            + written(rules.window()) + "), so no sender could come back in time");
        }
    }
}
