package org.slipstream.smtpout;

import org.slipstream.core.QueuePhase;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.smtpout.dialog.Protocol;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.smtpout.wire.Endpoint;
import org.slipstream.smtpout.wire.Watchdog;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.random.RandomGenerator;

/// Tries the hosts of a route one after the other, until one is ready for a transaction.
///
/// Hosts go by preference, equal ones in random order, so that senders spread over them (RFC 5321 section 5.1). Of each
/// host all addresses count; the families take turns, beginning with either, and race ([org.slipstream.smtpout.wire.Dialer]). A
/// host that cannot be reached, hangs up or greets with a
/// refusal makes room for the next; after [#MAX_ADDRESSES] addresses or [#MAX_SESSIONS] peers that answered the call and
/// then would not talk, the attempt is over. At least two addresses are tried where there are two.
///
/// The failure that is reported is the last one that may pass. Only when every host tried refused both EHLO and HELO for good
/// is the route closed for good. A greeting with 5xx counts as passing: it is what overloaded and half-configured hosts
/// say, and it is about the host, not about the mail. A failure of this server is reported only when no host has failed.
final class Opener {
    static final int MAX_ADDRESSES = 5;
    static final int MAX_SESSIONS = 2;
    /// When DNS fails for so many hosts, it will for the others.
    static final int MAX_DNS_TROUBLES = 3;

    private final ClientConfig config;
    private final HostFinder hosts;
    private final RandomGenerator random;
    private final Watchdog watchdog;

    /// The result of an attempt.
    sealed interface Result {
        record Opened(Session session) implements Result {}

        /// The attempt was given up on this side.
        record Stopped() implements Result {}

        /// @param ours the failure is one of this server, not of a host
        /// @param retryAfterMillis the peer's own wish
        record Failed(Reply reason, String remote, boolean ours, OptionalLong retryAfterMillis) implements Result {
            static Failed ours(Reply reason) {
                return new Failed(reason, FailureReplies.LOCAL, true, OptionalLong.empty());
            }
        }
    }

    Opener(ClientConfig config, HostFinder hosts, RandomGenerator random, Watchdog watchdog) {
        this.config = config;
        this.hosts = hosts;
        this.random = random;
        this.watchdog = watchdog;
    }

    Result open(Route route, long connection, ConnectionOwner owner) {
        Attempt attempt = new Attempt(connection, owner, config.policy(route));
        return switch (route) {
            case Route.Smtp smtp -> attempt.hosts(Protocol.SMTP, byPreference(smtp.hosts()),
                    smtp.nextHop().startsWith("["));
            case Route.Lmtp lmtp -> lmtp(lmtp.nextHop(), attempt);
            case Route.Local _,Route.Discard _ -> Result.Failed.ours(FailureReplies.noSuchTransport(route.transport()));
        };
    }

