package org.slipstream.shaping;

import org.slipstream.core.ProviderTable;
import org.slipstream.core.Reply;
import org.slipstream.core.ReplyPattern;
import org.slipstream.core.Units;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.core.text.Utf8;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The counters of rules: a reply goes in, and the orders of the rules that it completes come out.
///
/// A rule counts for each subject alone: three refusals by one destination are not one refusal by each
/// of three. The time slides: a rule is complete when the last `count` replies lie within its time,
/// whenever that began. Then it counts from zero, and not at once: a provider that refuses everything
/// would renew the order with each reply, and each order is written to the disk. So the replies of the
/// first tenth of the order are not counted. An order is renewed before its end, or it ends and the
/// window of the destination climbs by its feedback, as after any limit.
///
/// **Bounds.** A reply is compared with the rules for its code, of which there are at most
/// [ShapingRules#MOST_RULES]; its text has at most [Reply#MOST_KEPT_OCTETS]. Counters of
/// [#MOST_COUNTERS] subjects are kept, those of the latest replies, each with the times of at most
/// [ShapingRule#MOST_COUNT] replies.
///
/// Source: the rules of KumoMTA's traffic shaping automation, which is a program of its own there.
public final class ShapingEngine {
    public static final int MOST_COUNTERS = 10_000;
    /// Of the reply in the reason of an order, in UTF-8.
    static final int REASON_OCTETS = 300;
    private static final int FIRST_CODE = 200;
    private static final int CODES = 400;
    private static final int REST_PART = 10;

    private final ShapingRules rules;
    private final ProviderTable providers;
    private final List<List<ShapingRule>> byCode = new ArrayList<>();
    private final Map<CounterKey, Counter> counters = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<CounterKey, Counter> eldest) {
            return size() > MOST_COUNTERS;
        }
    };

    private record CounterKey(String rule, ShapingSubject subject) {}

    /// A rule that a reply completed.
    ///
    /// @param orders one for each effect
    public record Triggered(ShapingRule rule, ShapingSubject subject, Reply reply, List<StandingOrder> orders) {
        public Triggered {
            orders = List.copyOf(orders);
        }
    }

    public ShapingEngine(ShapingRules rules, ProviderTable providers) {
        this.rules = rules;
        this.providers = providers;
        for (int i = 0; i < CODES; i++) {
            int code = FIRST_CODE + i;
            byCode.add(rules.rules().stream().filter(rule -> rule.hasCode(code)).toList());
        }
    }

    public ShapingRules rules() {
        return rules;
    }

    public ProviderTable providers() {
        return providers;
    }

    /// Whether a rule counts replies with this code. May be called from any thread.
    public boolean counts(int code) {
        return !byCode.get(code - FIRST_CODE).isEmpty();
    }

    int counters() {
        return counters.size();
    }

    /// Counts a reply.
    public List<Triggered> observe(SeenReply seen, long nowMillis) {
        Reply reply = seen.reply().shortened();
        String text = ReplyPattern.lower(reply);
        List<Triggered> complete = new ArrayList<>();
        for (ShapingRule rule : byCode.get(reply.code() - FIRST_CODE)) {
            if (rule.fits(reply, text)) {
                rule.subject(seen, providers)
                        .filter(subject -> counters
                                .computeIfAbsent(new CounterKey(rule.name(), subject), _ -> new Counter(rule))
                                .completes(nowMillis))
                        .ifPresent(subject -> complete.add(triggered(rule, subject, reply, nowMillis)));
            }
        }
        return complete;
    }

    private static Triggered triggered(ShapingRule rule, ShapingSubject subject, Reply reply, long nowMillis) {
        String shown = reply.toString();
        String why = (rule.count() == 1
                ? ""
                : rule.count() + " replies within " + Units.DURATIONS.write(rule.within().toMillis()) + ", the last: ")
                + Utf8.beginning(shown, REASON_OCTETS);
        return new Triggered(rule, subject, reply,
                rule.effects().stream().map(each -> each.order(subject, why, rule.author(), nowMillis)).toList());
    }

    /// The times of the latest replies, as many as the rule counts.
    private static final class Counter {
        private final long[] millis;
        private final long withinMillis;
        private final long restMillis;
        private int next;
        private int counted;
        private long restUntilMillis = Long.MIN_VALUE;

        Counter(ShapingRule rule) {
            millis = new long[rule.count()];
            withinMillis = rule.within().toMillis();
            restMillis = rule.shortest().toMillis() / REST_PART;
        }

        boolean completes(long nowMillis) {
            // A clock that went back must not silence the rule.
            if (nowMillis < restUntilMillis && nowMillis >= restUntilMillis - restMillis) {
                return false;
            }
            millis[next] = nowMillis;
            next = (next + 1) % millis.length;
            counted = Math.min(counted + 1, millis.length);
            if (counted < millis.length || nowMillis - millis[next] > withinMillis) {
                return false;
            }
            counted = 0;
            restUntilMillis = nowMillis + restMillis;
            return true;
        }
    }
}
