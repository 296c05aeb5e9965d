package org.slipstream.smtpout;

import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.smtpout.dialog.Protocol;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.smtpout.wire.Endpoint;
import org.slipstream.smtpout.wire.Watchdog;
import org.slipstream.smtpout.wire.Wire;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/// Finds somebody to talk to: the hosts of a route one after the other, until one is ready for a transaction.
///
/// Hosts go by preference, equal ones in random order, so that senders spread over them (RFC 5321 section 5.1). Of each
/// host all addresses count, both families in turn, IPv4 first. A host that cannot be reached, hangs up or greets with a
/// refusal makes room for the next; after [#MAX_ADDRESSES] addresses or [#MAX_SESSIONS] peers that answered the call and
/// then would not talk, the attempt is over. At least two addresses are tried where there are two.
///
/// The failure that is reported is the last one that may pass. Only when every host tried refused both EHLO and HELO for good
/// is the route closed for good. A greeting with 5xx counts as passing: it is what overloaded and half-configured hosts
/// say, and it is about the host, not about the mail.
final class Opener {
    static final int MAX_ADDRESSES = 5;
    static final int MAX_SESSIONS = 2;
    /// When DNS fails for so many hosts, it will for the others.
    static final int MAX_DNS_TROUBLES = 3;

    private final ClientConfig config;
    private final HostFinder hosts;
    private final RandomGenerator random;
    private final Watchdog watchdog;

    /// What an attempt led to.
    sealed interface Result {
        record Opened(Session session) implements Result {}

        record Failed(Reply reason, String remote) implements Result {}
    }

    Opener(ClientConfig config, HostFinder hosts, RandomGenerator random, Watchdog watchdog) {
        this.config = config;
        this.hosts = hosts;
        this.random = random;
        this.watchdog = watchdog;
    }

    /// @param owner is shown each wire before it connects, so that it can abort it; says false when there is to be none
    Result open(Route route, long connection, Predicate<Wire> owner) {
        Attempt attempt = new Attempt(connection, owner);
        return switch (route) {
            case Route.Smtp smtp -> attempt.hosts(Protocol.SMTP, inOrder(smtp.hosts()),
                    smtp.nextHop().startsWith("["));
            case Route.Lmtp lmtp -> lmtp(lmtp.nextHop(), attempt);
            case Route.Local _,Route.Discard _ -> new Result.Failed(Troubles.noSuchTransport(route.transport()),
                    Troubles.LOCAL);
        };
    }

    private Result lmtp(String nextHop, Attempt attempt) {
        if (nextHop.startsWith("unix:")) {
            Endpoint endpoint = new Endpoint.Unix(Path.of(nextHop.substring("unix:".length())));
            return attempt.endpoint(Protocol.LMTP, endpoint).<Result>map(Result.Opened::new)
                    .orElseGet(attempt::failure);
        }
        return hostAndPort(nextHop).map(host -> attempt.hosts(Protocol.LMTP, List.of(host), true))
                .orElseGet(() -> new Result.Failed(Troubles.noSuchAddress(nextHop), Troubles.LOCAL));
    }

    /// `host:port` or `[host]:port`.
    private static Optional<Route.Host> hostAndPort(String text) {
        int colon = text.lastIndexOf(':');
        String host = text.substring(0, Math.max(colon, 0)).replaceFirst("^\\[(.*)]$", "$1");
        String port = text.substring(colon + 1);
        return !host.isEmpty() && port.matches("[0-9]{1,5}") && Integer.parseInt(port) - 1 < 65535
                ? Optional.of(new Route.Host(host, Integer.parseInt(port), 0))
                : Optional.empty();
    }

    private List<Route.Host> inOrder(List<Route.Host> given) {
        List<Route.Host> order = mixed(given);
        order.sort(Comparator.comparingInt(Route.Host::preference));
        return order;
    }

    private List<InetAddress> inOrder(HostFinder.Answer.Found found) {
        List<InetAddress> v4 = new ArrayList<>();
        List<InetAddress> v6 = new ArrayList<>();
        mixed(found.addresses()).forEach(a -> (a instanceof Inet4Address ? v4 : v6).add(a));
        List<InetAddress> order = new ArrayList<>();
        for (int i = 0; i < Math.max(v4.size(), v6.size()); i++) {
            order.addAll(v4.subList(Math.min(i, v4.size()), Math.min(i + 1, v4.size())));
            order.addAll(v6.subList(Math.min(i, v6.size()), Math.min(i + 1, v6.size())));
        }
        return order;
    }

    private <T> List<T> mixed(List<T> given) {
        List<T> order = new ArrayList<>(given);
        synchronized (random) {
            Collections.shuffle(order, java.util.Random.from(random));
        }
        return order;
    }

    /// One walk through the hosts, with what it has met so far. Lives on the carrier's thread.
    private final class Attempt {
        private final long connection;
        private final Predicate<Wire> owner;
        private int addresses;
        private int sessions;
        private int dnsTroubles;
        private boolean stopped;
        private Optional<Result.Failed> forGood = Optional.empty();
        private Optional<Result.Failed> forNow = Optional.empty();

        Attempt(long connection, Predicate<Wire> owner) {
            this.connection = connection;
            this.owner = owner;
        }

        Result hosts(Protocol protocol, List<Route.Host> order, boolean configured) {
            for (Route.Host host : order) {
                if (isOver()) {
                    break;
                }
                switch (hosts.find(host.name())) {
                    case HostFinder.Answer.Found found -> {
                        Optional<Session> session = addresses(protocol, host, inOrder(found));
                        if (session.isPresent()) {
                            return new Result.Opened(session.get());
                        }
                    }
                    case HostFinder.Answer.None(String reason) -> failed(
                            Troubles.unknownHost(host.name(), reason, configured), host.toString());
                    case HostFinder.Answer.Trouble(String reason) -> {
                        dnsTroubles++;
                        failed(Troubles.dnsTrouble(host.name(), reason), host.toString());
                    }
                }
            }
            return failure();
        }

        private Optional<Session> addresses(Protocol protocol, Route.Host host, List<InetAddress> order) {
            for (InetAddress address : order) {
                if (isOver()) {
                    break;
                }
                Optional<Session> session = endpoint(protocol,
                        new Endpoint.Tcp(host.name(), address, host.port()));
                if (session.isPresent()) {
                    return session;
                }
            }
            return Optional.empty();
        }

        Optional<Session> endpoint(Protocol protocol, Endpoint endpoint) {
            addresses++;
            switch (new Introduction(config, watchdog, owner, connection, protocol, endpoint).make()) {
                case Introduction.Result.Ready(Session session) -> {
                    return Optional.of(session);
                }
                case Introduction.Result.NoAnswer(Reply reason) -> failed(reason, endpoint.toString());
                case Introduction.Result.NoTalk(Reply reason) -> {
                    sessions++;
                    failed(reason, endpoint.toString());
                }
                case Introduction.Result.Stopped _ -> {
                    stopped = true;
                    failed(Troubles.stopping(), Troubles.LOCAL);
                }
            }
            return Optional.empty();
        }

        private boolean isOver() {
            return stopped || addresses >= MAX_ADDRESSES || sessions >= MAX_SESSIONS
                    || dnsTroubles >= MAX_DNS_TROUBLES;
        }

        private void failed(Reply reason, String remote) {
            Optional<Result.Failed> failure = Optional.of(new Result.Failed(reason, remote));
            if (reason.isPermanent()) {
                forGood = failure;
            } else {
                forNow = failure;
            }
        }

        private Result failure() {
            return forNow.or(() -> forGood).orElseThrow();
        }
    }
}
