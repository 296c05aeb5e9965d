package org.slipstream.server.cli;

import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// Asks again and again until the server has looked at the whole queue: each request is for a bounded piece of it.
final class Pieces {
    private Pieces() {}

    /// The answers in their order; the next is only asked for when it is wanted.
    ///
    /// @param query each parameter behind an `&`
    /// @param next where an answer says to go on
    static <T extends Record> Stream<T> of(AdminClient server, String method, String resource, String query,
            Class<T> type,
            Function<T, Optional<String>> next) {
        Function<String, T> ask = after -> RecordJson.read(
                server.ask(method, resource + asked(query + (after.isEmpty() ? "" : "&after=" + after))).orElseThrow(),
                type);
        return Stream.iterate(Optional.of(ask.apply("")), Optional::isPresent,
                piece -> piece.flatMap(next).map(ask)).flatMap(Optional::stream);
    }

    private static String asked(String query) {
        return query.isEmpty() ? "" : "?" + query.substring(1);
    }
}
