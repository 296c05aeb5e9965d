package org.slipstream.server.dispatch;

import org.slipstream.core.HostKey;
import org.slipstream.qmgr.place.HostState;

import java.time.Instant;
import java.util.Comparator;

/// A host that is left alone on an operator's word.
///
/// @param name what it was called last, or empty
public record SuspendedHost(HostKey host, String name, HostState.Suspended state) {
    static final Comparator<SuspendedHost> SOONEST = Comparator.comparingLong(each -> each.state().untilMillis());

    /// True for the remote of an outcome that this host has given, or that was given in its place.
    boolean isNamedBy(String remote) {
        return remote.equals(host.toString()) || remote.endsWith("[" + host.address() + "]:" + host.port());
    }

    boolean isEndless() {
        return state.untilMillis() == Long.MAX_VALUE;
    }

    String text() {
        String until = isEndless() ? "until further notice" : "until " + Instant.ofEpochMilli(state.untilMillis());
        return (name.isEmpty() ? host.toString() : name) + " is suspended by " + state.author() + " " + until + ": "
                + state.why();
    }
}
