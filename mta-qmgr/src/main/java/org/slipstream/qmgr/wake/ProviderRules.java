package org.slipstream.qmgr.wake;

import org.slipstream.core.Network;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.ProviderTable.Provider;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The providers that this server knows, and their limits.
///
/// @param sections `[provider.NAME]` by name
public record ProviderRules(Map<String, ProviderSettings> sections) {
    /// The providers that come with the program, without limits.
    public static final ProviderRules SHIPPED = new ProviderRules(Collections.emptySortedMap());

    /// A record has no fields, and its table is asked for each new destination.
    private static volatile Made latest = new Made(Collections.emptySortedMap(), ProviderTable.shipped());

    private record Made(Map<String, ProviderSettings> sections, ProviderTable table) {}

    public ProviderRules {
        sections = Collections.unmodifiableMap(new TreeMap<>(sections));
    }

    /// The providers, with the hosts of the sections.
    ///
    /// @throws IllegalArgumentException with a sentence when there are too many, or a host is none
    public ProviderTable table() {
        if (sections.isEmpty()) {
            return ProviderTable.shipped();
        }
        Made made = latest;
        if (made.sections != sections) {
            made = new Made(sections, make());
            latest = made;
        }
        return made.table;
    }

    private ProviderTable make() {
        List<Provider> more = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        sections.forEach((name, own) -> {
            if (own.known()) {
                more.add(new Provider(name, own.hosts(),
                        own.addresses().stream().flatMap(each -> Network.parse(each).stream()).toList()));
            } else {
                unknown.add(name);
            }
        });
        return ProviderTable.shipped().with(more).without(unknown);
    }

    /// The settings of a provider; [ProviderSettings#NONE] without a section.
    public ProviderSettings settings(String name) {
        return sections.getOrDefault(name, ProviderSettings.NONE);
    }

    public ProviderRules with(String name, ProviderSettings settings) {
        Map<String, ProviderSettings> more = new TreeMap<>(sections);
        more.put(name, settings);
        return new ProviderRules(more);
    }

    /// Connections, or deliveries of a sender domain, at a time; empty when there is no limit.
    Optional<Integer> lanes(LimitKey.OfGroup key) {
        return key.kind() == LimitKey.GroupKind.SENDER
                ? settings(providerOf(key.name())).senderLanes()
                : settings(key.name()).lanes();
    }

    Optional<Rate> rate(LimitKey.OfGroupRate key) {
        return key.kind() == LimitKey.GroupKind.SENDER
                ? settings(providerOf(key.name())).senderRate()
                : settings(key.name()).rate();
    }

    /// True when sender domains have limits at this provider.
    public boolean limitsSenders(String provider) {
        return settings(provider).limitsSenders();
    }

    /// The limits of a sender domain at a provider; empty when it has none.
    public Optional<LimitKey.OfGroup> sender(String provider, String senderDomain) {
        return settings(provider).limitsSenders()
                ? Optional.of(new LimitKey.OfGroup(LimitKey.GroupKind.SENDER, senderDomain + "/" + provider))
                : Optional.empty();
    }

    /// The provider in the name of a group of [LimitKey.GroupKind#SENDER].
    public static String providerOf(String sender) {
        return sender.substring(sender.lastIndexOf('/') + 1);
    }
}
