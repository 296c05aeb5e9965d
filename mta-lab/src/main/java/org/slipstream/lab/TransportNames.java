package org.slipstream.lab;

import org.slipstream.core.Route;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/// Translates the transport names of a file, which are free, to the kinds of route that there are,
/// which are four. Keeps their alphabetical order, because the order of service sorts by it.
public final class TransportNames {
    /// As many transports as there are kinds of route.
    public static final int MOST = 4;

    private static final List<String> KINDS = List.of("discard", "lmtp", "local", "smtp");

    private final List<String> theirs;
    private final List<String> ours;

    public TransportNames(Collection<String> names) {
        theirs = new ArrayList<>(new TreeSet<>(names));
        if (theirs.size() > KINDS.size()) {
            throw new IllegalArgumentException("more than " + KINDS.size() + " transports: " + theirs);
        }
        ours = KINDS.subList(KINDS.size() - theirs.size(), KINDS.size());
    }

    public boolean knows(String name) {
        return theirs.contains(name);
    }

    public String ours(String name) {
        int index = theirs.indexOf(name);
        if (index < 0) {
            throw new IllegalArgumentException("no settings for transport " + name);
        }
        return ours.get(index);
    }

    public String theirs(String name) {
        return theirs.get(ours.indexOf(name));
    }

    /// The one that goes by SMTP, to hosts.
    public String last() {
        return theirs.getLast();
    }

    public boolean hasHosts(String name) {
        return name.equals(last());
    }

    public Route route(String transport, String nextHop) {
        return switch (ours(transport)) {
            case "discard" -> new Route.Discard(nextHop);
            case "lmtp" -> new Route.Lmtp(nextHop);
            case "local" -> new Route.Local(nextHop);
            default -> new Route.Smtp(nextHop, List.of(new Route.Host(nextHop, 25, 0)));
        };
    }
}
