package org.slipstream.auth.arc;

import java.util.List;

/// The verdict about the chain of a message. A chain that passes names the servers that have handled the
/// message, and their claims. None of them need be trusted.
///
/// @param reason in words; empty for *pass*
/// @param oldestPass the number of the oldest set from which on the message is unchanged; 0: all are.
/// The next older one was changed since, or was not looked at
/// @param chain the domains that sealed it, the newest first; empty unless it passes
/// @param claims the results that the newest sealer noted, as `spf=pass`; empty unless it passes
public record ArcResult(ArcVerdict verdict, String reason, int oldestPass, List<String> chain, List<String> claims) {
    static ArcResult without(ArcVerdict verdict, String reason) {
        return new ArcResult(verdict, reason, 0, List.of(), List.of());
    }
}
