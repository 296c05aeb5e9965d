package org.slipstream.smtpin.policy;

import org.slipstream.smtpin.Client;

import java.util.List;
import java.util.regex.Pattern;

/// An operator's own list of what he has seen enough of: a pattern for a field, and what to do about it. The first match counts.
public final class HeaderPatterns implements Check {
    /// @param field its name, without case
    /// @param pattern found anywhere in the unfolded value
    public record Rule(String field, Pattern pattern, Ruling ruling) {}

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
    public Ruling end(Client client, Message message) {
        for (Rule rule : rules) {
            boolean matches = message.header().fields().stream()
                    .anyMatch(field -> field.name().equalsIgnoreCase(rule.field())
                            && rule.pattern().matcher(field.value()).find());
            if (matches) {
                return rule.ruling();
            }
        }
        return Ruling.pass();
    }
}
