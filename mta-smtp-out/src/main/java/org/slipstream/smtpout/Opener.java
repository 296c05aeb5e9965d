package org.slipstream.smtpout;

import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.smtpout.dialog.ClientProtocol;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.smtpout.wire.Endpoint;
import org.slipstream.smtpout.wire.Sources;
import org.slipstream.smtpout.wire.WireWatchdog;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.random.RandomGenerator;

/// Opens a connection to the host of a route by one of its addresses.
///
/// The queue manager has chosen the host, so a route names one here. The address families
/// alternate, beginning with either, and race ([org.slipstream.smtpout.wire.Dialer]). After an
/// address that cannot be reached, disconnects or refuses in its greeting, the next is tried. The
/// attempt ends after [#MAX_ADDRESSES] addresses, or [#MAX_SESSIONS] peers that accepted the
/// connection and then failed. At least two addresses are tried where there are two.
///
/// The reported failure is the last temporary one. The failure is permanent only when every address
/// tried refused both EHLO and HELO with 5xx. A greeting with 5xx counts as temporary: overloaded
/// and misconfigured hosts send it, and it concerns the host, not the mail. A failure of this
/// server is reported only when no address has failed.
final class Opener {
    static final int MAX_ADDRESSES = 5;
    static final int MAX_SESSIONS = 2;

    private final ClientConfig config;
    private final HostFinder hosts;
    private final RandomGenerator random;
    private final WireWatchdog watchdog;

    /// The result of an attempt.
    sealed interface Result {
        record Opened(Session session) implements Result {}

        /// This server aborted the attempt.
        record Stopped() implements Result {}

        /// @param ours a failure of this server, not of a host
        /// @param ofSource a failure of the source of the connection; it is one of this server, too
        /// @param retryAfterMillis the delay that the peer's reply names
        record Failed(Reply reason, String remote, boolean ours, boolean ofSource,
                OptionalLong retryAfterMillis) implements Result {
            Failed(Reply reason, String remote, OptionalLong retryAfterMillis) {
                this(reason, remote, false, false, retryAfterMillis);
            }

            static Failed ours(Reply reason) {
                return new Failed(reason, FailureReplies.LOCAL, true, false, OptionalLong.empty());
            }

            static Failed ofSource(Reply reason) {
                return new Failed(reason, FailureReplies.LOCAL, true, true, OptionalLong.empty());
            }
        }
    }

    Opener(ClientConfig config, HostFinder hosts, RandomGenerator random, WireWatchdog watchdog) {
        this.config = config;
        this.hosts = hosts;
        this.random = random;
        this.watchdog = watchdog;
    }

    Result open(Route route, long connection, ConnectionOwner owner) {
        Attempt attempt = new Attempt(connection, owner, route);
        return switch (route) {
            case Route.Smtp smtp -> attempt.host(ClientProtocol.SMTP, smtp.hosts().getFirst(),
                    smtp.nextHop().startsWith("["));
            case Route.Lmtp lmtp -> lmtp(lmtp.nextHop(), attempt);
            case Route.Local _,Route.Discard _,Route.Pipe _ ->
                Result.Failed.ours(FailureReplies.noSuchTransport(route.transport()));
        };
    }

