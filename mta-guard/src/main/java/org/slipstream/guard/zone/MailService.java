package org.slipstream.guard.zone;

/// A service for programs of users, as SRV records name it (RFC 6186, RFC 8314).
///
/// @param name `submissions`, `submission` or `imaps`
public record MailService(String name, String host, int port) {}
