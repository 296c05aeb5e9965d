package org.slipstream.sink.web;

import org.slipstream.settings.TomlMistake;
import org.slipstream.sink.script.ScriptReader;
import org.slipstream.sink.script.ScriptRun;
import org.slipstream.sink.script.ServerScript;
import org.slipstream.sink.server.SinkServer;
import org.slipstream.sink.store.CaughtMail;
import org.slipstream.sink.store.CaughtMessage;
import org.slipstream.sink.store.SessionLog;
import org.slipstream.sink.store.SessionTranscript;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// The JSON API under `/api/v1/` (docs/sink.md).
final class SinkApi {
    private static final Duration USUAL_WAIT = Duration.ofSeconds(30);
    private static final int MOST_LISTED = 1_000;

    private final SinkServer server;
    private final CaughtMail store;
    private final SessionLog sessions;
    private volatile String scriptText;

    SinkApi(SinkServer server, CaughtMail store, SessionLog sessions, String scriptText) {
        this.server = server;
        this.store = store;
        this.sessions = sessions;
        this.scriptText = scriptText;
    }

    /// @param path the parts behind `/api/v1/`
    WebReply reply(String method, List<String> path, WebQuery query, byte[] body) throws InterruptedException {
        String action = method + " " + path.getFirst() + (path.size() == 1 ? "" : "/…");
        return switch (action) {
            case "GET messages" -> listing(query);
            case "DELETE messages" -> WebReply.json(Map.of("deleted", store.deleteAll()));
            case "GET messages/…" -> path.size() == 2
                    ? message(path.get(1), this::whole)
                    : part(path);
            case "DELETE messages/…" -> store.delete(number(path.get(1)))
                    ? WebReply.json(Map.of("deleted", 1))
                    : noMessage(path.get(1));
            case "GET wait" -> waited(query);
            case "GET changes" -> WebReply.json(
                    Map.of("revision", store.awaitChange(query.since(), query.timeout(USUAL_WAIT))));
            case "GET stats" -> WebReply.json(stats());
            case "GET sessions" -> WebReply.json(Map.of("sessions", sessions.newest(query.number("limit", 50,
                    MOST_LISTED))));
            case "GET sessions/…" -> sessions.session(number(path.get(1))).map(SessionTranscript::view)
                    .map(WebReply::json)
                    .orElseGet(() -> WebReply.wrong(404, "There is no transcript " + path.get(1)
                            + "; the newest ones are kept."));
            case "GET script" -> WebReply.text("application/toml", scriptText);
            case "POST script" -> follow(body);
            default -> WebReply.wrong(404, "There is no " + method + " /api/v1/" + String.join("/", path)
                    + " (see docs/sink.md).");
        };
    }

    private static long number(String text) {
        return text.matches("[0-9]{1,15}") ? Long.parseLong(text) : -1;
    }

    // ---- messages

    private WebReply listing(WebQuery query) {
        List<CaughtMessage> found = store.find(query.filter());
        int limit = query.number("limit", 50, MOST_LISTED);
        int offset = query.number("offset", 0, Integer.MAX_VALUE);
        return WebReply.json(listing(found.stream().skip(offset).limit(limit).toList(), found.size()));
    }

    private Map<String, Object> listing(List<CaughtMessage> shown, int total) {
        Map<String, Object> listing = new LinkedHashMap<>();
        listing.put("total", total);
        listing.put("revision", store.revision());
        listing.put("messages", shown.stream().map(SinkApi::summary).toList());
        return listing;
    }

