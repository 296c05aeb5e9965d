package org.slipstream.server.shard;

import org.slipstream.config.Config;
import org.slipstream.core.Address;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.trace.RefusalObserver;
import org.slipstream.server.dispatch.DeliverySources;
import org.slipstream.server.dispatch.OrderDispatcher;
import org.slipstream.server.dispatch.OrderDispatcher.Reports;
import org.slipstream.server.dispatch.RefusedMail;
import org.slipstream.server.dispatch.SuppressedRecipients;
import org.slipstream.server.dispatch.Verifications.VerificationVerdict;
import org.slipstream.server.operate.Traces;
import org.slipstream.server.view.MailCounters;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.smtpout.ContentSigner;
import org.slipstream.spool.Spool;
import org.slipstream.spool.history.History;

import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/// The parts of the server that all its shards use.
///
/// @param placement the rules of each transport
/// @param routes of domains
/// @param mailboxes local delivery
/// @param programs delivery to programs
/// @param knowsLocally whether a local address exists; empty for an address of another domain
/// @param reports to the senders of the messages in a spool
/// @param history of messages
/// @param suppressed recipients that get no mail
/// @param refused is told of recipients that were refused
/// @param sources of outgoing connections
/// @param traces search in that history
/// @param traffic counters of mail
/// @param tlsLine the line of the settings that demands TLS for mail to a domain
/// @param transport of a question about a route, by the settings
/// @param probed told the answers to probes of operators
/// @param signer of the connections of a shard
/// @param refusals told of the refusals of other servers, on the threads of queue managers
/// @param clock milliseconds since 1970
public record ShardServices(Config config, ClientConfig client, Function<String, PlaceRules> placement,
        OrderDispatcher.Routes routes, OrderDispatcher.LocalMailboxes mailboxes, OrderDispatcher.Programs programs,
        Function<Address, Optional<Boolean>> knowsLocally, BiConsumer<Address, VerificationVerdict> probed,
        Function<Spool, Reports> reports,
        History history, SuppressedRecipients suppressed, RefusedMail refused, DeliverySources sources, Traces traces,
        MailCounters traffic,
        Function<String, Optional<String>> tlsLine, UnaryOperator<String> transport,
        IntFunction<ContentSigner> signer,
        RefusalObserver.HostRefusals refusals, LongSupplier clock) {
    /// The same parts with other settings.
    public ShardServices with(Config settings, ClientConfig connections, Function<String, PlaceRules> rules) {
        return new ShardServices(settings, connections, rules, routes, mailboxes, programs, knowsLocally, probed,
                reports,
                history, suppressed, refused, sources,
                traces, traffic, tlsLine, transport, signer, refusals, clock);
    }
}
