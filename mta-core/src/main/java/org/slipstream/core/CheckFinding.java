package org.slipstream.core;

import java.util.Optional;

/// One result of a check: of a domain, of a message, of a database.
///
/// @param subject `mx`, `spf` and the like
/// @param level see [Level]
/// @param text a sentence
/// @param record the line of a zone file, or the statement, that would help; empty when there is none
public record CheckFinding(String subject, Level level, String text, Optional<String> record) {
    /// True when it is not as it should be, or the check got no answer.
    public boolean isLacking() {
        return level == Level.LACKS || level == Level.NO_ANSWER;
    }

    public enum Level {
        /// As it should be.
        OK,
        /// Mail is refused, suspected, not found or lost.
        LACKS,
        /// Works without.
        ADVICE,
        /// The check could not find out.
        UNKNOWN,
        /// DNS, or the database, did not answer.
        NO_ANSWER
    }
}
