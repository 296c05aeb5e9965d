package org.slipstream.events.webhook;

import org.slipstream.core.Network;
import org.slipstream.events.stream.EventFields;
import org.slipstream.events.stream.MailEventKind;
import org.slipstream.http.HttpPost;
import org.slipstream.http.HttpPost.PostAnswer;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// A web server that gets events: which ones, and in which form.
///
/// @param name of the section
/// @param secrets each of which signs
public record WebhookReceiver(String name, WebhookSettings settings, List<WebhookSecret> secrets) {
    /// All receivers of a server. Each has a thread.
    public static final int MOST = 16;
    /// Of a body. A single event may be as long.
    static final int MOST_OCTETS = 1 << 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,31}");
    private static final int ID_OCTETS = 16;

    public WebhookReceiver {
        secrets = List.copyOf(secrets);
    }

    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /// The address without its query, which may have a key.
    String page() {
        return settings.url().map(url -> url.getScheme() + "://" + url.getRawAuthority() + url.getRawPath())
                .orElse("");
    }

    /// True for an event that the receiver gets. A gap in the events concerns each of them.
    boolean wants(String line) {
        if (settings.kinds().isEmpty() && settings.senders().isEmpty()) {
            return true;
        }
        EventFields fields = EventFields.of(line);
        String sender = fields.sender().substring(fields.sender().lastIndexOf('@') + 1).toLowerCase(Locale.ROOT);
        return fields.kind().equals(MailEventKind.LOST.word())
                || (settings.kinds().isEmpty()
                        || settings.kinds().stream().anyMatch(kind -> kind.word().equals(fields.kind())))
                        && (settings.senders().isEmpty() || settings.senders().contains(sender));
    }

    /// A sender that keeps to the addresses that the settings permit.
    HttpPost sender() {
        return new HttpPost(HttpPost.ofSystem(address -> settings.privateAddresses() || Network.isPublic(address)),
                TIMEOUT);
    }

    /// Posts events, signed.
    PostAnswer post(HttpPost sender, List<String> lines, long nowMillis) throws IOException {
        URI url = settings.url().orElseThrow();
        byte[] body = body(lines).getBytes(StandardCharsets.UTF_8);
        return sender.send(url, headers(body, nowMillis / 1000), body);
    }

    String body(List<String> lines) {
        return settings.batch() == 1 ? lines.getFirst() : "{\"events\":[\n" + String.join(",\n", lines) + "\n]}";
    }

    /// The id is that of the body, so it stays the same when a request is repeated.
    Map<String, String> headers(byte[] body, long seconds) {
        String id = "msg_" + HexFormat.of().formatHex(digest(body), 0, ID_OCTETS);
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", "application/json");
        headers.put("User-Agent", "Slipstream");
        headers.put("webhook-id", id);
        headers.put("webhook-timestamp", Long.toString(seconds));
        headers.put("webhook-signature",
                secrets.stream().map(each -> each.sign(id, seconds, body)).collect(Collectors.joining(" ")));
        return headers;
    }

    private static byte[] digest(byte[] body) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(body);
        } catch (NoSuchAlgorithmException impossible) {
            throw new LinkageError("every JDK has SHA-256", impossible);
        }
    }
}
