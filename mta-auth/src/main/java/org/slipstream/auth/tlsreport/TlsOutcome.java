package org.slipstream.auth.tlsreport;

import java.net.InetAddress;
import java.util.Optional;

/// How one session, or the search for its policy, ended. Equal ones are one row of a report, so a map
/// from this to a number is the state of a day.
///
/// A session with two policies, MTA-STS and DANE, makes one of these for each. A policy that cannot be
/// fetched makes one without a host.
///
/// @param host the MX host, without a final dot
/// @param from our address
/// @param to the host's address
/// @param additional words about a failure, one bounded line; empty for none
public record TlsOutcome(ReportedTlsPolicy policy, TlsResult result, Optional<String> host,
        Optional<InetAddress> from, Optional<InetAddress> to, String additional) {
    public TlsOutcome {
        host = host.map(ReportedTlsPolicy::line);
        additional = ReportedTlsPolicy.line(additional);
    }

    /// The same for a report, which counts sessions that succeeded and has no details of them.
    public TlsOutcome counted() {
        return result == TlsResult.SUCCESS
                ? new TlsOutcome(policy, result, Optional.empty(), Optional.empty(), Optional.empty(), "")
                : this;
    }

    /// About as many octets as it takes in memory.
    public int weight() {
        return 300 + host.map(String::length).orElse(0) + additional.length() + policy.domain().length()
                + policy.strings().stream().mapToInt(String::length).sum()
                + policy.hosts().stream().mapToInt(String::length).sum();
    }
}
