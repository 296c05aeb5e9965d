package org.slipstream.cli.frame;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.ApiClient;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;

/// The signals of a running server besides those that stop it: SIGHUP reads the settings again,
/// and SIGALRM tries all mail now, as in qmail (IM-30). The JVM's default for both ends the process.
///
/// A SIGHUP that the parent process ignores (`nohup`) stays ignored: the JVM then installs no
/// handler. The JDK has no supported API for signals. `sun.misc.Signal` is kept accessible by JEP
/// 260; it is called by reflection because the compiler's warning about it cannot be switched off.
public final class ProcessSignal {
    private static final Logger log = LoggerFactory.getLogger(ProcessSignal.class);
    private static final Duration ANSWER = Duration.ofSeconds(60);

    private ProcessSignal() {}

    /// From now on SIGHUP does not end the process.
    public static void surviveHangup() {
        handle("HUP", () -> log
                .info("event=signal signal=HUP action=ignored reason=\"the server is starting or stopping\""));
    }

    /// From now on SIGHUP does what `mta reload` does. The result is in the log.
    public static void reloadAtHangup(Runnable reload) {
        handle("HUP", () -> {
            log.info("event=signal signal=HUP action=reload reason=\"the settings are read again\"");
            try {
                reload.run();
            } catch (RuntimeException broken) {
                log.error("event=signal-failed signal=HUP action=reload error=\"{}\"",
                        LogText.text(FailureWords.of(broken)), broken);
            }
        });
    }

    /// From now on SIGALRM does what `mta queue flush` does.
    ///
    /// @param socket for operators' commands
    public static void flushAtAlarm(Path socket) {
        handle("ALRM", () -> flush(socket));
    }

    private static void flush(Path socket) {
        try (ApiClient server = ApiClient.connect(socket, ANSWER)) {
            int status = server.ask("POST", "queue/flush").status();
            log.info("event=signal signal=ALRM action=flush reason=\"all mail but that on hold is tried now\" reply={}",
                    status);
        } catch (IOException trouble) {
            log.warn("event=signal-failed signal=ALRM action=flush error=\"{}\"",
                    LogText.text(FailureWords.of(trouble)));
        }
    }

    private static void handle(String name, Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object handles = Proxy.newProxyInstance(ProcessSignal.class.getClassLoader(), new Class<?>[]{handler},
                    (_, method, _) -> {
                        if (method.getName().equals("handle")) {
                            action.run();
                        }
                        return null;
                    });
            signal.getMethod("handle", signal, handler).invoke(null,
                    signal.getConstructor(String.class).newInstance(name), handles);
        } catch (ReflectiveOperationException | IllegalArgumentException unavailable) {
            // With -Xrs, or on a system without this signal, the JVM handles none.
            log.debug("event=signal-unavailable signal={} error=\"{}\"", name, reason(unavailable));
        }
    }

    private static String reason(Exception unavailable) {
        Throwable cause = unavailable instanceof InvocationTargetException ? unavailable.getCause() : unavailable;
        return cause == null ? "unknown" : String.valueOf(cause.getMessage());
    }
}
