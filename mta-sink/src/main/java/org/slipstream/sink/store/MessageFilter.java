package org.slipstream.sink.store;

import java.util.Locale;
import java.util.function.Predicate;

/// Which messages are asked for. Empty texts match everything.
///
/// @param from part of the sender
/// @param to part of a recipient
/// @param subject part of the subject
/// @param query part of envelope, subject or content
/// @param after the id before the first one
public record MessageFilter(String from, String to, String subject, String query, long after)
        implements Predicate<CaughtMessage> {
    public static final MessageFilter ALL = new MessageFilter("", "", "", "", 0);

    @Override
    public boolean test(CaughtMessage message) {
        return message.id() > after && has(message.sender(), from)
                && (to.isEmpty() || message.recipients().stream().anyMatch(each -> has(each, to)))
                && (subject.isEmpty() || has(message.header("Subject"), subject))
                && (query.isEmpty() || message.contains(query));
    }

    private static boolean has(String text, String part) {
        return part.isEmpty() || text.toLowerCase(Locale.ROOT).contains(part.toLowerCase(Locale.ROOT));
    }
}
