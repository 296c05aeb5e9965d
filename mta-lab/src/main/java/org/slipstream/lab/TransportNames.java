package org.slipstream.lab;

import org.slipstream.core.Route;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/// Maps the transport names of a file, which are free, to the four kinds of route. The map keeps the
/// alphabetical order, because the order of service sorts by the name of the transport.
public final class TransportNames {
    /// The greatest number of transports, one for each kind of route.
    public static final int MOST = 4;

    private static final List<String> KINDS = List.of("discard", "lmtp", "local", "smtp");

    private final List<String> names;
    private final List<String> kinds;

    public TransportNames(Collection<String> namesInFile) {
        names = new ArrayList<>(new TreeSet<>(namesInFile));
        if (names.size() > KINDS.size()) {
            throw new IllegalArgumentException("more than " + KINDS.size() + " transports: " + names);
        }
        kinds = KINDS.subList(KINDS.size() - names.size(), KINDS.size());
    }

    public boolean knows(String name) {
        return names.contains(name);
    }

    public String kind(String name) {
        int index = names.indexOf(name);
        if (index < 0) {
            throw new IllegalArgumentException("no settings for transport " + name);
        }
        return kinds.get(index);
    }

    public String inFile(String kind) {
        return names.get(kinds.indexOf(kind));
    }

    /// The transport that uses SMTP and hosts.
    public String last() {
        return names.getLast();
    }

    public boolean hasHosts(String name) {
        return name.equals(last());
    }

    public Route route(String transport, String nextHop) {
        return switch (kind(transport)) {
            case "discard" -> new Route.Discard(nextHop);
            case "lmtp" -> new Route.Lmtp(nextHop);
            case "local" -> new Route.Local(nextHop);
            default -> new Route.Smtp(nextHop, List.of(new Route.Host(nextHop, 25, 0)));
        };
    }
}
