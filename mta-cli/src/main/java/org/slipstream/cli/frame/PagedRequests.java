package org.slipstream.cli.frame;

import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// Repeats a request until the server has read the whole queue; each request covers a bounded part
/// of it.
public final class PagedRequests {
    private PagedRequests() {}

    /// The answers in their order, requested lazily.
    ///
    /// @param query each parameter after an `&`
    /// @param next where to continue after an answer
    public static <T extends Record> Stream<T> of(AdminClient server, String method, String resource, String query,
            Class<T> type,
            Function<T, Optional<String>> next) {
        Function<String, T> ask = after -> RecordJson.read(
                server.ask(method, resource + asked(query + (after.isEmpty() ? "" : "&after=" + after))).orElseThrow(),
                type);
        return Stream.iterate(Optional.of(ask.apply("")), Optional::isPresent,
                part -> part.flatMap(next).map(ask)).flatMap(Optional::stream);
    }

    /// The query as it stands behind a path.
    public static String asked(String query) {
        return query.isEmpty() ? "" : "?" + query.substring(1);
    }
}
