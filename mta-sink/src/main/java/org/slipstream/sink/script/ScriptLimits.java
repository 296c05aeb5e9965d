package org.slipstream.sink.script;

import java.time.Duration;
import java.util.Map;

/// The limits of a scripted server. [Integer#MAX_VALUE] is no limit.
///
/// @param connections at once
/// @param clientConnections at once from one client
/// @param perMinute new connections in any minute
/// @param clientPerMinute new connections of one client in any minute
/// @param over what a further connection gets
/// @param overReply the 421 of a further connection
/// @param messages on one connection; a further MAIL gets a 421
/// @param recipients of one message; a further RCPT gets a 452
/// @param softErrors replies with 4xx or 5xx in a session after which each costs `errorDelay`
/// @param hardErrors replies with 4xx or 5xx in a session at which the server closes with 421
public record ScriptLimits(int connections, int clientConnections, int perMinute, int clientPerMinute,
        OverLimit over, String overReply, int messages, int recipients, int softErrors, Duration errorDelay,
        int hardErrors) {
    static final String TOO_MANY = "421 4.7.0 Too many connections";

    /// The refusal of a connection.
    public enum OverLimit {
        /// The 421 in place of the greeting.
        REPLY,
        /// The end of the connection without a greeting.
        CLOSE,
        /// An open connection without a greeting.
        SILENT;

        static Map<String, OverLimit> byWord() {
            return Map.of("421", REPLY, "close", CLOSE, "silent", SILENT);
        }
    }

    Reaction refusal() {
        return switch (over) {
            case REPLY -> Reaction.reply(overReply).then(Reaction.After.CLOSE);
            case CLOSE -> Reaction.only(Reaction.After.CLOSE);
            case SILENT -> Reaction.only(Reaction.After.STALL);
        };
    }
}
