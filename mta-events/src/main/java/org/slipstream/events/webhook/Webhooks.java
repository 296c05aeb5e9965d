package org.slipstream.events.webhook;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.events.stream.EventStream;
import org.slipstream.events.stream.StreamCursor;
import org.slipstream.http.HttpPost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The webhooks of a server. May be called by any thread.
///
/// Each is a subscriber of the event stream, so it gets each event at least once, from its first start on. A webhook
/// that the settings no longer have loses its place.
public final class Webhooks implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Webhooks.class);
    /// Names of subscribers that begin so belong to webhooks.
    public static final String PREFIX = "webhook-";

    private final EventStream stream;
    private final Path folder;
    private final LongSupplier clockMillis;
    private final Function<WebhookReceiver, HttpPost> senders;
    private final WebhookPace pace;
    private final Map<String, WebhookQueue> queues = new TreeMap<>();
    private boolean closed;

    /// @param spool the folder of the first shard
    public Webhooks(EventStream stream, Path spool, LongSupplier clockMillis) {
        this(stream, spool.resolve("events").resolve("webhooks"), clockMillis, WebhookReceiver::sender,
                WebhookPace.USUAL);
    }

    Webhooks(EventStream stream, Path folder, LongSupplier clockMillis, Function<WebhookReceiver, HttpPost> senders,
            WebhookPace pace) {
        this.stream = stream;
        this.folder = folder;
        this.clockMillis = clockMillis;
        this.senders = senders;
        this.pace = pace;
    }

    static String subscriber(String name) {
        return PREFIX + name;
    }

    /// Starts, replaces and ends webhooks, so that they are those of the settings. Those that stay as they are go on.
    public synchronized void use(Collection<WebhookReceiver> receivers) {
        if (closed || !stream.isOn()) {
            return;
        }
        Map<String, WebhookReceiver> wanted = receivers.stream()
                .collect(Collectors.toMap(WebhookReceiver::name, each -> each));
        for (String name : List.copyOf(queues.keySet())) {
            WebhookQueue queue = queues.get(name);
            if (queue != null && !queue.receiver().equals(wanted.get(name))) {
                queue.close();
                queues.remove(name);
            }
        }
        forgetOthers(wanted.keySet());
        wanted.values().stream().filter(each -> !queues.containsKey(each.name())).forEach(this::begin);
    }

    private void begin(WebhookReceiver receiver) {
        int number = IntStream.iterate(1, each -> each + 1)
                .filter(each -> queues.values().stream().noneMatch(queue -> queue.number() == each)).findFirst()
                .orElseThrow();
        try {
            queues.put(receiver.name(), new WebhookQueue(number, receiver, stream, senders.apply(receiver), pace,
                    folder, clockMillis).start());
        } catch (IOException refused) {
            log.error("event=webhook-not-started webhook={} error=\"{}\"", receiver.name(),
                    LogText.text(FailureWords.of(refused)));
        }
    }

    /// Events would wait for them, and no setting would say why.
    private void forgetOthers(Set<String> wanted) {
        for (String subscriber : stream.subscribers().all().keySet()) {
            String name = subscriber.startsWith(PREFIX) ? subscriber.substring(PREFIX.length()) : "";
            if (!name.isEmpty() && !wanted.contains(name)) {
                try {
                    stream.subscribers().forget(subscriber);
                    Files.deleteIfExists(folder.resolve(name + ".paused"));
                    log.info("event=webhook-removed webhook={}", LogText.word(name));
                } catch (IOException kept) {
                    log.warn("event=webhook-not-removed webhook={} error=\"{}\"", LogText.word(name),
                            LogText.text(FailureWords.of(kept)));
                }
            }
        }
    }

    /// In the order of their names.
    public synchronized List<WebhookState> states() {
        return queues.values().stream().map(WebhookQueue::state).toList();
    }

    private synchronized Optional<WebhookQueue> find(String name) {
        return Optional.ofNullable(queues.get(name));
    }

    /// @return false when there is none of this name
    public boolean pause(String name, String author) {
        Optional<WebhookQueue> found = find(name);
        found.ifPresent(each -> each.pause(author));
        return found.isPresent();
    }

    /// @return false when there is none of this name
    public boolean resume(String name) throws IOException {
        Optional<WebhookQueue> found = find(name);
        if (found.isPresent()) {
            found.get().resume();
        }
        return found.isPresent();
    }

    /// @return false when there is none of this name
    public boolean replay(String name, StreamCursor from) throws IOException {
        Optional<WebhookQueue> found = find(name);
        if (found.isPresent()) {
            found.get().replay(from);
        }
        return found.isPresent();
    }

    /// @return the failure, or an empty text; empty when there is none of this name
    public Optional<String> test(String name) {
        return find(name).map(WebhookQueue::test);
    }

    /// The reason why a receiver does not learn what became of mail.
    public synchronized Optional<String> trouble() {
        return Optional.of(queues.values().stream().flatMap(each -> each.trouble().stream())
                .collect(Collectors.joining("; "))).filter(text -> !text.isEmpty());
    }

    @Override
    public synchronized void close() {
        closed = true;
        queues.values().forEach(WebhookQueue::close);
        queues.clear();
    }
}
