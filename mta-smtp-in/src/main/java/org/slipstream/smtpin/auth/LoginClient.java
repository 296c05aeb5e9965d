package org.slipstream.smtpin.auth;

import java.net.InetAddress;
import java.util.Map;
import java.util.Optional;

/// The client of a login.
///
/// @param session number in the log
/// @param local the address of this server that the client reached; empty when unknown
/// @param inTls true when the connection is encrypted
/// @param bindings the channel binding values by name, empty without TLS
public record LoginClient(long session, InetAddress address, Optional<InetAddress> local, boolean inTls, Map<String, byte[]> bindings) {}
