package org.slipstream.guard.rspamd;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.core.Content;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.guard.rspamd.RspamdSettings.RspamdFailure;
import org.slipstream.smtpin.policy.Ruling;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/// Rspamd as the settings name it, and whether it answers. A message without a usable answer is
/// treated by `policy.rspamd-failure`.
///
/// A filter that fails is logged when it begins to fail and when it answers again, not with each
/// message. May be called by any thread.
public final class RspamdFilter {
    public static final String NAME = "rspamd";
    private static final Logger log = LoggerFactory.getLogger(RspamdFilter.class);

    private static final int HTTP_PORT = 80;
    private static final int CONNECT_MILLIS = 2_000;

    private final RspamdSettings settings;
    private final RspamdWorker worker;
    private final AtomicReference<Optional<Failing>> failing = new AtomicReference<>(Optional.empty());

    private record Failing(Instant since, String reason) {}

    private RspamdFilter(RspamdSettings settings) {
        this.settings = settings;
        this.worker = new RspamdWorker(settings.url().orElseThrow(), settings.timeout());
    }

    /// The filter that the settings ask for; the one of before as long as its settings stay.
    public static Optional<RspamdFilter> of(RspamdSettings settings, Optional<RspamdFilter> before) {
        return settings.url().map(
                _ -> before.filter(each -> each.settings.equals(settings)).orElseGet(() -> new RspamdFilter(settings)));
    }

    /// @param facts about the message, as Rspamd's protocol names them
    Ruling ask(List<Map.Entry<String, String>> facts, Content message) {
        try {
            RspamdReply reply = RspamdReply.read(worker.check(facts, message));
            works();
            return reply.ruling();
        } catch (IOException trouble) {
            fails(FailureWords.of(trouble));
            return switch (settings.failure()) {
                case DEFER -> Ruling.reject(451, "4.3.0", "Content filter unavailable - try again later");
                case ACCEPT -> Ruling.tag("unavailable");
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

    /// The reason why a worker takes no connection; empty when it takes one. The wait is short, because
    /// `check` has a person in front of it.
    public static Optional<String> unreachable(URI url) {
        int port = url.getPort() >= 0 ? url.getPort() : HTTP_PORT;
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(url.getHost().replaceAll("[\\[\\]]", ""), port), CONNECT_MILLIS);
            return Optional.empty();
        } catch (IOException refused) {
            return Optional.of(FailureWords.of(refused));
        }
    }

    private void works() {
        failing.getAndSet(Optional.empty()).ifPresent(before -> log.info("event=filter-available check={} url={}",
                NAME, LogText.word(settings.url().orElseThrow().toString())));
    }

    private void fails(String reason) {
        Optional<Failing> before = failing.getAndUpdate(
                now -> Optional.of(new Failing(
                        now.map(Failing::since).orElseGet(() -> Instant.now().truncatedTo(ChronoUnit.MILLIS)),
                        reason)));
        if (before.isEmpty()) {
            log.warn(
                    "event=filter-unavailable check={} url={} error=\"{}\" next=\"mail is {}; each new message tries\"",
                    NAME, LogText.word(settings.url().orElseThrow().toString()), LogText.text(reason),
                    settings.failure() == RspamdFailure.DEFER ? "deferred with 451" : "accepted without the filter");
        }
    }
}
