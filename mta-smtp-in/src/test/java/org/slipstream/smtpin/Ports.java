package org.slipstream.smtpin;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;

/// Listeners for tests: on any port of the loopback, at a fixed time, without patience.
final class Ports {
    static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

    private Ports() {}

    static ListenerConfig config() {
        return ListenerConfig.of("smtp", new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "mx.test");
    }

    static SmtpListener started(ListenerConfig config, MailDoor door) throws IOException {
        return started(config, door, Duration.ofSeconds(60));
    }

    static SmtpListener started(ListenerConfig config, MailDoor door, Duration dataCredit) throws IOException {
        SmtpListener listener = new SmtpListener(config, door,
                new Tuning(InstantSource.fixed(NOON), dataCredit, Duration.ofMillis(100), Duration.ofMillis(100)));
        listener.start();
        return listener;
    }

    /// The same configuration with one number changed.
    static ListenerConfig with(ListenerConfig config, String name, long value) {
        try {
            RecordComponent[] components = ListenerConfig.class.getRecordComponents();
            Object[] values = new Object[components.length];
            boolean found = false;
            for (int i = 0; i < components.length; i++) {
                values[i] = components[i].getAccessor().invoke(config);
                if (components[i].getName().equals(name)) {
                    found = true;
                    values[i] = components[i].getType() == int.class ? (Object) (int) value : (Object) value;
                }
            }
            if (!found) {
                throw new IllegalArgumentException("no setting " + name);
            }
            Class<?>[] types = Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
            return ListenerConfig.class.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("records can be copied", e);
        }
    }
}
