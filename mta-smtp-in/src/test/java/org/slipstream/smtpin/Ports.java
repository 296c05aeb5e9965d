package org.slipstream.smtpin;

import org.slipstream.core.DataSize;
import org.slipstream.core.SettingsRecords;
import org.slipstream.smtpin.protocol.Limits;
import org.slipstream.smtpin.protocol.ServicePolicy;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.function.LongSupplier;

/// Listeners for tests: on any port of the loopback, at a fixed time, with short timeouts.
final class Ports {
    static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

    private Ports() {}

    static ListenerConfig config() {
        return ListenerConfig.of(ServicePolicy.mx(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "mx.test");
    }

    static SmtpListener started(ListenerConfig config, MessageHandler handler) throws IOException {
        return started(config, handler, Duration.ofSeconds(60));
    }

    static SmtpListener started(ListenerConfig config, MessageHandler handler, Duration dataCredit) throws IOException {
        return started(config, ListenerServices.of(handler), dataCredit);
    }

    static SmtpListener started(ListenerConfig config, ListenerServices services) throws IOException {
        return started(config, services, Duration.ofSeconds(60));
    }

    static SmtpListener started(ListenerConfig config, ListenerServices services, Duration dataCredit)
            throws IOException {
        SmtpListener listener = new SmtpListener(config, services, tuning(dataCredit));
        listener.start();
        return listener;
    }

    static Tuning tuning(Duration dataCredit) {
        return tuning(System::nanoTime, dataCredit, Duration.ofSeconds(2));
    }

    static Tuning tuning(LongSupplier nanos, Duration dataCredit, Duration lastWord) {
        return new Tuning(InstantSource.fixed(NOON), nanos, Duration.ofMillis(10), dataCredit, lastWord,
                Duration.ofMillis(100));
    }

    /// A client that has connected and read nothing.
    static SmtpTalker client(SmtpListener listener) {
        return SmtpTalker.to(address(listener));
    }

    /// A client with this address.
    static SmtpTalker client(SmtpListener listener, String from) {
        return SmtpTalker.to(address(listener), InetAddress.ofLiteral(from));
    }

    /// A client that has read the greeting.
    static SmtpTalker greeted(SmtpListener listener) {
        return SmtpTalker.greetedBy(address(listener));
    }

    private static InetSocketAddress address(SmtpListener listener) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.port());
    }

    /// The same configuration with one limit, or one number or flag of its service, changed.
    static ListenerConfig with(ListenerConfig config, String name, long value) {
        return has(Limits.class, name)
                ? config.withLimits(with(config.limits(), name, value))
                : config.withService(with(config.service(), name, value));
    }

    private static boolean has(Class<? extends Record> type, String name) {
        return Arrays.stream(type.getRecordComponents()).anyMatch(component -> component.getName().equals(name));
    }

    private static <R extends Record> R with(R record, String name, long value) {
        Class<?> type = Arrays.stream(record.getClass().getRecordComponents())
                .filter(component -> component.getName().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no setting " + name)).getType();
        return SettingsRecords.with(record, name, value(type, value));
    }

    private static Object value(Class<?> type, long value) {
        if (type == DataSize.class) {
            return DataSize.of(value);
        }
        if (type == Duration.class) {
            return Duration.ofMillis(value);
        }
        if (type == boolean.class) {
            return value != 0;
        }
        return type == int.class ? (Object) (int) value : value;
    }
}
