package org.slipstream.qmgr.wake;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// The state of a destination as one line of text, for the store that outlives the process. A line of another
/// form has no meaning, and is skipped.
public sealed interface KeptText {
    /// A line has at most about a kilobyte of starts, and five of domains.
    int MOST_GROUPS = 60;
    int MOST_DOMAINS = 20;

    /// From this time on, the line has no meaning.
    long expiresMillis();

    /// Starts that count against a rate: `100/1h 1764201600000*5 …`.
    ///
    /// @param millis in order of time
    record KeptStarts(Rate rate, List<Long> millis) implements KeptText {
        public KeptStarts {
            millis = List.copyOf(millis);
        }

        @Override
        public long expiresMillis() {
            return millis.isEmpty() ? 0 : millis.getLast() + rate.period().toMillis();
        }

        /// Starts near to each other become one group, with the time of its latest: they may count too long, never
        /// too short.
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(rate.toString());
            long width = Math.max(1, rate.period().toMillis() / (MOST_GROUPS - 1));
            for (int from = 0, to = 0; from < millis.size(); from = to) {
                while (to < millis.size() && millis.get(to) - millis.get(from) < width) {
                    to++;
                }
                text.append(' ').append(millis.get(to - 1)).append('*').append(to - from);
            }
            return text.toString();
        }

        public static Optional<KeptStarts> parse(String text) {
            String[] words = text.split(" ", MOST_GROUPS + 2);
            Optional<Rate> rate = Rate.parse(words[0]);
            List<Long> millis = new ArrayList<>();
            for (String group : Arrays.asList(words).subList(1, words.length)) {
                if (!group.matches("[0-9]{1,15}\\*[0-9]{1,6}")) {
                    return Optional.empty();
                }
                int star = group.indexOf('*');
                int count = Integer.parseInt(group.substring(star + 1));
                if (millis.size() + count > Rate.MOST_DELIVERIES) {
                    return Optional.empty();
                }
                for (int i = 0; i < count; i++) {
                    millis.add(Long.parseLong(group.substring(0, star)));
                }
            }
            millis.sort(null);
            return rate.map(each -> new KeptStarts(each, millis));
        }
    }

    /// A destination that failed, or whose mail wakes together: `failed 1764201600000 thread - woken - a.example`.
    ///
    /// @param failedUntilMillis the next attempt after a failure
    /// @param threadMillis when its deferred mail wakes
    /// @param wokenMillis when mail was made due last
    record KeptFailure(OptionalLong failedUntilMillis, OptionalLong threadMillis, OptionalLong wokenMillis,
            List<String> domains) implements KeptText {
        private static final long DAY_MILLIS = 86_400_000;

        public KeptFailure {
            domains = domains.stream().limit(MOST_DOMAINS).toList();
        }

        static KeptFailure of(OptionalLong failedUntil, OptionalLong thread, OptionalLong woken,
                Collection<String> domains) {
            return new KeptFailure(failedUntil, thread, woken, List.copyOf(domains));
        }

        /// Mail that failed is tried again within a day or so; afterwards its failure is a thing of the past.
        @Override
        public long expiresMillis() {
            return Math.max(Math.max(failedUntilMillis.orElse(0), threadMillis.orElse(0)), wokenMillis.orElse(0))
                    + DAY_MILLIS;
        }

        @Override
        public String toString() {
            return ("failed " + text(failedUntilMillis) + " thread " + text(threadMillis) + " woken "
                    + text(wokenMillis) + " " + String.join(" ", domains)).strip();
        }

        private static String text(OptionalLong millis) {
            return millis.isPresent() ? Long.toString(millis.getAsLong()) : "-";
        }

        public static Optional<KeptFailure> parse(String text) {
            if (!text.matches("failed (-|[0-9]{1,15}) thread (-|[0-9]{1,15}) woken (-|[0-9]{1,15})( .*)?")) {
                return Optional.empty();
            }
            String[] words = text.split(" ", 6 + MOST_DOMAINS + 1);
            return Optional.of(new KeptFailure(millis(words[1]), millis(words[3]), millis(words[5]),
                    Arrays.asList(words).subList(6, words.length)));
        }

        private static OptionalLong millis(String word) {
            return word.equals("-") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(word));
        }
    }
}
