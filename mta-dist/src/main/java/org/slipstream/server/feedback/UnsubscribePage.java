package org.slipstream.server.feedback;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.order.SuppressionVerb.Cause;
import org.slipstream.events.feedback.SealedText;
import org.slipstream.events.feedback.UnsubscribeLink;
import org.slipstream.events.stream.MailEventKind;
import org.slipstream.events.stream.UnloggedEvent;
import org.slipstream.events.suppression.Suppression;
import org.slipstream.http.HttpAnswer;
import org.slipstream.http.HttpPage;
import org.slipstream.http.HttpRequest;
import org.slipstream.server.feedback.ReturnedMail.EventSink;
import org.slipstream.server.feedback.ReturnedMail.SuppressionSink;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/// The page behind the links to unsubscribe (RFC 8058): a POST ends the mail of a sender's domain to a recipient, and a
/// GET shows a page with a button. A GET changes nothing, because programs that look for harmful mail follow each link.
///
/// The suppression and the event are on disk before the answer. A second POST has the same effect as the first.
public final class UnsubscribePage implements HttpPage {
    private static final Logger log = LoggerFactory.getLogger(UnsubscribePage.class);
    private static final long MOST_OCTETS = 4 << 10;
    private static final Duration MOST_TIME = Duration.ofSeconds(30);
    /// RFC 8058 allows both forms of a body.
    private static final Pattern ONE_CLICK = Pattern
            .compile("(?s).*\\bList-Unsubscribe(?:=|\"[^\\r\\n]*(?:\\r?\\n[^\\r\\n]+)*\\r?\\n\\r?\\n)One-Click\\b.*");
    private static final Map<String, String> HEADERS = Map.of("Cache-Control", "no-store", "Content-Security-Policy",
            "default-src 'none'; form-action 'self'; frame-ancestors 'none'", "Referrer-Policy", "no-referrer",
            "X-Content-Type-Options", "nosniff", "X-Robots-Tag", "noindex");

    private final Supplier<Optional<SealedText>> seal;
    private final SuppressionSink suppress;
    private final EventSink events;
    private final LongSupplier clock;

    public UnsubscribePage(Supplier<Optional<SealedText>> seal, SuppressionSink suppress, EventSink events,
            LongSupplier clock) {
        this.seal = seal;
        this.suppress = suppress;
        this.events = events;
        this.clock = clock;
    }

    @Override
    public long mostOctets() {
        return MOST_OCTETS;
    }

    @Override
    public Duration mostTime() {
        return MOST_TIME;
    }

    @Override
    public HttpAnswer answer(HttpRequest request) throws IOException {
        String token = request.path().substring(request.path().lastIndexOf('/') + 1);
        Optional<UnsubscribeLink> link = seal.get().flatMap(by -> UnsubscribeLink.of(by, token));
        if (link.isEmpty()) {
            return page(404, "This link is not valid", "It may have been cut. Use the whole link of the message.");
        }
        return switch (request.method()) {
            case "GET" -> page(200, "Unsubscribe", "<form method=\"post\"><p>" + words(link.get(), "No more mail from ")
                    + "?</p><button name=\"List-Unsubscribe\" value=\"One-Click\">Unsubscribe</button></form>");
            case "POST" -> ONE_CLICK.matcher(new String(request.body().readAllBytes(), StandardCharsets.UTF_8))
                    .matches()
                            ? unsubscribed(link.get())
                            : page(400, "Nothing was changed", "The request has no List-Unsubscribe=One-Click.");
            default -> page(405, "Nothing was changed", "This page answers GET and POST.");
        };
    }

    private HttpAnswer unsubscribed(UnsubscribeLink link) {
        long now = clock.getAsLong();
        try {
            suppress.add(new Suppression(link.recipient().folded().toString(), link.senderDomain(), Cause.UNSUBSCRIBE,
                    "message " + link.queue(), now, Long.MAX_VALUE));
            SequencedMap<String, String> fields = new LinkedHashMap<>();
            fields.put("queue", link.queue().toString());
            fields.put("senderDomain", link.senderDomain());
            fields.put("recipient", link.recipient().toString());
            events.tell(new UnloggedEvent(MailEventKind.UNSUBSCRIBED, link.queue() + "-unsubscribed-"
                    + link.recipient().folded(), now, fields));
        } catch (IOException trouble) {
            log.warn("event=unsubscribe-not-taken recipient={} error=\"{}\"", LogText.path(link.recipient()),
                    LogText.text(FailureWords.of(trouble)));
            return page(503, "This did not work", "Please try again later.");
        }
        log.info("event=recipient-unsubscribed recipient={} from={} queue={}", LogText.path(link.recipient()),
                LogText.word(link.senderDomain()), link.queue());
        return page(200, "Unsubscribed", words(link, "No more mail from ") + ".");
    }

    private static String words(UnsubscribeLink link, String before) {
        return before + escaped(link.senderDomain()) + " to " + escaped(link.recipient().toString());
    }

    private static HttpAnswer page(int status, String title, String body) {
        return HttpAnswer.of(status, "text/html; charset=utf-8", "<!doctype html><html lang=\"en\"><head>"
                + "<meta name=\"viewport\" content=\"width=device-width\"><title>" + title + "</title></head><body><h1>"
                + title + "</h1>" + (body.startsWith("<") ? body : "<p>" + body + "</p>") + "</body></html>\n")
                .with(HEADERS);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
