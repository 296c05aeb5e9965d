package org.slipstream.server.cli;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/// Handles SIGHUP of a running server: it logs a line and does not end the process, which is the
/// JVM's default.
///
/// A SIGHUP that the parent process ignores (`nohup`) stays ignored: the JVM then installs no
/// handler. The JDK has no supported API for signals. `sun.misc.Signal` is kept accessible by JEP
/// 260; it is called by reflection because the compiler's warning about it cannot be switched off.
final class Hangup {
    private static final Logger log = LoggerFactory.getLogger(Hangup.class);

    private Hangup() {}

    static void survive() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object logs = Proxy.newProxyInstance(Hangup.class.getClassLoader(), new Class<?>[]{handler},
                    (_, method, _) -> {
                        if (method.getName().equals("handle")) {
                            received();
                        }
                        return null;
                    });
            signal.getMethod("handle", signal, handler).invoke(null,
                    signal.getConstructor(String.class).newInstance("HUP"), logs);
        } catch (ReflectiveOperationException | IllegalArgumentException unavailable) {
            // With -Xrs, or on a system without SIGHUP, the JVM handles no signals.
            log.debug("event=signal-unavailable signal=HUP error=\"{}\"", reason(unavailable));
        }
    }

    private static void received() {
        log.info("event=signal signal=HUP action=ignored reason=\"settings are read at the start only; restart the"
                + " server to apply changes\"");
    }

    private static String reason(Exception unavailable) {
        Throwable cause = unavailable instanceof InvocationTargetException ? unavailable.getCause() : unavailable;
        return cause == null ? "unknown" : String.valueOf(cause.getMessage());
    }
}
