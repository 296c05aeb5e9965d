package org.slipstream.smtpin.policy;

import java.net.InetAddress;
import java.util.Optional;

/// The client as far as it is known at this stage of the session.
///
/// @param session number in the log
/// @param address of the client
/// @param helo the name that it gave; empty before EHLO
/// @param extended true after EHLO, false after HELO
/// @param tls protocol and cipher suite, empty in clear text
/// @param user the authenticated user, empty when there is none
/// @param service the name of the port: `smtp`, `submission`
public record Client(long session, InetAddress address, Optional<String> helo, boolean extended, Optional<String> tls,
        Optional<String> user, String service) {}
