package org.slipstream.guard.zone;

import java.util.Optional;

/// One result of a check of a domain.
///
/// @param subject `mx`, `spf` and the like
/// @param level see [Level]
/// @param text a sentence
/// @param record the line of a zone file that would help; empty when there is none
public record DomainFinding(String subject, Level level, String text, Optional<String> record) {
    /// True when the domain is not as it should be, or DNS did not tell.
    public boolean isLacking() {
        return level == Level.LACKS || level == Level.NO_ANSWER;
    }

    public enum Level {
        /// As it should be.
        OK,
        /// Some servers refuse or suspect the domain's mail, or do not find it.
        LACKS,
        /// Works without.
        ADVICE,
        /// The check could not find out.
        UNKNOWN,
        /// DNS did not answer.
        NO_ANSWER
    }
}
