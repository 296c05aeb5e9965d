package org.slipstream.server.view;

import org.slipstream.core.ProviderTable;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Tells the provider of a waiting recipient. Mail on disk has no route, so three things that are known of it count:
/// the provider that its latest reply names, the host of that reply, and the route that mail for its domain had.
///
/// @param domains the providers of recipients' domains, as the queue manager knows them
public record ProviderOfMail(ProviderTable table, Map<String, String> domains) {
    private static final int MOST_NAMED = 5;
    private static final Pattern HOST = Pattern.compile("([^\\[]*)\\[([^\\]]*)].*");
    private static final Pattern NAMED = Pattern
            .compile("(?:^|.* the )provider ([a-z0-9-]{1,64}) is .*", Pattern.DOTALL);

    /// Empty for a recipient of no known provider, and for one that no attempt has reached yet.
    public Optional<String> of(RecipientState recipient) {
        return recipient.last()
                .flatMap(last -> named(last.reply().text()).or(() -> ofRemote(last.remote())))
                .or(() -> Optional.ofNullable(domains.get(recipient.recipient().address().domainKey())));
    }

    private Optional<String> named(String reply) {
        Matcher name = NAMED.matcher(reply);
        return name.matches() ? Optional.of(name.group(1)).filter(table::isKnown) : Optional.empty();
    }

    private Optional<String> ofRemote(String remote) {
        Matcher host = HOST.matcher(remote);
        return host.matches() ? table.ofHost(host.group(1), Optional.of(host.group(2))) : Optional.empty();
    }

    /// True when a recipient of the message waits for this provider.
    public boolean concerns(MessageDetails message, String provider) {
        return message.recipients().stream().anyMatch(
                each -> each.state() == RecipientStatus.OPEN && of(each).filter(provider::equals).isPresent());
    }

    /// The providers of the open recipients of a message, a few of them.
    public List<String> of(MessageDetails message) {
        return message.recipients().stream().filter(each -> each.state() == RecipientStatus.OPEN)
                .flatMap(each -> of(each).stream()).distinct().sorted().limit(MOST_NAMED).toList();
    }

    /// The domains of the open recipients of these messages.
    public static Set<String> domains(Collection<MessageDetails> messages) {
        return messages.stream().flatMap(each -> each.recipients().stream())
                .filter(each -> each.state() == RecipientStatus.OPEN)
                .map(each -> each.recipient().address().domainKey()).collect(Collectors.toSet());
    }
}
