package org.slipstream.qmgr.settings;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.SenderTls;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.TransportKind;
import org.slipstream.qmgr.flow.FeedbackVariant;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.PlacementSettings;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.RetryPolicies;
import org.slipstream.qmgr.wake.RetrySettings;
import org.slipstream.qmgr.wake.WakeDestination;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/// Everything that one queue manager is told at its start: its settings, those of its transports,
/// and the sizes of its reads.
///
/// @param transports what can be set for each transport
/// @param recipientBatch recipients read from the spool at a time, at most
/// @param lanes connections of one transport in all, by which the flow of arrivals is judged
///     (`default_process_limit`)
/// @param scanLimit messages asked for in one scan
/// @param recipientDelimiter between a mailbox and its extension (`recipient_delimiter`): where
///     recipients are destinations of their own, all extensions of a mailbox are one
/// @param destinations settings of single destinations
/// @param retries the retry policies by name
/// @param routedSenders senders whose mail has routes of its own: `user@domain` or `@domain`, in
///     lower case
/// @param routedMessages each message is routed by itself, because its route has a source that is
///     chosen for it
public record QmgrConfig(QueueSettings queue, TransportTable transports, int recipientBatch, int lanes, int scanLimit,
        Optional<String> recipientDelimiter, DestinationTable destinations,
        SequencedMap<String, RetrySettings> retries, Set<String> routedSenders, boolean routedMessages) {
    private static final int RECIPIENT_BATCH = 1_000;
    private static final int SCAN_LIMIT = 1_000;
    private static final String SMTP = "smtp";

    /// With the usual sizes of reads.
    public static QmgrConfig of(QueueSettings queue, TransportTable transports) {
        return new QmgrConfig(queue, transports, RECIPIENT_BATCH, transports.common().workers(), SCAN_LIMIT,
                Optional.empty(), DestinationTable.EMPTY, RetrySettings.builtIn(), Collections.emptySet(), false);
    }

    /// Postfix's algorithm: the defaults without spaced starts.
    public static QmgrConfig defaults() {
        return of(QueueSettings.defaults(), TransportTable.of(TransportSettings.defaults())).withSpacedStarts(false);
    }

    public QmgrConfig withQueue(QueueSettings settings) {
        return SettingsRecords.with(this, "queue", settings);
    }

    public QmgrConfig withTransports(TransportTable table) {
        return SettingsRecords.with(this, "transports", table);
    }

    public QmgrConfig withRecipientDelimiter(Optional<String> delimiter) {
        return SettingsRecords.with(this, "recipientDelimiter", delimiter);
    }

    public QmgrConfig withDestinations(DestinationTable table) {
        return SettingsRecords.with(this, "destinations", table);
    }

    public QmgrConfig withRetries(SequencedMap<String, RetrySettings> policies) {
        return SettingsRecords.with(this, "retries", policies);
    }

    public QmgrConfig withRoutedSenders(Set<String> senders) {
        return SettingsRecords.with(this, "routedSenders", Collections.unmodifiableSet(new TreeSet<>(senders)));
    }

    public QmgrConfig withRoutedMessages(boolean each) {
        return SettingsRecords.with(this, "routedMessages", each);
    }

    /// The domain whose route is looked up, with [Route#UNDEMANDING] when its owner's demands of TLS do not
    /// count. For a routed sender it is followed by `|` and the line of that sender, and where messages are
    /// routed one by one, by `|` and the message.
    public String routeQuestion(String domain, Optional<Address> sender, SenderTls tls, QueueId message) {
        String asked = tls == SenderTls.OPTIONAL ? domain + Route.UNDEMANDING : domain;
        String ofSender = ofSender(asked, sender);
        return routedMessages ? ofSender + "|" + message : ofSender;
    }

    private String ofSender(String asked, Optional<Address> sender) {
        return routedSenders.isEmpty()
                ? asked
                : sender.flatMap(this::routedSender).map(line -> asked + "|" + line).orElse(asked);
    }

    private Optional<String> routedSender(Address sender) {
        Address folded = sender.folded();
        return Stream.of(folded.key(), folded.withoutExtension(recipientDelimiter).key(), "@" + folded.domainKey())
                .filter(routedSenders::contains).findFirst();
    }

    public QmgrConfig withReads(int recipients, int messages) {
        return SettingsRecords.with(SettingsRecords.with(this, "recipientBatch", recipients), "scanLimit", messages);
    }

    public QmgrConfig withLanes(int count) {
        return SettingsRecords.with(this, "lanes", count);
    }

    /// @param expiry empty: never
    public QmgrConfig withSecondExpiry(Optional<Duration> expiry) {
        return with("secondExpiry", expiry);
    }

    public QmgrConfig withMemory(QueueSettings.Memory limits) {
        return with("memory", limits);
    }

    public QmgrConfig withFeedback(FeedbackVariant variant) {
        return with("feedbackVariant", variant);
    }

    public QmgrConfig withPolicy(OrderPolicy order) {
        return with("order", order);
    }

    public QmgrConfig withSpacedStarts(boolean spaced) {
        return with("spacedStarts", spaced);
    }

    private QmgrConfig with(String component, Object value) {
        return withQueue(SettingsRecords.with(queue, component, value));
    }

    /// The settings of a transport.
    public TransportSettings transport(String name) {
        return transports.of(name);
    }

    /// The retry policies, built in and set.
    public RetryPolicies retryPolicies() {
        return RetryPolicies.of(queue.retry(), retries, destinations.retries(), queue.minimalBackoff(),
                queue.maximalBackoff());
    }

    public int activeLimit() {
        return queue.activeMessages();
    }

    public long minimalBackoffMillis() {
        return queue.minimalBackoff().toMillis();
    }

    public long maximalBackoffMillis() {
        return queue.maximalBackoff().toMillis();
    }

    public long lifetimeMillis() {
        return queue.lifetime().toMillis();
    }

    public long bounceLifetimeMillis() {
        return queue.bounceLifetime().toMillis();
    }

    /// `Long.MAX_VALUE`: never.
    public long secondExpiryMillis() {
        return queue.secondExpiry().isPresent() ? queue.secondExpiry().get().toMillis() : Long.MAX_VALUE;
    }

    public DelayTimes delayTimes() {
        return new DelayTimes(queue.delayNotice());
    }

    public long reportIntervalMillis() {
        return queue.reports().reportInterval().toMillis();
    }

    public long scanIntervalMillis() {
        return queue.scanInterval().toMillis();
    }

    public long transportRetryMillis() {
        return queue.transportRetry().toMillis();
    }

    public boolean spacedStarts() {
        return queue.spacedStarts();
    }

    public QmgrConfig withLanesOfServer(int count) {
        return with("lanesOfServer", count);
    }

    public QmgrConfig withWakeDestination(WakeDestination wake) {
        return with("wakeDestination", wake);
    }

    public OrderPolicy policy() {
        return queue.order();
    }

    public FeedbackVariant feedback() {
        return queue.feedbackVariant();
    }

    public QueueSettings.Memory memory() {
        return queue.memory();
    }

    // The original raises it in the same way: every message has at least one recipient.
    public int recipientLimit() {
        return Math.max(memory().messageRecipientLimit(), activeLimit());
    }

    /// A seating where every destination has one host and every connection carries one delivery at
    /// a time. With it the brain decides as Postfix does.
    public Seating plainSeating(RandomGenerator random) {
        return new Seating(this::plainRules, new DestDb(
                PlaceRules.defaults().memory().withRetry(queue.minimalBackoff(), Duration.ZERO,
                        queue.maximalBackoff())),
                HostKeys.BY_NAME, HostMemory.NONE, random);
    }

    /// The rules of the placement for SMTP, in the server and in the lab. A failed host is avoided as long as a
    /// destination.
    public PlaceRules smtpRules(PlacementSettings placement) {
        TransportSettings smtp = transport(SMTP);
        int workers = smtp.workers();
        Duration retry = queue.minimalBackoff();
        Duration told = retry.compareTo(queue.maximalBackoff()) > 0 ? retry : queue.maximalBackoff();
        return placement.rules(workers, perHost(smtp), queue.idleConnection(), retry, told);
    }

    private static int perHost(TransportSettings smtp) {
        return smtp.concurrencyLimit() == 0 ? smtp.workers() : Math.min(smtp.workers(), smtp.concurrencyLimit());
    }

    /// The rules of the placement for each transport. Only SMTP has several hosts and connections for several
    /// deliveries; the others are destinations with one host.
    ///
    /// @param smtp the rules of the transport `smtp`; those of its kind that the operator has named differ in the
    ///     numbers of connections
    public Function<String, PlaceRules> placement(PlaceRules smtp) {
        Map<String, PlaceRules> named = new TreeMap<>();
        for (String each : transports.names(TransportKind.SMTP)) {
            TransportSettings own = transport(each);
            named.put(each, each.equals(SMTP) ? smtp : smtp.withWorkers(own.workers(), perHost(own)));
        }
        return transport -> {
            PlaceRules rules = named.get(transport);
            return rules == null ? plainRules(transport) : rules;
        };
    }

    /// The rules of a transport whose destinations have one host each: local delivery, LMTP,
    /// discard.
    public PlaceRules plainRules(String transport) {
        TransportSettings settings = transport(transport);
        return PlaceRules.plain(settings.workers(), settings.concurrencyLimit(), queue.idleConnection());
    }
}
