package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.core.Route;

import java.util.Objects;

/// A host to which mail for a destination may be sent.
///
/// @param name as in the route, for people and for the client that opens the connection
/// @param route to this host only
public record Candidate(HostKey host, String name, Route route) {
    public Candidate {
        Objects.requireNonNull(host);
        Objects.requireNonNull(name);
        Objects.requireNonNull(route);
    }

    @Override
    public String toString() {
        return name + host;
    }
}
