package org.slipstream.cli.run;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The notices to systemd that the server accepts mail, reads its settings again, or stops, for a
/// unit of `Type=notify` or `notify-reload`. Without the variable `NOTIFY_SOCKET` no service
/// manager waits for them, and nothing happens.
///
/// systemd waits for a datagram on a UNIX socket ([sd_notify(3)]). Java has none, so the program
/// `systemd-notify` sends it, and the unit says `NotifyAccess=all`.
///
/// [sd_notify(3)]: https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
public final class ReadinessNotice {
    private static final Logger log = LoggerFactory.getLogger(ReadinessNotice.class);
    private static final int ANSWER_SECONDS = 10;
    private final Optional<String> socket;

    public ReadinessNotice(Optional<String> socket) {
        this.socket = socket;
    }

    static ReadinessNotice ofEnvironment() {
        return new ReadinessNotice(Optional.ofNullable(System.getenv("NOTIFY_SOCKET")));
    }

    public void ready() {
        send("READY=1", "STATUS=accepting mail");
    }

    /// `nanoTime` is CLOCK_MONOTONIC on Linux. systemd compares it with the time of its SIGHUP.
    public void reloading() {
        send("RELOADING=1", "MONOTONIC_USEC=" + TimeUnit.NANOSECONDS.toMicros(System.nanoTime()));
    }

    public void stopping() {
        send("STOPPING=1", "STATUS=finishing transfers");
    }

    private void send(String... states) {
        if (socket.isEmpty()) {
            return;
        }
        try {
            ProcessBuilder program = new ProcessBuilder(Stream.concat(Stream.of("systemd-notify"),
                    Stream.of(states)).toList()).inheritIO();
            program.environment().put("NOTIFY_SOCKET", socket.get());
            Process notice = program.start();
            if (!notice.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS) || notice.exitValue() != 0) {
                notice.destroyForcibly();
                log.warn(
                        "event=readiness-not-told state={} reason=\"systemd-notify failed, so systemd does not know this"
                                + " state\"",
                        states[0]);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (IOException missing) {
            log.warn("event=readiness-not-told state={} reason=\"{}\"", states[0], FailureWords.of(missing));
        }
    }
}
