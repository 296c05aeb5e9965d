package org.slipstream.sink.web;

import org.slipstream.core.Units;
import org.slipstream.sink.store.MessageFilter;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/// The parameters of a request.
final class WebQuery {
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);

    private final Map<String, String> values = new TreeMap<>();

    /// A parameter that cannot be used.
    static final class WrongParameter extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private WrongParameter(String sentence) {
            super(sentence);
        }
    }

    WebQuery(URI uri) {
        String raw = uri.getRawQuery() == null ? "" : uri.getRawQuery();
        for (String pair : raw.split("&")) {
            String[] sides = pair.split("=", 2);
            if (!pair.isEmpty()) {
                values.put(decoded(sides[0]), sides.length > 1 ? decoded(sides[1]) : "");
            }
        }
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new WrongParameter("the query is not URL-encoded: " + text);
        }
    }

    private String text(String name) {
        return values.getOrDefault(name, "");
    }

    int number(String name, int otherwise, int most) {
        long number = number(name, otherwise);
        if (number > most) {
            throw new WrongParameter(name + "=" + number + " is more than " + most);
        }
        return (int) number;
    }

    private long number(String name, long otherwise) {
        String text = text(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        if (!text.matches("[0-9]{1,15}")) {
            throw new WrongParameter(name + "=" + text + " is not a number; write for example " + name + "=10");
        }
        return Long.parseLong(text);
    }

    long since() {
        return number("since", 0);
    }

    Duration timeout(Duration otherwise) {
        String text = text("timeout");
        if (text.isEmpty()) {
            return otherwise;
        }
        return Units.DURATIONS.parse(text).map(Duration::ofMillis).filter(time -> time.compareTo(LONGEST_WAIT) <= 0)
                .orElseThrow(() -> new WrongParameter("timeout=" + text
                        + " is not a time of at most 5m; write for example timeout=30s"));
    }

    MessageFilter filter() {
        return new MessageFilter(text("from"), text("to"), text("subject"), text("query"), number("after", 0));
    }
}
