package org.slipstream.qmgr.dest;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/// The providers of recipients' domains, as the latest mail found them: mail on disk has no route, and lists of it ask
/// here. Of more than [#MOST] domains those of the latest mail are known.
final class ProvidersOfDomains {
    static final int MOST = 50_000;

    private final SequencedMap<String, String> byDomain = new LinkedHashMap<>();

    /// @param provider empty when the hosts of the domain belong to none
    void mailFor(String domain, Optional<String> provider) {
        byDomain.remove(domain);
        provider.ifPresent(name -> byDomain.put(domain, name));
        if (byDomain.size() > MOST) {
            byDomain.pollFirstEntry();
        }
    }

    Map<String, String> of(Collection<String> domains) {
        Map<String, String> known = new LinkedHashMap<>();
        for (String domain : domains) {
            Optional.ofNullable(byDomain.get(domain)).ifPresent(provider -> known.put(domain, provider));
        }
        return known;
    }
}
