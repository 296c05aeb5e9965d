package org.slipstream.guard.zone;

import org.slipstream.guard.dkim.KeyFolder.StoredKey;

import java.net.InetAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A domain, and what this server knows about itself.
///
/// @param domain in lower case, without the final dot
/// @param hostname of this server
/// @param addresses from which it sends; empty: those of its name
/// @param selector of DKIM
/// @param blockLists zones that are asked about the addresses
/// @param keys of DKIM, in all states
/// @param services for programs of users
/// @param sources further addresses from which it sends (`[source.NAME]`), each with its name in EHLO
public record DomainQuestion(String domain, String hostname, List<InetAddress> addresses, Optional<String> selector,
        List<String> blockLists, List<StoredKey> keys, List<MailService> services, Map<InetAddress, String> sources) {
    /// Without sources.
    public DomainQuestion(String domain, String hostname, List<InetAddress> addresses, Optional<String> selector,
            List<String> blockLists, List<StoredKey> keys, List<MailService> services) {
        this(domain, hostname, addresses, selector, blockLists, keys, services, Map.of());
    }

    public DomainQuestion {
        domain = (domain.endsWith(".") ? domain.substring(0, domain.length() - 1) : domain).toLowerCase(Locale.ROOT);
        hostname = hostname.toLowerCase(Locale.ROOT);
        addresses = List.copyOf(addresses);
        blockLists = List.copyOf(blockLists);
        keys = List.copyOf(keys);
        services = List.copyOf(services);
        sources = Collections.unmodifiableMap(new LinkedHashMap<>(sources));
    }

    DomainQuestion withAddresses(List<InetAddress> found) {
        return new DomainQuestion(domain, hostname, found, selector, blockLists, keys, services, sources);
    }

    /// The addresses from which mail leaves, those of sources included.
    List<InetAddress> senders() {
        return Stream.concat(addresses.stream(), sources.keySet().stream()).distinct().toList();
    }
}
