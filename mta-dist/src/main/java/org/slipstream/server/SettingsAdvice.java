package org.slipstream.server;

import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationTable.Clause;
import org.slipstream.server.config.AccessRemedy;
import org.slipstream.server.config.Config;
import org.slipstream.server.tls.TlsContexts;
import org.slipstream.server.tls.TlsFailure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Remarks about settings that the server accepts and that probably do not mean what they say.
/// `check` reports them; a start does not.
final class SettingsAdvice {
    private static final String UNIX = "unix:";
    private static final String DESTINATION = "destination.";

    private final Config config;
    private final List<String> remarks = new ArrayList<>();

    private SettingsAdvice(Config config) {
        this.config = config;
    }

    static List<String> of(Config config) {
        SettingsAdvice advice = new SettingsAdvice(config);
        advice.certificate();
        advice.generalClauses();
        advice.rings();
        advice.lifetimes();
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
        config.policy().rspamd().url().filter(url -> "https".equals(url.getScheme())).ifPresent(_ -> remark(
                "policy.rspamd", "workers of Rspamd speak HTTP without TLS; write http://"));
    }

    private void remark(String key, String what) {
        remarks.add(config.written().sentence(key, what));
    }
}
