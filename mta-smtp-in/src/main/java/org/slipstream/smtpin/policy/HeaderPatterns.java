package org.slipstream.smtpin.policy;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;

import java.util.List;
import java.util.regex.Pattern;

/// An operator's own list of what he has seen enough of: a pattern for a field, and what to do about it. The first match counts.
///
/// A pattern with nested repetitions can take for ever with a value that is made for it, and it would hold a carrier of all sessions
/// for that time. So the text counts how often it is looked at, and lets other sessions go on in between: a rule that needs more than
/// [#MOST_LOOKS] for one message is given up and does not match, and the log names it.
public final class HeaderPatterns implements Check {
    /// @param field its name, without case
    /// @param pattern found anywhere in the unfolded value
    public record Rule(String field, Pattern pattern, Ruling ruling) {}

    /// Some milliseconds once it is compiled. A well-made pattern looks a few times at each of the 128 KiB that a header may have.
    private static final int MOST_LOOKS = 500_000;
    /// Far less than a millisecond once it is compiled.
    private static final int LOOKS_IN_TURN = 4_096;
    private static final Logger log = LoggerFactory.getLogger(HeaderPatterns.class);

    private final List<Rule> rules;

    public HeaderPatterns(List<Rule> rules) {
        this.rules = List.copyOf(rules);
    }

    @Override
    public String name() {
        return "header-patterns";
    }

    @Override
    public boolean readsHeader() {
        return !rules.isEmpty();
    }

    @Override
    public Ruling end(Client client, CheckedMessage message) {
        for (Rule rule : rules) {
            if (matches(rule, message.header())) {
                return rule.ruling();
            }
        }
        return Ruling.pass();
    }

    private static boolean matches(Rule rule, Header header) {
        Looks looks = new Looks(MOST_LOOKS);
        try {
            return header.fields().stream().anyMatch(field -> field.name().equalsIgnoreCase(rule.field())
                    && rule.pattern().matcher(new Watched(field.value(), looks)).find());
        } catch (TooManyLooksException | StackOverflowError costly) {
            log.warn(
                    "check=header-patterns field={} pattern=\"{}\" msg=\"pattern given up, it repeats itself too often\"",
                    LogText.word(rule.field()), LogText.text(rule.pattern().toString()));
            return false;
        }
    }

    private static final class Looks {
        private int left;

        private Looks(int most) {
            left = most;
        }
    }

    private static final class TooManyLooksException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private TooManyLooksException() {
            super("too many looks", null, false, false);
        }
    }

    private record Watched(String text, Looks looks) implements CharSequence {
        @Override
        public char charAt(int index) {
            if (--looks.left < 0) {
                throw new TooManyLooksException();
            }
            if (looks.left % LOOKS_IN_TURN == 0) {
                Thread.yield();
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
