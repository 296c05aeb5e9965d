package org.slipstream.server.config;

import org.slipstream.core.Address;
import org.slipstream.core.Route;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.TransportTable;
import org.slipstream.qmgr.flow.FeedbackVariant;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.smtpout.wire.LongLines;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/// The whole of `mta.toml` after reading and checking: every value parsed, every default filled in, every path absolute.
///
/// @param home the folder that holds everything
/// @param aliases by key of the aliased address (see [Address#key]), one entry per local domain for bare local parts
/// @param routes by domain, `.suffix` or `*`, in lower case
/// @param written where the settings stand
public record Config(Path home, String hostname, Listen listen, Local local, Map<String, List<Address>> aliases,
        Relay relay, Map<String, RouteTarget> routes, Tls tls, Limits limits, Queue queue, Delivery delivery,
        SmtpClient smtpClient, SpoolSettings spool, String logLevel, Outbound outbound, Submission submission,
        Trust trust, Placement placement, Policy policy, Written written) {
    public Config {
        aliases = Map.copyOf(aliases);
        routes = Map.copyOf(routes);
    }

    /// @param smtp empty when not opened
    public record Listen(Optional<InetSocketAddress> smtp, Optional<InetSocketAddress> submission,
            Optional<InetSocketAddress> submissions, Optional<InetSocketAddress> lmtp) {}

    /// @param domains lower case
    /// @param mailboxes local parts, full addresses (keys), or `*`
    /// @param subaddressDelimiter empty when off
    public record Local(List<String> domains, List<String> mailboxes, Path maildir, Address postmaster,
            Optional<String> subaddressDelimiter) {
        public Local {
            domains = List.copyOf(domains);
            mailboxes = List.copyOf(mailboxes);
        }
    }

    /// @param normalizes lines of these clients, and of those who have logged in, may end with LF
    public record Relay(List<Network> networks, boolean normalizes) {
        public Relay {
            networks = List.copyOf(networks);
        }

        public boolean contains(InetAddress address) {
            for (Network network : networks) {
                if (network.contains(address)) {
                    return true;
                }
            }
            return false;
        }
    }

    /// The right side of a route.
    public sealed interface RouteTarget {
        /// Ask DNS for the domain's mail exchangers.
        record Mx() implements RouteTarget {}

        /// @param tls empty for what is usual
        /// @param implicitTls TLS from the first byte; then `tls` is given and mandatory
        record Fixed(Route.Host host, Optional<TlsUse> tls, boolean implicitTls) implements RouteTarget {
            public Fixed(Route.Host host) {
                this(host, Optional.empty(), false);
            }
        }

        /// @param endpoint `host:port` or `unix:/path`
        record Lmtp(String endpoint) implements RouteTarget {}

        record Discard() implements RouteTarget {}
    }

    /// How much TLS a host owes us.
    public enum TlsUse {
        NONE, MAY, ENCRYPT, VERIFY
    }

    /// What is particular about mail to others.
    ///
    /// @param sourceV4 our own address for connections by IPv4
    /// @param mxRollUp domains with the same MX hosts are one destination
    /// @param credentials file of logins at smart hosts
    /// @param authorities file of the certificates that `verify` believes; empty for those of the system
    public record Outbound(Optional<Inet4Address> sourceV4, Optional<Inet6Address> sourceV6, boolean mxRollUp,
            Optional<Path> credentials, Optional<Path> authorities, boolean loginInTheClear) {}

    /// @param certificate both empty: a self-signed pair is made at the first handshake
    /// @param further for clients that ask for one of their names
    /// @param off names of listeners that do not offer STARTTLS
    public record Tls(Optional<Path> certificate, Optional<Path> key, List<Pair> further, Set<String> off) {
        public Tls {
            further = List.copyOf(further);
            off = Set.copyOf(off);
        }

        public Tls(Optional<Path> certificate, Optional<Path> key) {
            this(certificate, key, List.of(), Set.of());
        }

        /// Two files, which may be one and the same.
        public record Pair(Path certificate, Path key) {}
    }

    /// How users log in and what they may do then.
    ///
    /// @param networksWithoutLogin clients of [Relay] need not log in
    /// @param failures before nobody may log in from a network
    /// @param forgetMillis until one failure is forgotten
    /// @param longestHoldMillis how far ahead mail may be submitted; 0: not at all
    public record Submission(boolean networksWithoutLogin, boolean senderMustBelong, long delayMillis,
            long longestDelayMillis, int failures, long forgetMillis, long banMillis,
            long longestHoldMillis) {}

    /// @param proxies whose connections begin with a PROXY header
    /// @param speakers may say XCLIENT
    public record Trust(List<Network> proxies, List<Network> speakers) {
        public Trust {
            proxies = List.copyOf(proxies);
            speakers = List.copyOf(speakers);
        }
    }

    /// @param envelopeBytes of addresses and parameters in one transaction
    /// @param transactionMemoryBytes for all transactions that are open at once
    public record Limits(long messageBytes, int recipients, int envelopeBytes, long transactionMemoryBytes, int hops,
            int headerBytes, int headerLines,
            int commandBytes, int textLineBytes, int connections, int connectionsPerClient, int errors,
            int junkCommands, int messagesPerConnection, long idleMillis, int dataBytesPerSecond) {}

    /// @param secondExpiryMillis `Long.MAX_VALUE`: never
    public record Queue(long minimalBackoffMillis, long maximalBackoffMillis, long lifetimeMillis,
            long bounceLifetimeMillis, long secondExpiryMillis, long delayNoticeMillis, int activeMessages,
            int recipientsPerDelivery,
            int lanesPerDestination, int lanes, long idleConnectionMillis, long scanIntervalMillis,
            long inFlowDelayMillis, boolean delivers, boolean spacedStarts) {}

    /// Who is next, and how many at once.
    ///
    /// @param transports for all transports, and for those that differ
    /// @param recipientDelimiter between user and extension, for the key of a destination that is one recipient; empty when off
    public record Delivery(OrderPolicy order, FeedbackVariant variant, boolean feedbackDebug, long transportRetryMillis,
            QmgrConfig.Memory memory, TransportTable transports, Optional<String> recipientDelimiter) {}

    /// On which connection a message goes.
    ///
    /// @param messageConcurrency connections of one message however many others wait
    /// @param messageScale times the free connections
    /// @param depth unanswered deliveries on a connection until round trips are measured
    /// @param bytesAhead of unanswered messages on one connection
    /// @param overflow times the depth when no other connection may be opened
    /// @param ageMillis of a connection
    /// @param crowdedMillis pause of a host that refused one more
    /// @param closedMillis memory of hosts that worked
    /// @param habitMillis memory of hosts that break under pipelining
    /// @param returns of one delivery from breaking connections
    /// @param unprovenPercent of the lanes for hosts that are not known to work
    /// @param failedPercent of the lanes for hosts that failed the last time
    /// @param yieldMillis wait for a greeting after which a connection makes room when places are short
    /// @param trackClosed closed hosts are a class of their own
    /// @param retryLast hosts that failed and are due are a class of their own
    public record Placement(int messageConcurrency, int messageScale, int depth, int mostDepth, long bytesAhead,
            int overflow, int idlePerHost, long ageMillis, long crowdedMillis, long closedMillis, long habitMillis,
            int returns, int unprovenPercent, int failedPercent, long yieldMillis, boolean trackClosed,
            boolean retryLast) {}

    public record SmtpClient(boolean startTls, List<InetSocketAddress> dnsServers, long connectMillis,
            long greetingMillis, long commandMillis, long tlsMillis, long dataReplyMillis, long dataBlockMillis,
            long finalReplyMillis, LongLines longLines) {
        public SmtpClient {
            dnsServers = List.copyOf(dnsServers);
        }
    }

    /// @param minimumFreeBytes empty for what is usual
    public record SpoolSettings(Path directory, long segmentBytes, int inlineBytes, OptionalLong minimumFreeBytes,
            Optional<String> database) {}

    /// What a client must bear besides the limits of its session; see `server.policy`.
    ///
    /// @param strictTurns nobody talks on after EHLO or DATA without waiting
    /// @param exempt besides the relay networks: clients that only the header checks concern
    /// @param clientPrefixV4 clients of one such network count as one
    /// @param remembered networks and users whose rates are kept
    public record Policy(long greetingDelayMillis, boolean strictTurns, List<Network> exempt, int clientPrefixV4,
            int clientPrefixV6, Rate networkRate, Rate userRate, int remembered, List<BlockList> blockLists,
            boolean senderDomain, long dnsPatienceMillis, Greylisting greylisting, HeaderStrictness headerForm,
            List<HeaderRule> headerRules) {
        public Policy {
            exempt = List.copyOf(exempt);
            blockLists = List.copyOf(blockLists);
            headerRules = List.copyOf(headerRules);
        }
    }

    /// How well written a header has to be.
    public enum HeaderStrictness {
        ANY,
        /// No two From fields and the like.
        UNAMBIGUOUS,
        /// That, and at least one From.
        WITH_FROM
    }

    /// 0: as many as they like.
    public record Rate(int connectionsPerMinute, int messagesPerHour, int recipientsPerHour) {}

    /// @param tagOnly mail of those who stand on it is taken, and tagged
    public record BlockList(String zone, boolean tagOnly) {}

    /// @param windowMillis how long a first attempt is remembered
    /// @param keepMillis how long one that came back is known, after its last mail
    /// @param remembered at most so many senders
    public record Greylisting(boolean on, long delayMillis, long windowMillis, long keepMillis, int remembered) {}

    /// One line of the file of header checks.
    ///
    /// @param pattern found anywhere in the unfolded value
    /// @param text what the client is told, or the tag
    public record HeaderRule(Action action, String field, Pattern pattern, String text) {
        public enum Action {
            REJECT, DEFER, TAG, ACCEPT
        }
    }
}
