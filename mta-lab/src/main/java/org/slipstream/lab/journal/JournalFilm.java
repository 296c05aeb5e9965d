package org.slipstream.lab.journal;

import org.slipstream.core.QueueId;
import org.slipstream.lab.film.Film;

import java.util.List;
import java.util.Optional;

/// A part of a journal as a film, and the decisions about one message.
///
/// @param beganMillis start of the run
/// @param latestMillis time of the latest record that was read
/// @param film empty when the interval is outside of what can be replayed
/// @param decisions the latest ones about the wanted message, in order
/// @param earlierDecisions that are left out
/// @param remarks what was left out, and why
public record JournalFilm(long beganMillis, long latestMillis, Optional<Film> film, List<JournalDecisionLine> decisions,
        long earlierDecisions, List<String> remarks) {
    public JournalFilm {
        decisions = List.copyOf(decisions);
        remarks = List.copyOf(remarks);
    }

    /// The wanted part.
    ///
    /// @param about a message whose decisions are wanted
    public record FilmRequest(long fromMillis, long toMillis, Optional<QueueId> about) {}

    /// @param text a sentence without its subject, which is the message
    public record JournalDecisionLine(long atMillis, String text) {}
}
