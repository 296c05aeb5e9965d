package org.slipstream.sink.server;

import org.slipstream.sink.script.ServerForm;
import org.slipstream.sink.script.TlsBehaviour;

import java.util.List;
import java.util.Optional;

import javax.net.ssl.SSLContext;

/// The properties of a server that a session needs beside its reactions.
///
/// @param extensions lines of the reply to EHLO, without STARTTLS
/// @param tls the certificates, where a handshake is made
/// @param discards whether commands that arrived with the one before them are lost
/// @param strict whether HELO is needed, and parameters of MAIL and RCPT must be of announced
///     extensions
/// @param sizeLimit octets of a message
/// @param readOctets the octets after which the server reads no more and closes
/// @param writtenOctets the octets of replies after which the server closes
public record ServerTraits(String name, boolean lmtp, List<String> extensions, TlsBehaviour tlsBehaviour,
        Optional<SSLContext> tls, boolean discards, boolean strict, long sizeLimit, long readOctets,
        long writtenOctets) {
    boolean announces(String keyword) {
        return extensions.stream().anyMatch(line -> ServerForm.keyword(line).equals(keyword));
    }

    boolean offersTls() {
        return tlsBehaviour != TlsBehaviour.OFF;
    }
}
