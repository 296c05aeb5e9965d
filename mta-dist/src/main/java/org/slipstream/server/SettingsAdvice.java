package org.slipstream.server;

import org.slipstream.config.Config;
import org.slipstream.config.RouteTable;
import org.slipstream.config.RouteTarget;
import org.slipstream.core.Route;
import org.slipstream.guard.rspamd.RspamdFilter;
import org.slipstream.guard.rspamd.RspamdSettings.RspamdFailure;
import org.slipstream.guard.tls.TlsContexts;
import org.slipstream.guard.tls.TlsFailure;
import org.slipstream.local.address.ThisMachine;
import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationTable.Clause;
import org.slipstream.settings.AccessRemedy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Remarks about settings that the server accepts and that probably do not mean what they say.
/// `check` reports them; a start does not.
final class SettingsAdvice {
    private static final String UNIX = "unix:";
    private static final String DESTINATION = "destination.";
    private static final String RETRY = "retry.";

    private final Config config;
    private final List<String> remarks = new ArrayList<>();

    private SettingsAdvice(Config config) {
        this.config = config;
    }

    static List<String> of(Config config) {
        SettingsAdvice advice = new SettingsAdvice(config);
        advice.certificate();
        advice.keys();
        advice.pageToUnsubscribe();
        advice.generalClauses();
        advice.clausesWithoutMail();
        advice.rings();
        advice.lifetimes();
        advice.policies();
        advice.nextHops();
        advice.copies();
        advice.mailStore();
        advice.filter();
        return List.copyOf(advice.remarks);
    }

    private void certificate() {
        try {
            if (config.tls().certificate().isPresent() && !TlsContexts.isFor(config.tls(), config.hostname())) {
                remark("tls.certificate", "no certificate has the name " + config.hostname() + ", so servers that check"
                        + " it refuse TLS; get one for this name, or correct hostname");
            }
        } catch (TlsFailure reported) {
            // A mistake of its own.
        }
    }

    private void pageToUnsubscribe() {
        if (config.feedback().unsubscribeUrl().isPresent() && config.listen().http().isEmpty()) {
            remark("feedback.unsubscribe-url", "the page is served at listen.http, which is off, so its links lead"
                    + " nowhere; set listen.http");
        }
    }

    private void keys() {
        TlsContexts.openKeys(config.tls()).forEach(file -> remark(
                config.tls().key().filter(file::equals).isPresent() ? "tls.key" : "tls.further",
                "every user of this machine can read the key " + file + "; chmod o-r " + file));
    }

    /// Clauses add up in the order of the file, so a general one takes back what stands before it.
    private void generalClauses() {
        List<Clause> clauses = config.destinations().clauses();
        for (int i = 1; i < clauses.size(); i++) {
            if (clauses.get(i).pattern() instanceof DestinationPattern.All) {
                List<Clause> before = clauses.subList(0, i);
                keysOf("destination.*.").forEach(key -> earlierWith(key, before).ifPresent(
                        earlier -> remark("destination.*." + key, "this clause stands behind " + earlier
                                + " and replaces its " + key + "; put the clause \"*\" first")));
            }
        }
    }

    /// A clause with a transport ends the search, so no later one replaces its settings.
    private Optional<String> earlierWith(String key, List<Clause> earlier) {
        Set<DestinationPattern> open = earlier.stream().filter(each -> each.settings().transport().isEmpty())
                .map(Clause::pattern).collect(Collectors.toSet());
        return config.written().settings().stream().map(each -> each.key())
                .filter(each -> each.startsWith(DESTINATION) && each.endsWith("." + key))
                .map(each -> each.substring(DESTINATION.length(), each.length() - key.length() - 1))
                .filter(name -> DestinationPattern.parse(name).filter(open::contains).isPresent()).findFirst()
                .map(name -> "[destination.\"" + name + "\"]");
    }

    private void clausesWithoutMail() {
        for (Clause clause : config.destinations().clauses()) {
            if (clause.isImpossible()) {
                remark(keyOf(clause), "its pattern and its transport contradict each other, so no mail matches; take"
                        + " transport out, or correct the pattern");
            } else if (!hasRoute(clause.pattern())) {
                remark(keyOf(clause), "no route of these settings leads there, so the clause concerns rerouted mail"
                        + " only; correct the pattern, or add the route");
            } else {
                config.destinations().clauseHiding(clause).ifPresent(earlier -> remark(keyOf(clause),
                        "the clause " + nameOf(earlier) + " stands before it and ends the search for all its mail, so"
                                + " it has no effect; put the particular clause first"));
            }
        }
    }

    /// Only patterns of a next hop can be compared with the routes. MX records may have any host.
    private boolean hasRoute(DestinationPattern pattern) {
        boolean ofNextHop = pattern instanceof DestinationPattern.MxHost || pattern.onlyTransport().isPresent();
        return !ofNextHop || targets().anyMatch(target -> switch (target) {
            case RouteTarget.Mx _ -> pattern instanceof DestinationPattern.MxHost;
            case RouteTarget.Fixed fixed ->
                pattern.matches(RouteTable.fixed(fixed.host()).by(fixed.transport()), "",
                        config.destinations().providers());
            case RouteTarget.Lmtp(String transport, String endpoint) ->
                pattern.matches(new Route.Lmtp(transport, endpoint), "", config.destinations().providers());
            case RouteTarget.Local _,RouteTarget.Discard _ -> false;
        });
    }

