package org.slipstream.events.webhook;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.events.stream.EventReader.EventPage;
import org.slipstream.events.stream.EventStream;
import org.slipstream.events.stream.MailEvent;
import org.slipstream.events.stream.StreamCursor;
import org.slipstream.http.HttpPost;
import org.slipstream.http.HttpPost.PostAnswer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/// The events of one receiver, on a thread of their own: it reads the stream, posts, and stores how far it is.
///
/// **No event is passed over because its receiver fails.** A request is repeated until the receiver takes it, with the
/// pauses of [WebhookPace]. Meanwhile the events wait in the files of the stream, and in memory there is a page of them
/// at most. The size of the stream is the bound, as for each subscriber.
///
/// **A request that is refused for its content** (most of 4xx) is repeated with half as many events, so that those
/// before a bad one get through and the bad one is found. It then waits for an operator.
///
/// **A receiver that answers 410**, or that fails for days, gets no more requests until an operator resumes it.
///
/// The place is stored after the answer. A process that is killed between both repeats one request, with the same id.
final class WebhookQueue implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WebhookQueue.class);
    private static final int PAGE = 500;
    private static final long LOOK_MILLIS = 1_000;
    private static final long TROUBLE_MILLIS = Duration.ofMinutes(5).toMillis();
    private static final int GONE = 410;
    private static final int LONGEST_FILE = 2_000;

    private final int number;
    private final WebhookReceiver receiver;
    private final EventStream stream;
    private final HttpPost sender;
    private final WebhookPace pace;
    private final LongSupplier clockMillis;
    private final Path pauseFile;
    private final Thread thread;
    private volatile boolean stopped;

    // Guarded by this object, as the receiver is asked and ordered by other threads.
    private final Deque<WaitingEvent> waiting = new ArrayDeque<>();
    private StreamCursor place;
    /// Counts orders that change the place: what was read before one is void.
    private int moves;
    private int share;
    private int failures;
    private long failingSinceMillis;
    private long nextTryMillis;
    private Optional<WebhookPause> pause;
    private String lastAnswer = "";
    private long lastAnswerMillis;
    private long sent;
    private long requests;

    /// @param place of a reader that has it
    private record WaitingEvent(String line, StreamCursor place) {}

    /// @param reached the place behind the last event that was looked at
    /// @param taken events that were looked at, with those that the receiver does not get
    private record EventBatch(List<String> lines, StreamCursor reached, int taken, int moves) {}

    /// @param byOperator false: the server gave up
    record WebhookPause(boolean byOperator, String reason) {
        private static final String OPERATOR = "operator ";
        private static final String RECEIVER = "receiver ";

        static WebhookPause parse(String text) {
            return text.startsWith(OPERATOR)
                    ? new WebhookPause(true, text.substring(OPERATOR.length()))
                    : new WebhookPause(false, text.startsWith(RECEIVER) ? text.substring(RECEIVER.length()) : text);
        }

        String text() {
            return (byOperator ? OPERATOR : RECEIVER) + reason;
        }
    }

    /// @param number of the thread
    /// @param folder of the files that say that a webhook is paused
    WebhookQueue(int number, WebhookReceiver receiver, EventStream stream, HttpPost sender, WebhookPace pace,
            Path folder, LongSupplier clockMillis) throws IOException {
        this.number = number;
        this.receiver = receiver;
        this.stream = stream;
        this.sender = sender;
        this.pace = pace;
        this.clockMillis = clockMillis;
        pauseFile = folder.resolve(receiver.name() + ".paused");
        pause = readPause();
        share = receiver.settings().batch();
        Optional<StreamCursor> stored = stream.subscribers().place(subscriber());
        place = stored.isPresent() ? stored.get() : stream.reader().end();
        if (stored.isEmpty() && !stream.subscribers().move(subscriber(), place)) {
            throw new IOException("there are too many subscribers (mta events subscribers)");
        }
        thread = Thread.ofPlatform().daemon().name("webhook-" + number).unstarted(this::run);
    }

    private Optional<WebhookPause> readPause() throws IOException {
        if (Files.notExists(pauseFile)) {
            return Optional.empty();
        }
        String text = Files.size(pauseFile) > LONGEST_FILE ? "" : Files.readString(pauseFile).strip();
        return Optional.of(WebhookPause.parse(text));
    }

    WebhookQueue start() {
        thread.start();
        return this;
    }

    int number() {
        return number;
    }

    WebhookReceiver receiver() {
        return receiver;
    }

    private String subscriber() {
        return Webhooks.subscriber(receiver.name());
    }

    /// A request under way ends without its answer, and is repeated after the next start.
    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!stopped) {
            try {
                awaitTurn();
                fill();
                Optional<EventBatch> batch = next();
                if (batch.isPresent()) {
                    post(batch.get());
                }
            } catch (InterruptedException stop) {
                return;
            } catch (IOException | RuntimeException ours) {
                log.warn("event=webhook-stopped-short webhook={} error=\"{}\" next=\"it goes on in {} s\"",
                        receiver.name(), LogText.text(FailureWords.of(ours)), pace.first().toSeconds(), ours);
                later(pace.first());
            }
        }
    }

    private synchronized void later(Duration pauseFor) {
        nextTryMillis = clockMillis.getAsLong() + pauseFor.toMillis();
    }

    private synchronized void awaitTurn() throws InterruptedException {
        long rest = nextTryMillis - clockMillis.getAsLong();
        // A pause that is longer comes from a clock that was set back.
        while (pause.isPresent() || rest > 0 && rest <= pace.mostLater().toMillis()) {
            wait(pause.isPresent() ? 0 : rest);
            rest = nextTryMillis - clockMillis.getAsLong();
        }
    }

    /// Reads a page when nothing waits in memory.
    private void fill() throws IOException, InterruptedException {
        StreamCursor from;
        int before;
        synchronized (this) {
            if (!waiting.isEmpty()) {
                return;
            }
            from = place;
            before = moves;
        }
        EventPage page = stream.read(from, PAGE, LOOK_MILLIS);
        synchronized (this) {
            if (before == moves) {
                page.lines().forEach(line -> waiting.add(new WaitingEvent(line, MailEvent.placeOf(line))));
            }
        }
    }

    private synchronized Optional<EventBatch> next() {
        List<String> lines = new ArrayList<>();
        StreamCursor reached = place;
        int taken = 0;
        int octets = 0;
        for (WaitingEvent each : waiting) {
            if (receiver.wants(each.line())) {
                octets += each.line().getBytes(StandardCharsets.UTF_8).length + 2;
                if (lines.size() >= share || !lines.isEmpty() && octets > WebhookReceiver.MOST_OCTETS) {
                    break;
                }
                lines.add(each.line());
            }
            taken++;
            reached = each.place();
        }
        return taken == 0 || pause.isPresent()
                ? Optional.empty()
                : Optional.of(new EventBatch(lines, reached, taken, moves));
    }

    private void post(EventBatch batch) throws IOException {
        if (batch.lines().isEmpty()) {
            done(batch);
            return;
        }
        PostAnswer answer;
        try {
            answer = receiver.post(sender, batch.lines(), clockMillis.getAsLong());
        } catch (IOException failed) {
            if (!stopped) {
                failed(FailureWords.of(failed), Optional.empty(), false);
            }
            return;
        }
        if (answer.isTaken()) {
            taken(batch, answer);
            done(batch);
        } else {
            refused(batch, answer);
        }
    }

    private synchronized void taken(EventBatch batch, PostAnswer answer) {
        answered(Integer.toString(answer.status()));
        if (failures > 0) {
            log.info("event=webhook-recovered webhook={} requests={} since={}", receiver.name(), failures,
                    Instant.ofEpochMilli(failingSinceMillis));
        }
        failures = 0;
        sent += batch.lines().size();
        share = Math.min(receiver.settings().batch(), share * 2);
    }

    private void answered(String words) {
        requests++;
        lastAnswer = words;
        lastAnswerMillis = clockMillis.getAsLong();
    }

    /// In memory first: when the place cannot be stored, the next start repeats requests.
    private void done(EventBatch batch) throws IOException {
        synchronized (this) {
            if (batch.moves() != moves) {
                return;
            }
            for (int i = 0; i < batch.taken(); i++) {
                waiting.remove();
            }
            place = batch.reached();
            stream.subscribers().move(subscriber(), place);
        }
    }

    private void refused(EventBatch batch, PostAnswer answer) {
        if (answer.status() == GONE) {
            synchronized (this) {
                answered("410");
                giveUp("it answered with 410 (Gone)");
            }
            return;
        }
        failed("it answered with " + answer.status(), answer.retryAfter(),
                isOfContent(answer.status()) && batch.lines().size() > 1);
    }

    /// True for an answer that may concern the events, and neither the address nor the moment.
    private static boolean isOfContent(int status) {
        return switch (status) {
            case 401, 403, 404, 405, 407, 408, 425, 429 -> false;
            default -> status >= 400 && status < 500;
        };
    }

    private synchronized void failed(String reason, Optional<Duration> retryAfter, boolean halve) {
        long now = clockMillis.getAsLong();
        answered(reason);
        if (failures == 0) {
            failingSinceMillis = now;
        }
        failures++;
        if (now - failingSinceMillis > pace.patience().toMillis()) {
            giveUp("it has failed for " + pace.patience().toDays() + " days: " + reason);
            return;
        }
        if (halve) {
            share = Math.max(1, share / 2);
        }
        Duration pauseFor = pace.pause(halve ? 1 : failures, retryAfter, ThreadLocalRandom.current().nextDouble());
        nextTryMillis = now + pauseFor.toMillis();
        log.warn("event=webhook-failed webhook={} requests={} error=\"{}\" next=\"it is tried again at {}\"",
                receiver.name(), failures, LogText.text(reason), Instant.ofEpochMilli(nextTryMillis));
    }

    private void giveUp(String reason) {
        log.error("event=webhook-paused webhook={} reason=\"{}\" next=\"mta webhook resume {}\"", receiver.name(),
                LogText.text(reason), receiver.name());
        setPause(new WebhookPause(false, reason));
    }

    private void setPause(WebhookPause now) {
        pause = Optional.of(now);
        try {
            Files.createDirectories(pauseFile.toAbsolutePath().getParent());
            Files.writeString(pauseFile, now.text() + "\n");
        } catch (IOException notKept) {
            log.warn("event=webhook-pause-not-kept webhook={} error=\"{}\" next=\"it ends with the process\"",
                    receiver.name(), LogText.text(FailureWords.of(notKept)));
        }
    }

    // ---- orders and views, by any thread

    synchronized void pause(String author) {
        setPause(new WebhookPause(true, author));
        log.info("event=webhook-paused webhook={} reason=\"ordered by {}\"", receiver.name(), LogText.text(author));
    }

    synchronized void resume() throws IOException {
        Files.deleteIfExists(pauseFile);
        pause = Optional.empty();
        failures = 0;
        nextTryMillis = 0;
        log.info("event=webhook-resumed webhook={}", receiver.name());
        notifyAll();
    }

    /// Goes on behind another place, an earlier or a later one.
    synchronized void replay(StreamCursor from) throws IOException {
        stream.subscribers().move(subscriber(), from);
        place = from;
        moves++;
        waiting.clear();
        failures = 0;
        nextTryMillis = 0;
        log.info("event=webhook-moved webhook={} cursor={}", receiver.name(), from);
        notifyAll();
    }

    /// Posts an event that says that it is a test, also while the webhook is paused.
    ///
    /// @return the answer of the receiver, or the reason why there was none
    String test() {
        long now = clockMillis.getAsLong();
        String line = "{\"v\":1,\"id\":\"test-" + Long.toString(now, 36) + "\",\"kind\":\"test\",\"time\":\""
                + Instant.ofEpochMilli(now) + "\",\"text\":\"a test of this webhook\"}";
        try {
            PostAnswer answer = receiver.post(sender, List.of(line), now);
            return answer.isTaken() ? "" : "it answered with " + answer.status();
        } catch (IOException failed) {
            return FailureWords.of(failed);
        }
    }

    synchronized WebhookState state() {
        Optional<String> first = Optional.ofNullable(waiting.peek()).map(WaitingEvent::line);
        return new WebhookState(receiver.name(), receiver.page(),
                pause.map(WebhookPause::byOperator), pause.map(WebhookPause::reason).orElse(""), failures,
                failures == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(failingSinceMillis)),
                failures == 0 || pause.isPresent()
                        ? Optional.empty()
                        : Optional.of(Instant.ofEpochMilli(nextTryMillis)),
                lastAnswer, lastAnswerMillis == 0
                        ? Optional.empty()
                        : Optional.of(Instant.ofEpochMilli(
                                lastAnswerMillis)),
                first.flatMap(MailEvent::timeOf), place.toString(), sent, requests);
    }

    /// The words for an operator, once it has lasted; empty while all is well, or as an operator wants it.
    synchronized Optional<String> trouble() {
        if (pause.isPresent()) {
            return pause.filter(each -> !each.byOperator()).map(each -> receiver.name() + " is paused: "
                    + each.reason());
        }
        return failures > 0 && clockMillis.getAsLong() - failingSinceMillis >= TROUBLE_MILLIS
                ? Optional.of(receiver.name() + " has failed " + failures + " times: " + lastAnswer)
                : Optional.empty();
    }
}
