package org.slipstream.sink.script;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/// An exception of a script: its reaction applies where its conditions hold.
///
/// @param name for the counters
/// @param line in the script
public record ScriptRule(String name, int line, Set<ScriptPhase> phases, Matching when, Counting count,
        Reaction reaction) {
    public ScriptRule {
        phases = Set.copyOf(phases);
    }

    /// Patterns and times. All that are given must hold.
    ///
    /// @param client the IP address of the client
    /// @param from since the start of the script
    /// @param until since the start of the script
    /// @param greylist since the first attempt of the triplet of client network, sender and
    ///     recipient; zero when there is no such condition
    public record Matching(Optional<TextPattern> client, Optional<TextPattern> helo, Optional<TextPattern> sender,
            Optional<TextPattern> recipient, Duration from, Optional<Duration> until, Duration greylist) {
        boolean holds(String peer, String name, String from, String to, long sinceStart) {
            return client.map(each -> each.matches(peer)).orElse(true)
                    && helo.map(each -> each.matches(name)).orElse(true)
                    && sender.map(each -> each.matches(from)).orElse(true)
                    && recipient.map(each -> each.matches(to)).orElse(true)
                    && sinceStart >= this.from.toMillis()
                    && until.map(end -> sinceStart < end.toMillis()).orElse(true);
        }
    }

    /// A condition on a number.
    ///
    /// @param of the number that is compared
    /// @param chance the share of cases in which the rule applies
    public record Counting(CountOf of, OptionalInt nth, OptionalInt every, OptionalInt first, OptionalInt after,
            double chance) {
        boolean holds(int number) {
            return (nth.isEmpty() || number == nth.getAsInt())
                    && (every.isEmpty() || number % every.getAsInt() == 0)
                    && (first.isEmpty() || number <= first.getAsInt())
                    && (after.isEmpty() || number > after.getAsInt());
        }
    }

    /// The number that a condition compares, from 1.
    public enum CountOf {
        /// Cases in which the other conditions of the rule held.
        CASES,
        /// The connection, of all clients.
        CONNECTIONS,
        /// The MAIL command, of all connections.
        MESSAGES,
        /// The MAIL command on its connection.
        MESSAGES_OF_CONNECTION;

        static Map<String, CountOf> byWord() {
            return Map.of("cases", CASES, "connections", CONNECTIONS, "messages", MESSAGES, "messages-of-connection",
                    MESSAGES_OF_CONNECTION);
        }
    }
}