    private Result lmtp(String nextHop, Attempt attempt) {
        if (nextHop.startsWith("unix:")) {
            Endpoint endpoint = new Endpoint.Unix(Path.of(nextHop.substring("unix:".length())));
            return attempt.endpoints(ClientProtocol.LMTP, List.of(endpoint));
        }
        return hostAndPort(nextHop).map(host -> attempt.host(ClientProtocol.LMTP, host, true))
                .orElseGet(() -> new Result.Failed(FailureReplies.noSuchAddress(nextHop), nextHop,
                        OptionalLong.empty()));
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

    private List<InetAddress> inOrder(List<InetAddress> addresses) {
        List<InetAddress> mixed = new ArrayList<>(addresses);
        synchronized (random) {
            Collections.shuffle(mixed, java.util.Random.from(random));
        }
        List<InetAddress> first = new ArrayList<>();
        List<InetAddress> second = new ArrayList<>();
        Class<?> family = mixed.getFirst().getClass();
        mixed.forEach(a -> (a.getClass() == family ? first : second).add(a));
        List<InetAddress> order = new ArrayList<>();
        for (int i = 0; i < Math.max(first.size(), second.size()); i++) {
            order.addAll(first.subList(Math.min(i, first.size()), Math.min(i + 1, first.size())));
            order.addAll(second.subList(Math.min(i, second.size()), Math.min(i + 1, second.size())));
        }
        return order;
    }

    /// The addresses of the route, or a lookup of the name.
    private HostFinder.HostAnswer find(Route.Host host) {
        return host.addresses().isEmpty()
                ? hosts.find(host.name())
                : new HostFinder.HostAnswer.Found(host.addresses().stream().map(InetAddress::ofLiteral).toList());
    }

    /// One pass over the addresses with its failures so far, on the carrier's thread.
    private final class Attempt {
        private final long connection;
        private final ConnectionOwner owner;
        private final Route route;
        private final Set<Endpoint> tried = new HashSet<>();
        private int sessions;
        private boolean stopped;
        private Optional<Result.Failed> permanent = Optional.empty();
        private Optional<Result.Failed> temporary = Optional.empty();
        private Optional<Result.Failed> ours = Optional.empty();

        Attempt(long connection, ConnectionOwner owner, Route route) {
            this.connection = connection;
            this.owner = owner;
            this.route = route;
        }

        /// @param configured the operator named the host
        Result host(ClientProtocol protocol, Route.Host host, boolean configured) {
            owner.phaseChanged(WirePhase.now(QueuePhase.Code.LOOKUP, host.toString(), 0));
            return switch (find(host)) {
                case HostFinder.HostAnswer.Found(List<InetAddress> addresses) -> addresses(protocol, host, addresses);
                case HostFinder.HostAnswer.None(String reason) -> notFound(host,
                        FailureReplies.unknownHost(host.name(), reason, configured));
                case HostFinder.HostAnswer.Trouble(String reason) -> notFound(host,
                        FailureReplies.lookupFailed(host.name(), reason));
            };
        }

        private Result addresses(ClientProtocol protocol, Route.Host host, List<InetAddress> addresses) {
            Sources sources = config.peers().sources(route);
            List<InetAddress> reachable = addresses.stream().filter(sources::reaches).toList();
            return reachable.isEmpty()
                    ? notFound(host, FailureReplies.unreachableFrom(sources.toString(), host.name()))
                    : endpoints(protocol, inOrder(reachable).stream()
                            .map(a -> new Endpoint.Tcp(host.name(), a, host.port())).toList());
        }

        private static Result notFound(Route.Host host, Reply reason) {
            return new Result.Failed(reason, host.toString(), OptionalLong.empty());
        }

        Result endpoints(ClientProtocol protocol, List<? extends Endpoint> order) {
            List<Endpoint> left = new ArrayList<>(order);
            Optional<Session> session = Optional.empty();
            while (session.isEmpty() && !left.isEmpty() && !isOver()) {
                session = race(protocol, left.subList(0, Math.min(left.size(), MAX_ADDRESSES - tried.size())));
                left.removeAll(tried);
            }
            return session.<Result>map(Result.Opened::new).orElseGet(this::failure);
        }

        private Optional<Session> race(ClientProtocol protocol, List<Endpoint> endpoints) {
            var attempt = new ConnectAttempt(config, watchdog, owner, connection, protocol, route, endpoints);
            ConnectAttempt.AttemptResult result = attempt.run();
            tried.addAll(attempt.tried());
            switch (result) {
                case ConnectAttempt.AttemptResult.Ready(Session session) -> {
                    return Optional.of(session);
                }
                case ConnectAttempt.AttemptResult.NoSocket(Reply reason) ->
                    ours = Optional.of(Result.Failed.ours(reason));
                case ConnectAttempt.AttemptResult.NoSource(Reply reason) ->
                    ours = Optional.of(Result.Failed.ofSource(reason));
                case ConnectAttempt.AttemptResult.NotConnected(Reply reason, Endpoint remote) -> failed(reason, remote,
                        OptionalLong.empty());
                case ConnectAttempt.AttemptResult.PeerFailed(Reply reason, Endpoint remote, OptionalLong retryAfterMillis) -> {
                    sessions++;
                    failed(reason, remote, retryAfterMillis);
                }
                case ConnectAttempt.AttemptResult.Stopped _ -> stopped = true;
            }
            return Optional.empty();
        }

        private boolean isOver() {
            return stopped || tried.size() >= MAX_ADDRESSES || sessions >= MAX_SESSIONS;
        }

        private void failed(Reply reason, Endpoint remote, OptionalLong retryAfterMillis) {
            Optional<Result.Failed> failure = Optional
                    .of(new Result.Failed(reason, remote.toString(), retryAfterMillis));
            if (reason.isPermanent()) {
                permanent = failure;
            } else {
                temporary = failure;
            }
        }

        private Result failure() {
            return stopped
                    ? new Result.Stopped()
                    : temporary.or(() -> ours).or(() -> permanent).orElseThrow();
        }
    }
}
