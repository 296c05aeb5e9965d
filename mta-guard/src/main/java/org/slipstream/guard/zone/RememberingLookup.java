package org.slipstream.guard.zone;

import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;

import java.util.HashMap;
import java.util.Map;

/// Asks each question once. After three questions without an answer it asks no more, because each
/// of them takes as long as the resolver waits, and a check should end within a minute. Used by one
/// thread.
final class RememberingLookup implements DnsLookup {
    private static final int MOST_SILENCES = 3;

    private record Question(String name, RecordType type) {}

    private final DnsLookup dns;
    private final Map<Question, TextAnswer> answers = new HashMap<>();
    private int silences;

    RememberingLookup(DnsLookup dns) {
        this.dns = dns;
    }

    @Override
    public TextAnswer ask(String name, RecordType type) {
        Question question = new Question(name, type);
        TextAnswer known = answers.get(question);
        if (known != null) {
            return known;
        }
        if (silences == MOST_SILENCES) {
            return new TextAnswer.Trouble("not asked, after " + MOST_SILENCES + " questions without an answer");
        }
        TextAnswer answer = dns.ask(name, type);
        silences += answer instanceof TextAnswer.Trouble ? 1 : 0;
        answers.put(question, answer);
        return answer;
    }
}
