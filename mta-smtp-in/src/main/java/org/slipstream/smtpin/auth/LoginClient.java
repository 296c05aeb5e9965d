package org.slipstream.smtpin.auth;

import java.util.Map;
import java.util.Optional;

/// The client of a login.
///
/// @param session number in the log
/// @param address of the client: `192.0.2.7`
/// @param local the address of this server that the client reached; empty when unknown
/// @param inTls true when the connection is encrypted
/// @param bindings the channel binding values by name, empty without TLS
public record LoginClient(long session, String address, Optional<String> local, boolean inTls,
        Map<String, byte[]> bindings) {}
