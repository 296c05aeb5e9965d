package org.slipstream.guard.policy;

import org.slipstream.core.text.Nearest;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.NamedFiles;
import org.slipstream.settings.SourcePlace;
import org.slipstream.smtpin.policy.HeaderPatterns;
import org.slipstream.smtpin.policy.Ruling;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/// The reader of the file of header checks. A line is one check, and the first that matches a
/// message decides:
///
/// ```
/// # action  field    pattern             reply to the client, or the tag
/// reject    Subject  /cheap pills/i      We are not ill
/// defer     X-Queue  /^later$/
/// tag       Subject  /lottery/i          lottery
/// hold      From     /@odd\.example/i   asked of us by the lawyers
/// accept    List-Id  /<staff\.example>/
/// ```
///
/// The pattern is Java's, found anywhere in the unfolded value; `i` after it: without case. A slash
/// inside is written `\/`.
public final class HeaderChecks {
    private static final Pattern LINE = Pattern.compile(
            "(?<action>\\S+)\\s+(?<field>[!-9;-~]+):?\\s+/(?<pattern>(?:[^/\\\\]|\\\\.)*)/(?<i>i?)(?:\\s+(?<text>.*))?");
    private static final String FORM = "\"action field /pattern/ text\", for example: reject Subject /cheap pills/i We are not ill";
    private static final String KEY = "policy.header-checks";
    private static final int LONGEST_TEXT = 200;

    private final Complaints complaints;
    private final List<HeaderPatterns.Rule> rules = new ArrayList<>();

    /// An action of a header check, and the ruling that it is.
    public enum Action {
        REJECT("REJECT"), DEFER(""), TAG(""), HOLD("HOLD"), ACCEPT("");

        /// The same action in header_checks(5); empty when Postfix has none.
        public final String postfixWord;

        Action(String postfixWord) {
            this.postfixWord = postfixWord;
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static List<String> words() {
            return Arrays.stream(values()).map(Action::word).toList();
        }

        /// @param text the reply to the client, or the tag; empty for the usual one
        Ruling ruling(String field, String text) {
            String reply = text.isEmpty() ? "Message content rejected: " + field + " header field" : text;
            return switch (this) {
                case REJECT -> Ruling.reject(550, "5.7.1", reply);
                case DEFER -> Ruling.defer("4.7.1", reply);
                case TAG -> Ruling.tag(text.isEmpty() ? field : text);
                case HOLD -> Ruling.hold(text.isEmpty() ? field : text);
                case ACCEPT -> Ruling.accept();
            };
        }
    }

    private HeaderChecks(Complaints complaints) {
        this.complaints = complaints;
    }

    public static List<HeaderPatterns.Rule> read(Path file, NamedFiles files) {
        HeaderChecks checks = new HeaderChecks(files.complaints());
        List<String> lines = files.lines(KEY, file);
        for (int i = 0; i < lines.size(); i++) {
            checks.line(lines.get(i).strip(), new SourcePlace(files.name(file), i + 1));
        }
        return checks.rules;
    }

    private void line(String line, SourcePlace place) {
        if (line.isEmpty() || line.startsWith("#")) {
            return;
        }
        Matcher match = LINE.matcher(line);
        if (!match.matches()) {
            complain(place, "a header check is " + FORM);
            return;
        }
        Optional<Action> action = action(match.group("action"), place);
        Optional<Pattern> pattern = pattern(match, place);
        String text = Optional.ofNullable(match.group("text")).orElse("").strip();
        if (text.length() > LONGEST_TEXT || !text.chars().allMatch(c -> c >= ' ' && c < 127)) {
            complain(place, "the text is longer than " + LONGEST_TEXT + " characters or not ASCII");
        } else if (action.isPresent() && pattern.isPresent()) {
            rules.add(new HeaderPatterns.Rule(match.group("field"), pattern.get(),
                    action.get().ruling(match.group("field"), text)));
        }
    }

    private Optional<Action> action(String word, SourcePlace place) {
        List<String> known = Action.words();
        if (known.contains(word)) {
            return Optional.of(Action.valueOf(word.toUpperCase(Locale.ROOT)));
        }
        complaints.add(place, KEY,
                "unknown action \"" + word + "\"; there are " + String.join(", ", known),
                Nearest.to(word, known).map(near -> "did you mean \"" + near + "\"?"));
        return Optional.empty();
    }

    private Optional<Pattern> pattern(Matcher match, SourcePlace place) {
        try {
            return Optional.of(Pattern.compile(match.group("pattern").replace("\\/", "/"),
                    match.group("i").isEmpty() ? 0 : Pattern.CASE_INSENSITIVE));
        } catch (PatternSyntaxException wrong) {
            complain(place, "the pattern /" + match.group("pattern") + "/ cannot be read: " + wrong.getDescription());
            return Optional.empty();
        }
    }

    private void complain(SourcePlace place, String what) {
        complaints.add(place, KEY, what);
    }
}
