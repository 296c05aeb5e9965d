package org.slipstream.smtpin.policy;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;

import java.util.List;
import java.util.regex.Pattern;

/// The operator's own header patterns, each with an action. The first match decides.
///
/// A pattern with nested repetitions can take indefinitely on a crafted value, and would hold a
/// carrier thread of all sessions for that time. So the text counts each access to a character and
/// yields to other sessions in between. A rule that needs more than [#MAX_STEPS] accesses for one
/// message is aborted and does not match, and the log names it.
public final class HeaderPatterns implements Check {
    /// @param field its name, without case
    /// @param pattern searched in the unfolded value
    public record Rule(String field, Pattern pattern, Ruling ruling) {}

    /// Some milliseconds once compiled. A well-made pattern reads each of the 128 KiB of a maximal
    /// header a few times.
    private static final int MAX_STEPS = 500_000;
    /// Far less than a millisecond once compiled.
    private static final int STEPS_PER_YIELD = 4_096;
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
        StepBudget budget = new StepBudget(MAX_STEPS);
        try {
            return header.fields().stream().anyMatch(field -> field.name().equalsIgnoreCase(rule.field())
                    && rule.pattern().matcher(new CountedText(field.value(), budget)).find());
        } catch (TooManyStepsException | StackOverflowError costly) {
            log.warn(
                    "event=pattern-aborted check=header-patterns field={} pattern=\"{}\" reason=\"too much backtracking\"",
                    LogText.word(rule.field()), LogText.text(rule.pattern().toString()));
            return false;
        }
    }

    private static final class StepBudget {
        private int left;

        private StepBudget(int most) {
            left = most;
        }
    }

    private static final class TooManyStepsException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private TooManyStepsException() {
            super("too many looks", null, false, false);
        }
    }

    private record CountedText(String text, StepBudget budget) implements CharSequence {
        @Override
        public char charAt(int index) {
            if (--budget.left < 0) {
                throw new TooManyStepsException();
            }
            if (budget.left % STEPS_PER_YIELD == 0) {
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
