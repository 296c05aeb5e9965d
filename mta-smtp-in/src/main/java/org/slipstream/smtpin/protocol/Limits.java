package org.slipstream.smtpin.protocol;

/// The inbound limits of one port, each a setting.
///
/// @param messageBytes SIZE; 552 5.3.4 beyond
/// @param recipients per transaction; 452 4.5.3 beyond (RFC 5321 section 4.5.3.1.10)
/// @param envelopeBytes of addresses and parameters per transaction; 452 4.5.3 beyond
/// @param hops Received fields; 554 5.4.6 beyond (RFC 5321 section 6.3)
/// @param headerBytes 552 5.3.4 beyond
/// @param headerLines 552 5.3.4 beyond
/// @param commandBytes a command line with its CRLF; 500 5.5.2 beyond
/// @param textLineBytes a line of a message with its CRLF; 500 5.6.0 beyond
/// @param connections concurrent sessions of this port, a tenth of them for known clients only; 421 4.7.0
/// beyond
/// @param connectionsPerClient concurrent sessions from one address, or one IPv6 network of 64 bits; 421
/// 4.7.0 beyond
/// @param errors negative replies before 421 4.7.0
/// @param junkCommands commands without mail before 421 4.7.0
/// @param messagesPerConnection transactions before 421 4.7.0
/// @param idleMillis longest wait for a command, for a client that reads its replies, and for a
/// handshake; a tenth of it when nine of ten places are taken
/// @param dataMinimumBytesPerSecond averaged over 60 s
public record Limits(long messageBytes, int recipients, int envelopeBytes, int hops, int headerBytes, int headerLines,
        int commandBytes,
        int textLineBytes, int connections, int connectionsPerClient, int errors, int junkCommands,
        int messagesPerConnection, long idleMillis, int dataMinimumBytesPerSecond) {

    public static Limits standard() {
        return new Limits(25L << 20, 1000, 128 << 10, 50, 128 << 10, 1000, 2048, 1 << 20, 1000, 30, 20, 100, 500,
                300_000, 500);
    }

    /// The longest wait for a client while the port is crowded, so that clients with mail find a place.
    public long crowdedIdleMillis() {
        return Math.max(1, idleMillis / 10);
    }

    /// The size beyond which a message is taken to have no end.
    public long endlessBytes() {
        return 2 * Math.min(messageBytes, Long.MAX_VALUE / 4) + (1 << 20);
    }
}
