package org.slipstream.guard.rspamd;

import org.slipstream.core.Recipient;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Ruling;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Shows each message to Rspamd before it is accepted, with the facts about its client and its
/// envelope.
///
/// @param hostname of this server
/// @param names of clients' hosts; empty when a host has none
public record RspamdCheck(RspamdFilter filter, String hostname,
        Function<Client, Optional<String>> names) implements Check {
    /// Rspamd refuses a larger HTTP header; a message with more recipients is checked for the first
    /// ones.
    private static final int MOST_RECIPIENT_BYTES = 32 * 1024;

    @Override
    public String name() {
        return RspamdFilter.NAME;
    }

    @Override
    public Ruling end(Client client, CheckedMessage message) {
        return filter.ask(facts(client, message), message.content());
    }

    /// As Rspamd's protocol names them.
    private List<Map.Entry<String, String>> facts(Client client, CheckedMessage message) {
        List<Map.Entry<String, String>> facts = new ArrayList<>();
        facts.add(Map.entry("Queue-Id", message.id().toString()));
        facts.add(Map.entry("MTA-Name", hostname));
        facts.add(Map.entry("IP", client.address().getHostAddress().replaceAll("%.*", "")));
        facts.add(Map.entry("From", message.envelope().sender().map(each -> visible(each.toString())).orElse("<>")));
        names.apply(client).ifPresent(name -> facts.add(Map.entry("Hostname", visible(name))));
        client.helo().ifPresent(helo -> facts.add(Map.entry("Helo", visible(helo))));
        client.user().ifPresent(user -> facts.add(Map.entry("User", visible(user))));
        int left = MOST_RECIPIENT_BYTES;
        for (Recipient recipient : message.envelope().recipients()) {
            String address = visible(recipient.address().toString());
            left -= address.length();
            if (left < 0) {
                break;
            }
            facts.add(Map.entry("Rcpt", address));
        }
        return facts;
    }

    /// HTTP headers are ASCII.
    private static String visible(String text) {
        return text.replaceAll("[^ -~]", "?");
    }
}
