package org.slipstream.sink.script;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// An exception of the web server of a script: its answer is given where its count holds.
///
/// @param line in the script
public record HttpRule(int line, ScriptRule.Counting count, SinkAnswer answer) {
    /// The answer of a web server to a request.
    ///
    /// @param status 0: none is sent
    /// @param headers whole lines
    /// @param bodyOctets really sent
    /// @param drip the speed of the answer
    /// @param after the state of the connection behind it
    public record SinkAnswer(int status, List<String> headers, long bodyOctets, HttpFault fault, Duration delay,
            OctetPace drip, Reaction.After after) {
        /// The answer of a server that takes all requests.
        public static final SinkAnswer USUAL = new SinkAnswer(204, List.of(), 0, HttpFault.NONE, Duration.ZERO,
                OctetPace.FULL, Reaction.After.CLOSE);

        public SinkAnswer {
            headers = List.copyOf(headers);
        }
    }

    /// A lie or a damage of an answer.
    public enum HttpFault {
        NONE("none"),
        /// The length in the head is larger than the body.
        LONG_LENGTH("long-length"),
        /// The length in the head is smaller than the body.
        SHORT_LENGTH("short-length"), NEGATIVE_LENGTH("negative-length"),
        /// The head has two different lengths.
        TWO_LENGTHS("two-lengths"),
        /// The body is announced in chunks, and is none.
        BAD_CHUNKS("bad-chunks"),
        /// The head goes on with further fields until the client closes.
        ENDLESS_HEAD("endless-head"),
        /// The head is one line that goes on until the client closes.
        ENDLESS_LINE("endless-line"),
        /// The first line is not one of HTTP.
        NOT_HTTP("not-http"),
        /// A hundred informational answers come first (RFC 9110 section 15.2).
        INFORMATIONAL("informational");

        private final String word;

        HttpFault(String word) {
            this.word = word;
        }

        static Map<String, HttpFault> byWord() {
            Map<String, HttpFault> all = new LinkedHashMap<>();
            Arrays.stream(values()).forEach(each -> all.put(each.word, each));
            return all;
        }
    }
}