    private Stream<RouteTarget> targets() {
        return Stream.of(config.routes().values(), config.senderRoutes().values(),
                config.operation().store().delivery().map(RouteTarget.Lmtp::new).stream().toList())
                .flatMap(Collection::stream);
    }

    private String nameOf(Clause clause) {
        String key = keyOf(clause);
        return "[destination.\"" + key.substring(DESTINATION.length(), key.lastIndexOf('.')) + "\"]";
    }

    /// The first key of a clause, as the operator wrote its name.
    private String keyOf(Clause clause) {
        return config.written().settings().stream().map(each -> each.key()).filter(key -> key.startsWith(DESTINATION))
                .filter(key -> DestinationPattern.parse(key.substring(DESTINATION.length(), key.lastIndexOf('.')))
                        .equals(Optional.of(clause.pattern())))
                .findFirst().orElse(DESTINATION + clause.pattern().text());
    }

    private List<String> keysOf(String section) {
        return config.written().settings().stream().map(each -> each.key()).filter(key -> key.startsWith(section))
                .map(key -> key.substring(section.length())).toList();
    }

    private void rings() {
        Set<String> used = config.destinations().clauses().stream().flatMap(each -> each.settings().ring().stream())
                .collect(Collectors.toSet());
        config.destinations().rings().keySet().stream().filter(ring -> !used.contains(ring))
                .forEach(ring -> remark("ring." + ring + ".lanes", "no clause [destination.\"…\"] names this ring,"
                        + " so it limits nothing; add ring = \"" + ring + "\" there, or take it out"));
    }

    private void lifetimes() {
        config.retries().forEach((name, policy) -> policy.lifetime()
                .filter(lifetime -> lifetime.compareTo(config.queue().lifetime()) > 0)
                .ifPresent(_ -> remark("retry." + name + ".lifetime", "it is longer than queue.lifetime, which ends"
                        + " the mail before; raise queue.lifetime, or shorten it")));
    }

    private void policies() {
        Set<String> used = new HashSet<>(config.destinations().retries());
        used.add(config.queue().retry());
        config.retries().values().forEach(each -> used.addAll(each.others().values()));
        Set<String> told = new HashSet<>(used);
        config.written().settings().stream().map(each -> each.key()).filter(key -> key.startsWith(RETRY))
                .filter(key -> told.add(key.substring(RETRY.length(), key.lastIndexOf('.'))))
                .forEach(key -> remark(key, "nothing names this retry policy, so it has no effect; set queue.retry,"
                        + " the retry of a destination or the on-… of another policy, or take it out"));
    }

    private void nextHops() {
        config.routes().forEach((name, target) -> {
            if (target instanceof RouteTarget.Fixed fixed && fixed.host().name().equalsIgnoreCase(config.hostname())
                    && config.listen().open().values().stream().anyMatch(
                            own -> own.getPort() == fixed.host().port() && !own.getAddress().isLoopbackAddress())) {
                remark("routes." + name, fixed.host() + " has the name and a port of this server, so the mail would"
                        + " come back; name the other server, or correct hostname");
            }
        });
    }

    private void copies() {
        config.addressBook(new ThisMachine()).lostCopies().forEach(address -> remark("copy.always",
                "there is no mailbox " + address + ", so its copies are lost; add \"" + address.localPart()
                        + "\" to local.mailboxes, or an alias of this name"));
    }

    private void mailStore() {
        config.operation().store().delivery().filter(endpoint -> endpoint.startsWith(UNIX))
                .map(endpoint -> Path.of(endpoint.substring(UNIX.length()))).ifPresent(this::mailSocket);
    }

    private void mailSocket(Path socket) {
        if (Files.notExists(socket)) {
            remark("local.delivery", "there is no socket " + socket + ", so local mail waits in the queue; start the"
                    + " mail store, or correct the path");
        } else if (!Files.isWritable(socket)) {
            remark("local.delivery", "the socket " + socket + " refuses this user, so local mail waits in the queue;"
                    + " change its permissions in the mail store" + new AccessRemedy(config.home()).toSpeak(socket));
        }
    }

    private void filter() {
        config.policy().rspamd().url().ifPresent(url -> {
            if ("https".equals(url.getScheme())) {
                remark("policy.rspamd", "workers of Rspamd speak HTTP without TLS; write http://");
            } else {
                RspamdFilter.unreachable(url).ifPresent(why -> remark("policy.rspamd", "no connection to Rspamd: "
                        + why + ". Mail is "
                        + (config.policy().rspamd().failure() == RspamdFailure.DEFER
                                ? "deferred with 451"
                                : "accepted without the filter")
                        + " until it answers; start it, or correct the address"));
            }
        });
    }

    private void remark(String key, String what) {
        remarks.add(config.written().sentence(key, what));
    }
}
