package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;

import java.util.List;
import java.util.Optional;

/// What something that was heard, or the end, meant for the transactions of a [Pipeline].
///
/// @param fates of those that are over by it, in the order in which they were begun
/// @param end present when nothing more can be said on this connection; then no transaction is left
public record Verdict(List<Fate> fates, Optional<End> end) {
    /// @param reason 4xx, for whoever was not answered
    /// @param breach what the peer did that nobody does who masters pipelining; it should not be tried on it again
    public record End(Reply reason, Optional<String> breach) {}

    public Verdict {
        fates = List.copyOf(fates);
    }
}
