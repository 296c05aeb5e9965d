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
}