    private static Map<String, Object> summary(CaughtMessage message) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", message.id());
        fields.put("at", message.at().toString());
        fields.put("session", message.session());
        fields.put("client", message.client());
        fields.put("helo", message.helo());
        fields.put("from", message.sender());
        fields.put("to", message.recipients());
        fields.put("arguments", message.arguments());
        fields.put("subject", message.header("Subject"));
        fields.put("size", message.content().length);
        return fields;
    }

    private WebReply message(String id, Function<CaughtMessage, WebReply> reply) {
        return store.message(number(id)).map(reply).orElseGet(() -> noMessage(id));
    }

    private static WebReply noMessage(String id) {
        return WebReply.wrong(404, "There is no message " + id + "; it was deleted, or memory keeps newer ones.");
    }

    private WebReply whole(CaughtMessage message) {
        MailView view = MailView.of(message);
        Map<String, Object> fields = summary(message);
        fields.put("headers", view.headers());
        fields.put("text", view.text().orElse(""));
        fields.put("html", view.html().orElse(""));
        fields.put("attachments", view.attachments());
        fields.put("problem", view.problem());
        return WebReply.json(fields);
    }

    private WebReply part(List<String> path) {
        return switch (path.get(2)) {
            case "raw" -> message(path.get(1), message -> download(message.content(), "message/rfc822",
                    "message-" + message.id() + ".eml"));
            case "html" -> message(path.get(1), SinkApi::html);
            case "attachments" -> message(path.get(1),
                    message -> attachment(message, path.size() > 3 ? number(path.get(3)) : -1));
            default -> WebReply.wrong(404, "A message has raw, html and attachments/NUMBER, not " + path.get(2) + ".");
        };
    }

    private static WebReply download(byte[] octets, String type, String name) {
        return WebReply.of(200, type, octets).with("Content-Disposition",
                "attachment; filename=\"" + name.replaceAll("[^A-Za-z0-9._-]", "_") + "\"");
    }

    /// The HTML of a stranger: no script, no form, no request to anywhere.
    private static WebReply html(CaughtMessage message) {
        return MailView.of(message).html()
                .map(html -> WebReply.text("text/html", html).with("Content-Security-Policy",
                        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"))
                .orElseGet(() -> WebReply.wrong(404, "The message has no HTML."));
    }

    private static WebReply attachment(CaughtMessage message, long number) {
        MailView view = MailView.of(message);
        Optional<byte[]> octets = view.attachment((int) Math.min(number, Integer.MAX_VALUE));
        return octets.map(all -> download(all, "application/octet-stream",
                view.attachments().get((int) number - 1).name()))
                .orElseGet(() -> WebReply.wrong(404, "The message has no attachment " + number + "."));
    }

    private WebReply waited(WebQuery query) throws InterruptedException {
        int count = query.number("count", 1, MOST_LISTED);
        Duration timeout = query.timeout(USUAL_WAIT);
        List<CaughtMessage> found = store.await(query.filter(), count, timeout);
        Map<String, Object> listing = listing(found.stream().limit(MOST_LISTED).toList(), found.size());
        if (found.size() >= count) {
            return WebReply.json(listing);
        }
        listing.put("error", found.size() + " of " + count + " messages came within " + timeout.toMillis() + " ms.");
        return WebReply.json(404, listing);
    }

    // ---- the server

    private Map<String, Object> stats() {
        ScriptRun run = server.run();
        ScriptRun.ScriptFigures figures = run.figures();
        Map<String, Object> stats = new LinkedHashMap<>();
        stats.put("script", run.script().title());
        stats.put("connections", figures.connections());
        stats.put("open", figures.open());
        stats.put("transactions", figures.messages());
        stats.put("kept", store.count());
        stats.put("keptBytes", store.bytes());
        stats.put("rules", figures.rules());
        stats.put("phases", figures.phases());
        stats.put("clients", figures.clients());
        return stats;
    }

    private WebReply follow(byte[] body) {
        String text = new String(body, StandardCharsets.UTF_8);
        try {
            ServerScript script = ScriptReader.read("script", text);
            server.follow(script);
            scriptText = text;
            return WebReply.json(Map.of("script", script.title(), "rules", script.rules().size()));
        } catch (TomlMistake mistake) {
            return WebReply.wrong(400, String.valueOf(mistake.getMessage()));
        }
    }
}
