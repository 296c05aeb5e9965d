package org.slipstream.smtpin;

import java.net.InetSocketAddress;
import java.util.Optional;

import javax.net.ssl.SSLContext;

/// One port of the listener with its limits (limits.md, inbound; each is a named setting).
///
/// @param service its name in logs: `smtp`, `submission`
/// @param hostname the name in the greeting and in Received lines
/// @param tls offers STARTTLS when present
/// @param connections sessions at once on this port
/// @param connectionsPerClient sessions at once from one address
/// @param errors negative replies before 421
/// @param junkCommands commands without mail before 421
/// @param messagesPerConnection transactions before 421
/// @param idleMillis longest wait for a command
/// @param dataMinimumBytesPerSecond averaged over 60 s
public record ListenerConfig(String service, InetSocketAddress address, String hostname, Optional<SSLContext> tls,
        long messageBytes, int recipients, int hops, int headerBytes, int headerLines, int commandBytes,
        int textLineBytes, int connections, int connectionsPerClient, int errors, int junkCommands,
        int messagesPerConnection, long idleMillis, int dataMinimumBytesPerSecond) {

    /// The defaults of limits.md.
    public static ListenerConfig of(String service, InetSocketAddress address, String hostname) {
        return new ListenerConfig(service, address, hostname, Optional.empty(), 25L << 20, 1000, 50, 128 << 10, 1000,
                2048, 1 << 20, 1000, 30, 20, 100, 500, 300_000, 500);
    }

    public ListenerConfig withTls(SSLContext context) {
        return new ListenerConfig(service, address, hostname, Optional.of(context), messageBytes, recipients, hops,
                headerBytes, headerLines, commandBytes, textLineBytes, connections, connectionsPerClient, errors,
                junkCommands, messagesPerConnection, idleMillis, dataMinimumBytesPerSecond);
    }
}
