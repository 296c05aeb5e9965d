package org.slipstream.monitor.alarm;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// The thread `alarms`: it looks at the list of troubles every [#INTERVAL] and tells what [AlarmBook]
/// says by each channel of the settings in force.
///
/// It uses no disk, no queue and no other thread of the server, so it works when those are the trouble. A
/// channel that fails is tried again, after ten seconds and then ever more slowly up to ten minutes; the
/// order of its notices stays. At most [#MOST_WAITING] notices wait for a channel, and then the oldest goes.
public final class Alarms implements AutoCloseable {
    static final Duration INTERVAL = Duration.ofSeconds(10);
    static final int MOST_WAITING = 100;
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);
    private static final Logger log = LoggerFactory.getLogger(Alarms.class);

    private final String hostname;
    private final Supplier<AlarmSettings> settings;
    private final Supplier<List<AlarmCause>> causes;
    private final InstantSource clock;
    private final Duration interval;
    private final AlarmBook book = new AlarmBook();
    private final Thread thread = Thread.ofPlatform().daemon().name("alarms").unstarted(this::run);
    private AlarmSettings used = new AlarmSettings(Optional.empty(), Optional.empty(), Optional.empty());
    private List<Outbox> outboxes = List.of();
    private volatile int open;
    private volatile boolean stopped;

    /// The notices of one channel that wait.
    private static final class Outbox {
        private final AlarmChannel channel;
        private final Deque<AlarmNotice> waiting = new ArrayDeque<>();
        private Duration pause = INTERVAL;
        private Instant nextTry = Instant.MIN;

        Outbox(AlarmChannel channel) {
            this.channel = channel;
        }
    }

    /// @param settings in force
    /// @param causes the troubles at this moment; returns within a bounded time
    public Alarms(String hostname, Supplier<AlarmSettings> settings, Supplier<List<AlarmCause>> causes,
            InstantSource clock) {
        this(hostname, settings, causes, clock, INTERVAL);
    }

    Alarms(String hostname, Supplier<AlarmSettings> settings, Supplier<List<AlarmCause>> causes, InstantSource clock,
            Duration interval) {
        this.interval = interval;
        this.hostname = hostname;
        this.settings = settings;
        this.causes = causes;
        this.clock = clock;
    }

    public Alarms start() {
        thread.start();
        return this;
    }

    /// Troubles that were told and have not ended.
    public int open() {
        return open;
    }

    /// A program that runs is killed. Waits for the thread.
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
                look();
                Thread.sleep(interval);
            } catch (InterruptedException stop) {
                return;
            } catch (RuntimeException ours) {
                log.warn("event=alarm-look-failed error=\"{}\"", LogText.text(FailureWords.of(ours)), ours);
                pause();
            }
        }
    }

    private void pause() {
        try {
            Thread.sleep(interval);
        } catch (InterruptedException stop) {
            stopped = true;
        }
    }

    void look() throws InterruptedException {
        use(settings.get());
        Instant now = clock.instant();
        for (AlarmNotice notice : book.look(causes.get(), now)) {
            outboxes.forEach(outbox -> add(outbox, notice));
        }
        open = book.open();
        for (Outbox outbox : outboxes) {
            send(outbox);
        }
    }

    private static void add(Outbox outbox, AlarmNotice notice) {
        if (outbox.waiting.size() >= MOST_WAITING) {
            outbox.waiting.removeFirst();
        }
        outbox.waiting.addLast(notice);
    }

    /// Other channels begin without the notices of the former ones, which an operator has just seen.
    private void use(AlarmSettings now) {
        if (now.equals(used)) {
            return;
        }
        used = now;
        List<Outbox> channels = new ArrayList<>();
        now.command().ifPresent(program -> channels.add(new Outbox(new CommandChannel(program, hostname))));
        now.webhook().ifPresent(address -> channels.add(new Outbox(new WebhookChannel(address, hostname))));
        outboxes = List.copyOf(channels);
    }

    private void send(Outbox outbox) throws InterruptedException {
        while (!outbox.waiting.isEmpty() && !clock.instant().isBefore(outbox.nextTry)) {
            AlarmNotice notice = outbox.waiting.getFirst();
            try {
                outbox.channel.send(notice);
                outbox.waiting.removeFirst();
                outbox.pause = INTERVAL;
                log.info("event=alarm-sent channel={} state={} what={} subject=\"{}\"", outbox.channel.name(),
                        notice.kind().word(), LogText.word(notice.cause().what()),
                        LogText.text(notice.cause().subject()));
            } catch (IOException failed) {
                outbox.nextTry = clock.instant().plus(outbox.pause);
                log.warn("event=alarm-not-sent channel={} what={} error=\"{}\" next=\"it is tried again at {}\"",
                        outbox.channel.name(), LogText.word(notice.cause().what()),
                        LogText.text(FailureWords.of(failed)), outbox.nextTry);
                outbox.pause = outbox.pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0
                        ? LONGEST_PAUSE
                        : outbox.pause.multipliedBy(2);
            }
        }
    }
}
