package org.slipstream.server.hosts;

import org.slipstream.core.HostKey;
import org.slipstream.qmgr.place.HostState;

import java.time.Instant;

/// A host that an operator has suspended.
///
/// @param name last known name, or empty
public record SuspendedHost(HostKey host, String name, HostState.Suspended state) {
    /// True when the outcome's remote is this host, or the suspension gave the outcome.
    public boolean isNamedBy(String remote) {
        return remote.equals(host.toString()) || remote.endsWith("[" + host.address() + "]:" + host.port());
    }

    boolean isEndless() {
        return state.untilMillis() == Long.MAX_VALUE;
    }

    /// The name by which operators know it.
    public String title() {
        return name.isEmpty() ? host.toString() : name;
    }

    public String text() {
        String until = isEndless() ? "until further notice" : "until " + Instant.ofEpochMilli(state.untilMillis());
        return title() + " is suspended by " + state.author() + " " + until + ": "
                + state.why();
    }
}
