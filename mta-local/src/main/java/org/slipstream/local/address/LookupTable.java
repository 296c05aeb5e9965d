package org.slipstream.local.address;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A table of Postfix: a result for a key.
public sealed interface LookupTable {
    /// @param key in lower case
    Optional<String> find(String key);

    /// Parts of an address are keys of texts, never of patterns.
    boolean hasPatterns();

    /// @param results by key in lower case
    record Texts(Map<String, String> results) implements LookupTable {
        public Texts {
            results = Map.copyOf(results);
        }

        @Override
        public Optional<String> find(String key) {
            return Optional.ofNullable(results.get(key));
        }

        @Override
        public boolean hasPatterns() {
            return false;
        }
    }

    /// The first rule that matches decides.
    record Patterns(List<PatternRule> rules) implements LookupTable {
        public Patterns {
            rules = List.copyOf(rules);
        }

        @Override
        public Optional<String> find(String key) {
            return rules.stream().flatMap(rule -> rule.result(key).stream()).findFirst();
        }

        @Override
        public boolean hasPatterns() {
            return true;
        }
    }

    /// A pattern that must be found in the key, or must not.
    record Condition(Pattern pattern, boolean negated) {
        boolean holds(String key) {
            return pattern.matcher(key).find() != negated;
        }
    }

    /// One line.
    ///
    /// @param enclosing conditions of the `if` lines around it
    /// @param result with `$1`, `${1}` or `$(1)` for groups of the pattern, and `$$` for a dollar
    record PatternRule(List<Condition> enclosing, Condition own, String result) {
        public static final Pattern GROUP = Pattern.compile("\\$(?:(\\d)|\\{(\\d+)}|\\((\\d+)\\)|(\\$))");

        Optional<String> result(String key) {
            if (!enclosing.stream().allMatch(each -> each.holds(key)) || !own.holds(key)) {
                return Optional.empty();
            }
            Matcher found = own.pattern().matcher(key);
            return Optional.of(found.find()
                    ? GROUP.matcher(result).replaceAll(use -> Matcher.quoteReplacement(text(use, found)))
                    : result.replace("$$", "$"));
        }

        private static String text(MatchResult use, Matcher found) {
            return group(use).map(number -> Optional.ofNullable(found.group(number)).orElse("")).orElse("$");
        }

        /// Empty for `$$`.
        public static Optional<Integer> group(MatchResult use) {
            return Stream.of(1, 2, 3).flatMap(i -> Optional.ofNullable(use.group(i)).stream())
                    .findFirst().map(Integer::valueOf);
        }
    }
}
