package org.slipstream.guard.policy;

import org.slipstream.auth.aggregate.JudgedMessage;
import org.slipstream.core.Address;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.guard.rspamd.RspamdCheck;
import org.slipstream.guard.rspamd.RspamdFilter;
import org.slipstream.guard.sender.SenderCheck;
import org.slipstream.guard.sender.SenderTreatment;
import org.slipstream.guard.sender.SenderVerdicts;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.ClientNetwork;
import org.slipstream.smtpin.policy.EarlyTalker;
import org.slipstream.smtpin.policy.HeaderForm;
import org.slipstream.smtpin.policy.HeaderPatterns;
import org.slipstream.smtpin.policy.Rates;
import org.slipstream.smtpin.policy.RelayForms;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/// The policy's checks in their order, cheap ones before those that use DNS. `sender` alone comes before
/// its place, so that header checks see its verdicts:
///
/// | Check | Clients | At |
/// |---|---|---|
/// | `early-talker` | all | connect |
/// | `rates` | others by network, users by name | connect, MAIL, RCPT |
/// | `relay-forms` | others | RCPT |
/// | `block-lists` | others | RCPT |
/// | `sender-domain` | others | RCPT |
/// | `greylist` | others | RCPT |
/// | `sender` | others | end of data |
/// | `header-patterns`, `header-form` | all | end of data |
/// | `rspamd` | all | end of data |
///
/// **Others** have not authenticated and come from neither `relay.networks` nor `policy.exempt` (an
/// exempt client may still not relay). The three checks that use DNS or a memory apply only to
/// recipients that exist here, because others are refused anyway. They never apply to postmaster
/// and abuse, which every client can reach. Rates apply to them too, because a 4xx only delays.
///
/// One list for all ports, so that a client that uses two ports has one rate.
public final class Policies {
    private final PolicySettings policy;
    private final List<HeaderPatterns.Rule> headerRules;
    private final Surroundings around;
    private final PolicyMemory memory;
    private final Optional<RspamdFilter> rspamd;

    /// The facts about the server that the checks use.
    ///
    /// @param exists whether a recipient exists on this server
    /// @param isOwn whether a client at this address may relay without a login
    /// @param records of any domain
    /// @param judged is told of messages that a daily report counts
    /// @param verdicts is told of all verdicts about senders
    public record Surroundings(String hostname, Predicate<Address> exists, Predicate<InetAddress> isOwn,
            NameQuestions names, DnsLookup records, Consumer<JudgedMessage> judged,
            Consumer<SenderVerdicts> verdicts) {}

    private Policies(PolicySettings policy, List<HeaderPatterns.Rule> headerRules, Surroundings around,
            PolicyMemory memory, Optional<RspamdFilter> rspamd) {
        this.policy = policy;
        this.headerRules = headerRules;
        this.around = around;
        this.memory = memory;
        this.rspamd = rspamd;
    }

    /// @param headerRules of the file of header checks
    /// @param memory of the checks before a reload
    public static List<Check> checks(PolicySettings policy, List<HeaderPatterns.Rule> headerRules,
            Surroundings around, PolicyMemory memory, Optional<RspamdFilter> rspamd) {
        return new Policies(policy, headerRules, around, memory, rspamd).list();
    }

    private List<Check> list() {
        List<Check> checks = new ArrayList<>();
        checks.add(new EarlyTalker());
        checks.add(new RestrictedCheck(
                rates("clients", policy.connectionsPerMinute(), policy.messagesPerHour(), policy.recipientsPerHour()),
                this::isStranger));
        checks.add(new RestrictedCheck(rates("users", 0, policy.userMessagesPerHour(), policy.userRecipientsPerHour()),
                client -> client.user().isPresent()));
        // A mailbox may have such a name when the operator configured it.
        checks.add(new RestrictedCheck(new RelayForms(this::mayRelay), _ -> true,
                rcpt -> rcpt.routed() || !around.exists().test(rcpt.recipient())));
        TimedQueries inTime = new TimedQueries(policy.dnsTimeout().toMillis(), System::nanoTime);
        if (!policy.blockLists().isEmpty()) {
            checks.add(costly(new BlockLists(policy.blockLists(), around.names(), inTime)));
        }
        if (policy.senderDomain()) {
            checks.add(costly(new SenderDomain(around.names(), inTime)));
        }
        if (policy.greylisting().on()) {
            checks.add(costly(memory.greylist(policy.greylisting())));
        }
        if (policy.senderAuthentication() != SenderTreatment.OFF) {
            checks.add(new RestrictedCheck(new ExceptPostmaster(new SenderCheck(around.hostname(),
                    policy.senderAuthentication(), policy.quarantine(), around.records()).telling(around.judged())
                    .counting(around.verdicts())),
                    this::isStranger));
        }
        if (!headerRules.isEmpty()) {
            checks.add(new ExceptPostmaster(
                    new HeaderPatterns(headerRules)));
        }
        if (policy.headerForm() != HeaderStrictness.ANY) {
            checks.add(new ExceptPostmaster(new HeaderForm(policy.headerForm() == HeaderStrictness.WITH_FROM)));
        }
        rspamd.ifPresent(filter -> checks.add(new ExceptPostmaster(
                new RspamdCheck(filter, around.hostname(), client -> hostName(client, inTime)))));
        return List.copyOf(checks);
    }

    private Check costly(Check check) {
        return new RestrictedCheck(check, this::isStranger,
                rcpt -> around.exists().test(rcpt.recipient()) && !ExceptPostmaster.isOne(rcpt.recipient()));
    }

    /// Rspamd has rules about clients without a name, and none about our own.
    private Optional<String> hostName(Client client, TimedQueries inTime) {
        return mayRelay(client) || client.address().isLoopbackAddress()
                ? Optional.empty()
                : inTime.ask(client.address().getHostAddress(), () -> around.names().host(client.address())).join()
                        .flatMap(Function.identity());
    }

    private Rates rates(String of, int connectionsPerMinute, int messagesPerHour, int recipientsPerHour) {
        return memory.rates(of, new Rates.RateSettings(limit(connectionsPerMinute), limit(messagesPerHour),
                limit(recipientsPerHour),
                new ClientNetwork(policy.clientPrefixV4(), policy.clientPrefixV6()), policy.ratesRemembered()));
    }

    private static int limit(int rate) {
        return rate == 0 ? Integer.MAX_VALUE : rate;
    }

    private boolean mayRelay(Client client) {
        return client.user().isPresent() || around.isOwn().test(client.address());
    }

    private boolean isStranger(Client client) {
        return !mayRelay(client)
                && policy.exempt().stream().noneMatch(network -> network.contains(client.address()));
    }
}
