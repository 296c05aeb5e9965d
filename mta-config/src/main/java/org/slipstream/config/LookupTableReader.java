package org.slipstream.config;

import org.slipstream.local.address.LookupTable;
import org.slipstream.local.address.LookupTable.Condition;
import org.slipstream.local.address.LookupTable.PatternRule;
import org.slipstream.local.address.MapFile;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.LogicalLine;
import org.slipstream.settings.NamedFiles;
import org.slipstream.settings.SourcePlace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/// The reader of tables in the text formats of Postfix: `key result`, or the patterns of
/// regexp_table(5) and pcre_table(5). It guarantees that a line is either used or reported with its
/// place.
///
/// Patterns are Java's, found anywhere in the key, and ignore case unless a flag `i` says
/// otherwise.
final class LookupTableReader {
    private static final String PATTERN_FORM = "a line of patterns is \"/pattern/flags result\", \"if /pattern/\" or"
            + " \"endif\"";
    private static final String FLAGS = "imsx";
    private static final List<String> NAMED_CLASSES = List.of("alpha", "digit", "alnum", "upper", "lower", "punct",
            "graph", "print", "blank", "cntrl", "xdigit", "space");

    private final String key;
    private final Complaints complaints;
    private final Deque<Condition> enclosing = new ArrayDeque<>();
    private final Deque<SourcePlace> open = new ArrayDeque<>();
    private final List<PatternRule> rules = new ArrayList<>();

    private LookupTableReader(String key, Complaints complaints) {
        this.key = key;
        this.complaints = complaints;
    }

    /// @param key of the setting that names the file
    static LookupTable read(String key, MapFile map, NamedFiles files) {
        LookupTableReader reader = new LookupTableReader(key, files.complaints());
        List<LogicalLine> lines = files.logicalLines(key, map.path());
        if (!map.patterns()) {
            return new LookupTable.Texts(reader.texts(lines));
        }
        lines.forEach(reader::line);
        reader.open.forEach(place -> reader.complain(place, "an \"if\" has no \"endif\""));
        return new LookupTable.Patterns(reader.rules);
    }

    /// The first line of a key counts, as for Postfix's `postmap`.
    private Map<String, String> texts(List<LogicalLine> lines) {
        Map<String, String> results = new LinkedHashMap<>();
        for (LogicalLine line : lines) {
            String[] words = line.text().split("\\s+", 2);
            if (words.length < 2) {
                complain(line.place(), "a line of a table is \"key result\"");
            } else {
                results.putIfAbsent(words[0].toLowerCase(Locale.ROOT), words[1].strip());
            }
        }
        return results;
    }

    private void line(LogicalLine line) {
        String text = line.text();
        if (text.equalsIgnoreCase("endif")) {
            if (enclosing.pollLast() == null) {
                complain(line.place(), "an \"endif\" has no \"if\"");
            }
            open.pollLast();
        } else if (text.regionMatches(true, 0, "if ", 0, 3)) {
            open.add(line.place());
            // A condition that cannot be read still pairs with its endif.
            enclosing.add(pattern(text.substring(3).strip(), line.place()).filter(each -> each.result().isEmpty())
                    .map(PatternRule::own).orElseGet(() -> refused(line)));
        } else {
            pattern(text, line.place()).ifPresentOrElse(rule -> add(rule, line.place()), () -> refused(line));
        }
    }

    private void add(PatternRule rule, SourcePlace place) {
        int groups = rule.own().negated() ? 0 : rule.own().pattern().matcher("").groupCount();
        Optional<Integer> unknown = PatternRule.GROUP.matcher(rule.result()).results()
                .flatMap(use -> PatternRule.group(use).stream()).filter(number -> number > groups).findFirst();
        if (rule.result().isEmpty()) {
            complain(place, "the pattern has no result");
        } else if (unknown.isPresent()) {
            complain(place, "the pattern has no group " + unknown.get());
        } else {
            rules.add(rule);
        }
    }

    private Condition refused(LogicalLine line) {
        complain(line.place(), PATTERN_FORM);
        return new Condition(Pattern.compile(""), false);
    }

    /// Any character that is no letter, digit or blank encloses the pattern, as in Postfix.
    private Optional<PatternRule> pattern(String text, SourcePlace place) {
        int start = 0;
        while (start < text.length() && text.charAt(start) == '!') {
            start++;
        }
        if (start >= text.length() || Character.isLetterOrDigit(text.charAt(start))) {
            return Optional.empty();
        }
        int end = end(text, start);
        if (end < 0) {
            return Optional.empty();
        }
        String[] rest = text.substring(end + 1).split("\\s+", 2);
        return compiled(text.substring(start + 1, end), rest[0], place).map(pattern -> new Condition(pattern,
                text.startsWith("!"))).map(own -> new PatternRule(List.copyOf(enclosing), own,
                        rest.length > 1 ? rest[1].strip() : ""));
    }

    private static int end(String text, int start) {
        for (int i = start + 1; i < text.length(); i++) {
            if (text.charAt(i) == '\\') {
                i++;
            } else if (text.charAt(i) == text.charAt(start)) {
                return i;
            }
        }
        return -1;
    }

    private Optional<Pattern> compiled(String text, String flags, SourcePlace place) {
        int bits = Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;
        for (char flag : flags.toCharArray()) {
            switch (FLAGS.indexOf(flag)) {
                case 0 -> bits ^= Pattern.CASE_INSENSITIVE;
                case 1 -> bits ^= Pattern.MULTILINE;
                case 2 -> bits ^= Pattern.DOTALL;
                case 3 -> bits ^= Pattern.COMMENTS;
                default -> complain(place, "the flag \"" + flag + "\" is not supported; there are " + FLAGS);
            }
        }
        try {
            return Optional.of(Pattern.compile(classes(text), bits));
        } catch (PatternSyntaxException wrong) {
            complain(place, "the pattern /" + text + "/ cannot be read: " + wrong.getDescription());
            return Optional.of(Pattern.compile(""));
        }
    }

    // `[[:alpha:]]` of POSIX is `[\p{Alpha}]` in Java.
    private static String classes(String text) {
        String java = text;
        for (String name : NAMED_CLASSES) {
            String capital = name.equals("xdigit")
                    ? "XDigit"
                    : name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
            java = java.replaceAll("\\[:" + name + ":]", Matcher.quoteReplacement("\\p{" + capital + "}"));
        }
        return java;
    }

    private void complain(SourcePlace place, String what) {
        complaints.add(place, key, what);
    }
}
