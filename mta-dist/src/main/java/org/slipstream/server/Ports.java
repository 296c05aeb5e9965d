package org.slipstream.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.config.Config;
import org.slipstream.core.LogText;
import org.slipstream.server.intake.Services;
import org.slipstream.smtpin.ListenerConfig;
import org.slipstream.smtpin.ListenerServices;
import org.slipstream.smtpin.SmtpListener;
import org.slipstream.smtpin.SmtpListener.ListenerFigures;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

/// The open ports of the server.
///
/// A change opens new ports before anything else happens, so a port that is taken changes nothing. A
/// port whose address stays is not closed: its sessions go on, and the next ones have the new
/// settings. A port that the settings no longer name is closed, and its sessions end as they like.
///
/// A new port may need the place of one that goes: `*:25` contains `127.0.0.1:25`, and Linux lets
/// only one of them listen. Then the old port closes first, and opens again if the change is undone.
final class Ports {
    private static final Logger log = LoggerFactory.getLogger(Ports.class);

    private final Map<String, OpenPort> open = new LinkedHashMap<>();
    private final List<SmtpListener> retired = new ArrayList<>();
    private Optional<PortSettings> inForce = Optional.empty();

    /// @param wanted as the settings say it; its port may be 0
    private record OpenPort(InetSocketAddress wanted, SmtpListener listener) {
        InetSocketAddress bound() {
            return new InetSocketAddress(wanted.getAddress(), listener.port());
        }

        boolean hasPlaceOf(InetSocketAddress other) {
            return listener.port() == other.getPort() && (wanted.getAddress().isAnyLocalAddress()
                    || other.getAddress().isAnyLocalAddress() || wanted.getAddress().equals(other.getAddress()));
        }
    }

    /// The part of the settings that the ports of a server use.
    record PortSettings(Config config, Optional<Supplier<SSLContext>> tls, ListenerServices services) {
        ListenerConfig of(Services.Service service) {
            return Services.listener(config, service, tls);
        }
    }

    /// A change of which the new ports are open. [#apply] follows.
    final class PortChange {
        private final PortSettings settings;
        private final Map<String, OpenPort> opened = new LinkedHashMap<>();
        /// Ports of before that are closed already, because a new one has their place.
        private final Map<String, OpenPort> displaced = new LinkedHashMap<>();

        private PortChange(PortSettings settings) {
            this.settings = settings;
        }

        private void open(Services.Service service) throws StartFailure {
            open.forEach((name, port) -> {
                if (port.hasPlaceOf(service.address()) && !stays(name, port)) {
                    port.listener().retire();
                    displaced.put(name, port);
                }
            });
            try {
                opened.put(service.name(), new OpenPort(service.address(), started(settings, service)));
            } catch (IOException taken) {
                String key = "listen." + service.name();
                throw new StartFailure(settings.config().written().sentence(key, taken.getMessage()
                        + "; stop what uses it, or choose another address or port"), taken);
            }
        }

        private boolean stays(String name, OpenPort port) {
            return Services.of(settings.config()).stream()
                    .anyMatch(each -> each.name().equals(name) && each.address().equals(port.wanted()));
        }

        /// Puts the settings into force.
        void apply() {
            Map<String, OpenPort> next = new LinkedHashMap<>();
            for (Services.Service service : Services.of(settings.config())) {
                OpenPort stays = open.get(service.name());
                next.put(service.name(), opened.getOrDefault(service.name(), stays));
                if (stays != null && !opened.containsKey(service.name())) {
                    stays.listener().change(settings.of(service), settings.services());
                }
            }
            synchronized (Ports.this) {
                open.forEach((name, port) -> {
                    if (next.get(name) != port) {
                        retire(name, port);
                    }
                });
                open.clear();
                open.putAll(next);
            }
            inForce = Optional.of(settings);
        }

        private void undo() {
            opened.values().forEach(port -> {
                port.listener().retire();
                port.listener().stop(Duration.ZERO);
            });
            inForce.ifPresent(before -> displaced.forEach((name, port) -> reopen(before, name, port)));
        }
    }

    /// Sessions of the closed port go on, so a new listener takes its place. A port that another
    /// program took in this moment is forgotten, and the next reload tries it again.
    private void reopen(PortSettings before, String name, OpenPort port) {
        retire(name, port);
        Services.Service service = Services.of(before.config()).stream().filter(each -> each.name().equals(name))
                .findFirst().orElseThrow();
        try {
            SmtpListener again = started(before, new Services.Service(service.policy(), port.bound()));
            synchronized (this) {
                open.put(name, new OpenPort(port.wanted(), again));
            }
        } catch (IOException taken) {
            synchronized (this) {
                open.remove(name);
            }
            log.error("event=listener-not-reopened listener={} address={}:{} error=\"{}\"", name,
                    port.wanted().getHostString(), port.listener().port(),
                    LogText.text(String.valueOf(taken.getMessage())));
        }
    }

    private static SmtpListener started(PortSettings settings, Services.Service service) throws IOException {
        SmtpListener listener = new SmtpListener(settings.of(service), settings.services());
        listener.start();
        return listener;
    }

    private void retire(String name, OpenPort port) {
        port.listener().retire();
        retired.removeIf(each -> each.sessions() == 0 && stopped(each));
        retired.add(port.listener());
        log.info("event=listener-retired listener={} address={}:{} sessions={}", name,
                port.wanted().getHostString(), port.listener().port(), port.listener().sessions());
    }

    private static boolean stopped(SmtpListener listener) {
        listener.stop(Duration.ZERO);
        return true;
    }

    /// Opens the ports that are new in these settings.
    ///
    /// @throws StartFailure when one cannot be opened; then no port is open that was not before
    PortChange prepare(PortSettings settings) throws StartFailure {
        PortChange change = new PortChange(settings);
        try {
            for (Services.Service service : Services.of(settings.config())) {
                OpenPort stays = open.get(service.name());
                if (stays == null || !stays.wanted().equals(service.address())) {
                    change.open(service);
                }
            }
            return change;
        } catch (StartFailure | RuntimeException refused) {
            change.undo();
            throw refused;
        }
    }

    /// The bound addresses by service.
    synchronized Map<String, InetSocketAddress> addresses() {
        Map<String, InetSocketAddress> addresses = new LinkedHashMap<>();
        open.forEach((name, port) -> addresses.put(name, port.bound()));
        return addresses;
    }

    synchronized Map<String, ListenerFigures> figures() {
        Map<String, ListenerFigures> figures = new LinkedHashMap<>();
        open.forEach((name, port) -> figures.put(name, port.listener().figures()));
        return figures;
    }

    /// Refuses new sessions and lets transfers in progress finish. All ports together have one time
    /// limit.
    void stop(Duration limit) throws InterruptedException {
        List<SmtpListener> all;
        synchronized (this) {
            all = new ArrayList<>(retired);
            open.values().forEach(port -> all.add(port.listener()));
        }
        List<Thread> closing = all.stream()
                .map(listener -> Thread.ofPlatform().daemon().start(() -> listener.stop(limit))).toList();
        for (Thread each : closing) {
            each.join();
        }
    }
}
