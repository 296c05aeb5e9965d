package org.slipstream.sink.script;

import org.slipstream.sink.script.HttpRule.SinkAnswer;

import java.util.List;
import java.util.SplittableRandom;

/// The rules of a web server in use: it counts requests, and chooses the answer. Several threads may call it.
public final class HttpRun {
    private final List<HttpRule> rules;
    private final SplittableRandom chance;
    private int requests;

    public HttpRun(ServerScript script) {
        rules = script.http();
        chance = new SplittableRandom(script.seed());
    }

    /// The answer of the first rule whose count holds for the next request, else the usual one.
    public synchronized SinkAnswer next() {
        requests++;
        return rules.stream().filter(rule -> rule.count().holds(requests)
                && (rule.count().chance() >= 1 || chance.nextDouble() < rule.count().chance())).findFirst()
                .map(HttpRule::answer).orElse(SinkAnswer.USUAL);
    }
}
