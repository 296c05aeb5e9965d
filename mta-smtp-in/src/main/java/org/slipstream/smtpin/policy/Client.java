package org.slipstream.smtpin.policy;

import java.net.InetAddress;
import java.util.Optional;

/// Who is talking to us, as far as is known at this moment of the session.
///
/// @param session a number for the log
/// @param address of the peer
/// @param helo what it called itself; empty before EHLO
/// @param extended true after EHLO, false after HELO
/// @param tls protocol and cipher suite, empty in clear text
/// @param user the authenticated user, empty when there is none
/// @param service the name of the port it came to: `smtp`, `submission`
public record Client(long session, InetAddress address, Optional<String> helo, boolean extended, Optional<String> tls,
        Optional<String> user, String service) {}