    private Result lmtp(String nextHop, Attempt attempt) {
        if (nextHop.startsWith("unix:")) {
            Endpoint endpoint = new Endpoint.Unix(Path.of(nextHop.substring("unix:".length())));
            return attempt.endpoints(Protocol.LMTP, List.of(endpoint)).<Result>map(Result.Opened::new)
                    .orElseGet(attempt::failure);
        }
        return hostAndPort(nextHop).map(host -> attempt.hosts(Protocol.LMTP, List.of(host), true))
                .orElseGet(() -> new Result.Failed(FailureReplies.noSuchAddress(nextHop), nextHop, false,
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

    private List<Route.Host> byPreference(List<Route.Host> given) {
        List<Route.Host> order = mixed(given);
        order.sort(Comparator.comparingInt(Route.Host::preference));
        return order;
    }

    private List<InetAddress> inOrder(List<InetAddress> addresses) {
        List<InetAddress> mixed = mixed(addresses);
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

    /// What the route knows, or else the name does.
    private HostFinder.Answer find(Route.Host host) {
        return host.addresses().isEmpty()
                ? hosts.find(host.name())
                : new HostFinder.Answer.Found(host.addresses().stream().map(InetAddress::ofLiteral).toList());
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
        private final ConnectionOwner owner;
        private final PeerPolicy policy;
        private final Set<Endpoint> called = new HashSet<>();
        private int addresses;
        private int sessions;
        private int dnsTroubles;
        private boolean stopped;
        private Optional<Result.Failed> forGood = Optional.empty();
        private Optional<Result.Failed> forNow = Optional.empty();
        private Optional<Result.Failed> ours = Optional.empty();

        Attempt(long connection, ConnectionOwner owner, PeerPolicy policy) {
            this.connection = connection;
            this.owner = owner;
            this.policy = policy;
        }

        Result hosts(Protocol protocol, List<Route.Host> order, boolean configured) {
            for (Route.Host host : order) {
                if (isOver()) {
                    break;
                }
                owner.doing(WirePhase.now(QueuePhase.Code.LOOKUP, host.toString(), 0));
                switch (find(host)) {
                    case HostFinder.Answer.Found found -> {
                        Optional<Session> session = addresses(protocol, host, inOrder(found.addresses()));
                        if (session.isPresent()) {
                            return new Result.Opened(session.get());
                        }
                    }
                    case HostFinder.Answer.None(String reason) -> failed(
                            FailureReplies.unknownHost(host.name(), reason, configured), host.toString(),
                            OptionalLong.empty());
                    case HostFinder.Answer.Trouble(String reason) -> {
                        dnsTroubles++;
                        failed(FailureReplies.lookupFailed(host.name(), reason), host.toString(),
                                OptionalLong.empty());
                    }
                }
            }
            return failure();
        }

        private Optional<Session> addresses(Protocol protocol, Route.Host host, List<InetAddress> order) {
            List<Endpoint> left = new ArrayList<>(
                    order.stream().map(address -> new Endpoint.Tcp(host.name(), address, host.port())).toList());
            while (!left.isEmpty() && !isOver()) {
                int most = Math.min(left.size(), MAX_ADDRESSES - addresses);
                Optional<Session> session = endpoints(protocol, left.subList(0, most));
                if (session.isPresent()) {
                    return session;
                }
                left.removeAll(called);
            }
            return Optional.empty();
        }

        Optional<Session> endpoints(Protocol protocol, List<Endpoint> endpoints) {
            var introduction = new Introduction(config, watchdog, owner, connection, protocol, policy, endpoints);
            Introduction.Result result = introduction.make();
            called.addAll(introduction.called());
            addresses += introduction.called().size();
            switch (result) {
                case Introduction.Result.Ready(Session session) -> {
                    return Optional.of(session);
                }
                case Introduction.Result.NoSocket(Reply reason) -> ours = Optional.of(Result.Failed.ours(reason));
                case Introduction.Result.NoAnswer(Reply reason, Endpoint remote) -> failed(reason, remote.toString(),
                        OptionalLong.empty());
                case Introduction.Result.NoTalk(Reply reason, Endpoint remote, OptionalLong retryAfterMillis) -> {
                    sessions++;
                    failed(reason, remote.toString(), retryAfterMillis);
                }
                case Introduction.Result.Stopped _ -> stopped = true;
            }
            return Optional.empty();
        }

        private boolean isOver() {
            return stopped || addresses >= MAX_ADDRESSES || sessions >= MAX_SESSIONS
                    || dnsTroubles >= MAX_DNS_TROUBLES;
        }

        private void failed(Reply reason, String remote, OptionalLong retryAfterMillis) {
            Optional<Result.Failed> failure = Optional.of(new Result.Failed(reason, remote, false, retryAfterMillis));
            if (reason.isPermanent()) {
                forGood = failure;
            } else {
                forNow = failure;
            }
        }

        private Result failure() {
            return stopped
                    ? new Result.Stopped()
                    : forNow.or(() -> ours).or(() -> forGood).orElseThrow();
        }
    }
}
