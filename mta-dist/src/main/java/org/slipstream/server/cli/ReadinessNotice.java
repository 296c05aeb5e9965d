package org.slipstream.server.cli;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/// The notice to systemd that the server accepts mail, for a unit of `Type=notify`. Without the
/// variable `NOTIFY_SOCKET` no service manager waits for it, and nothing happens.
///
/// systemd waits for a datagram on a UNIX socket. Java has none, so the program `systemd-notify`
/// sends it, and the unit says `NotifyAccess=all`.
final class ReadinessNotice {
    private static final Logger log = LoggerFactory.getLogger(ReadinessNotice.class);
    private static final int ANSWER_SECONDS = 10;

    private ReadinessNotice() {}

    static void send() throws InterruptedException {
        if (System.getenv("NOTIFY_SOCKET") == null) {
            return;
        }
        try {
            Process notice = new ProcessBuilder("systemd-notify", "--ready", "--status=accepting mail").inheritIO()
                    .start();
            if (!notice.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS) || notice.exitValue() != 0) {
                notice.destroyForcibly();
                log.warn("event=readiness-not-told reason=\"systemd-notify failed, so systemd takes this start for"
                        + " unfinished\"");
            }
        } catch (IOException missing) {
            log.warn("event=readiness-not-told reason=\"{}\"", FailureWords.of(missing));
        }
    }
}
