package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;

import java.util.Objects;

/// A host that mail for a destination may go to.
///
/// @param name as the route gave it, for people and for whoever opens the connection
public record Candidate(HostKey host, String name) {
    public Candidate {
        Objects.requireNonNull(host);
        Objects.requireNonNull(name);
    }

    @Override
    public String toString() {
        return name + host;
    }
}
