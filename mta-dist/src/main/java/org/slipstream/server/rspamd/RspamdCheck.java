package org.slipstream.server.rspamd;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.Operations.TroubleView;
import org.slipstream.core.Address;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.Recipient;
import org.slipstream.server.rspamd.RspamdSettings.RspamdFailure;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Ruling;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/// Shows each message to Rspamd before it is accepted, and does what the answer says
/// ([RspamdReply]).
///
/// Without an answer the setting `policy.rspamd-failure` decides. A filter that fails is logged when
/// it begins to fail and when it answers again, not with each message, and `./mta status` shows it.
public final class RspamdCheck implements Check {
    private static final Logger log = LoggerFactory.getLogger(RspamdCheck.class);
    /// Rspamd refuses a larger HTTP header; a message with more recipients is checked for the first
    /// ones.
    private static final int MOST_RECIPIENT_BYTES = 32 * 1024;
    private static final String NAME = "rspamd";

    private final RspamdSettings settings;
    private final String hostname;
    private final RspamdWorker worker;
    private final AtomicReference<Optional<Failing>> failing = new AtomicReference<>(Optional.empty());

    private record Failing(Instant since, String reason) {}

    private RspamdCheck(RspamdSettings settings, String hostname) {
        this.settings = settings;
        this.hostname = hostname;
        this.worker = new RspamdWorker(settings.url().orElseThrow(), settings.timeout());
    }

    /// The check that the settings ask for; the one of before as long as its settings stay.
    ///
    /// @param hostname of this server
    public static Optional<RspamdCheck> of(RspamdSettings settings, String hostname, Optional<RspamdCheck> before) {
        return settings.url().map(_ -> before
                .filter(each -> each.settings.equals(settings) && each.hostname.equals(hostname))
                .orElseGet(() -> new RspamdCheck(settings, hostname)));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Ruling end(Client client, CheckedMessage message) {
        try {
            RspamdReply reply = RspamdReply.read(worker.check(facts(client, message), message.content()));
            works();
            return reply.ruling();
        } catch (IOException trouble) {
            fails(FailureWords.of(trouble));
            return switch (settings.failure()) {
                case DEFER -> Ruling.reject(451, "4.3.0", "Content filter unavailable - try again later");
                case ACCEPT -> new Ruling.Tag("unavailable");
            };
        }
    }

    /// The current failure, for operators.
    public Optional<TroubleView> trouble() {
        return failing.get().map(now -> new TroubleView(NAME, now.since().toString(),
                settings.failure() == RspamdFailure.DEFER
                        ? "new mail is refused with 451 until Rspamd answers; each new message tries"
                        : "new mail is accepted without the filter until Rspamd answers; each new message tries",
                now.reason()));
    }

    /// As Rspamd's protocol names them. The name of the client's host is left out: this server does
    /// not look it up.
    private List<Map.Entry<String, String>> facts(Client client, CheckedMessage message) {
        List<Map.Entry<String, String>> facts = new ArrayList<>();
        facts.add(Map.entry("Queue-Id", message.id().toString()));
        facts.add(Map.entry("MTA-Name", hostname));
        facts.add(Map.entry("IP", client.address().getHostAddress().replaceAll("%.*", "")));
        facts.add(Map.entry("From", message.envelope().sender().map(Address::toString).orElse("<>")));
        client.helo().ifPresent(helo -> facts.add(Map.entry("Helo", visible(helo))));
        client.user().ifPresent(user -> facts.add(Map.entry("User", visible(user))));
        int left = MOST_RECIPIENT_BYTES;
        for (Recipient recipient : message.envelope().recipients()) {
            String address = visible(recipient.address().toString());
            left -= address.length();
            if (left < 0) {
                break;
            }
            facts.add(Map.entry("Rcpt", address));
        }
        return facts;
    }

    /// HTTP headers are ASCII.
    private static String visible(String text) {
        return text.replaceAll("[^ -~]", "?");
    }

    // ---- state

    private void works() {
        failing.getAndSet(Optional.empty()).ifPresent(before -> log.info("event=filter-available check={} url={}",
                NAME, LogText.word(settings.url().orElseThrow().toString())));
    }

    private void fails(String reason) {
        Optional<Failing> before = failing.getAndUpdate(
                now -> Optional.of(new Failing(now.map(Failing::since).orElseGet(Instant::now), reason)));
        if (before.isEmpty()) {
            log.warn("event=filter-unavailable check={} url={} error=\"{}\" next=\"mail is {}; each new message tries\"",
                    NAME, LogText.word(settings.url().orElseThrow().toString()), LogText.text(reason),
                    settings.failure() == RspamdFailure.DEFER ? "deferred with 451" : "accepted without the filter");
        }
    }
}
