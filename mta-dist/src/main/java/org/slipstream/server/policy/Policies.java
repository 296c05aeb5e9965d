package org.slipstream.server.policy;

import org.slipstream.core.Address;
import org.slipstream.server.config.Config;
import org.slipstream.server.rspamd.RspamdCheck;
import org.slipstream.server.rspamd.RspamdFilter;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.ClientNetwork;
import org.slipstream.smtpin.policy.EarlyTalker;
import org.slipstream.smtpin.policy.HeaderForm;
import org.slipstream.smtpin.policy.HeaderPatterns;
import org.slipstream.smtpin.policy.Rates;
import org.slipstream.smtpin.policy.RelayForms;
import org.slipstream.smtpin.policy.Ruling;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/// The policy's checks in their order, cheap ones before those that use DNS:
///
/// | Check | Clients | At |
/// |---|---|---|
/// | `early-talker` | all | connect |
/// | `rates` | others by network, users by name | connect, MAIL, RCPT |
/// | `relay-forms` | others | RCPT |
/// | `block-lists` | others | RCPT |
/// | `sender-domain` | others | RCPT |
/// | `greylist` | others | RCPT |
/// | `header-patterns`, `header-form`, `rspamd` | all | end of data |
///
/// **Others** have not authenticated and come from neither `relay.networks` nor `policy.exempt` (an
/// exempt client may still not relay). The three checks that use DNS or a memory apply only to
/// recipients that exist here, because others are refused anyway. They never apply to postmaster
/// and abuse, which every client can reach. Rates apply to them too, because a 4xx only delays.
///
/// One list for all ports, so that a client that uses two ports has one rate.
public final class Policies {
    private final Config config;
    private final Predicate<Address> exists;
    private final NameQuestions names;
    private final PolicyMemory memory;
    private final Optional<RspamdFilter> rspamd;

    private Policies(Config config, Predicate<Address> exists, NameQuestions names, PolicyMemory memory,
            Optional<RspamdFilter> rspamd) {
        this.memory = memory;
        this.rspamd = rspamd;
        this.config = config;
        this.exists = exists;
        this.names = names;
    }

    /// @param exists whether a recipient exists on this server
    /// @param memory of the checks before a reload
    public static List<Check> checks(Config config, Predicate<Address> exists, NameQuestions names,
            PolicyMemory memory, Optional<RspamdFilter> rspamd) {
        return new Policies(config, exists, names, memory, rspamd).list();
    }

    private List<Check> list() {
        Config.PolicySettings policy = config.policy();
        List<Check> checks = new ArrayList<>();
        checks.add(new EarlyTalker());
        checks.add(new RestrictedCheck(
                rates("clients", policy.connectionsPerMinute(), policy.messagesPerHour(), policy.recipientsPerHour()),
                this::isStranger));
        checks.add(new RestrictedCheck(rates("users", 0, policy.userMessagesPerHour(), policy.userRecipientsPerHour()),
                client -> client.user().isPresent()));
        // A mailbox may have such a name when the operator configured it.
        checks.add(new RestrictedCheck(new RelayForms(this::mayRelay), _ -> true,
                rcpt -> rcpt.routed() || !exists.test(rcpt.recipient())));
        TimedQueries inTime = new TimedQueries(policy.dnsTimeout().toMillis(), System::nanoTime);
        if (!policy.blockLists().isEmpty()) {
            checks.add(costly(new BlockLists(policy.blockLists(), names, inTime)));
        }
        if (policy.senderDomain()) {
            checks.add(costly(new SenderDomain(names, inTime)));
        }
        if (policy.greylisting().on()) {
            checks.add(costly(memory.greylist(policy.greylisting())));
        }
        if (!config.headerRules().isEmpty()) {
            checks.add(new ExceptPostmaster(
                    new HeaderPatterns(config.headerRules().stream().map(Policies::rule).toList())));
        }
        if (policy.headerForm() != Config.HeaderStrictness.ANY) {
            checks.add(new ExceptPostmaster(new HeaderForm(policy.headerForm() == Config.HeaderStrictness.WITH_FROM)));
        }
        rspamd.ifPresent(filter -> checks.add(new ExceptPostmaster(
                new RspamdCheck(filter, config.hostname(), client -> hostName(client, inTime)))));
        return List.copyOf(checks);
    }

    private Check costly(Check check) {
        return new RestrictedCheck(check, this::isStranger,
                rcpt -> exists.test(rcpt.recipient()) && !ExceptPostmaster.isOne(rcpt.recipient()));
    }

    /// Rspamd has rules about clients without a name, and none about our own.
    private Optional<String> hostName(Client client, TimedQueries inTime) {
        return mayRelay(client) || client.address().isLoopbackAddress()
                ? Optional.empty()
                : inTime.ask(client.address().getHostAddress(), () -> names.host(client.address())).join()
                        .flatMap(Function.identity());
    }

    private Rates rates(String of, int connectionsPerMinute, int messagesPerHour, int recipientsPerHour) {
        Config.PolicySettings policy = config.policy();
        return memory.rates(of, new Rates.RateSettings(limit(connectionsPerMinute), limit(messagesPerHour),
                limit(recipientsPerHour),
                new ClientNetwork(policy.clientPrefixV4(), policy.clientPrefixV6()), policy.ratesRemembered()));
    }

    private static int limit(int rate) {
        return rate == 0 ? Integer.MAX_VALUE : rate;
    }

    private boolean mayRelay(Client client) {
        return client.user().isPresent() || config.relay().contains(client.address());
    }

    private boolean isStranger(Client client) {
        return !mayRelay(client)
                && config.policy().exempt().stream().noneMatch(network -> network.contains(client.address()));
    }

    static HeaderPatterns.Rule rule(Config.HeaderRule rule) {
        String text = rule.text().isEmpty()
                ? "Message content rejected: " + rule.field() + " header field"
                : rule.text();
        return new HeaderPatterns.Rule(rule.field(), rule.pattern(), switch (rule.action()) {
            case REJECT -> Ruling.reject(550, "5.7.1", text);
            case DEFER -> Ruling.defer("4.7.1", text);
            case TAG -> new Ruling.Tag(rule.text().isEmpty() ? rule.field() : rule.text());
            case ACCEPT -> Ruling.accept();
        });
    }
}
