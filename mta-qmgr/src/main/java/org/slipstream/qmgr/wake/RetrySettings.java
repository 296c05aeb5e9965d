package org.slipstream.qmgr.wake;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;
import org.slipstream.core.Units;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/// The settings of one retry policy: a section `[retry."name"]`.
///
/// @param interval empty: that of the kind, see [#clause]
/// @param longest empty: that of the kind
/// @param lifetime empty: that of the queue
/// @param onGreylisting the name of another policy, or empty; as for the other classes
@SettingsSection("retry")
public record RetrySettings(
        @Setting(value = "age-doubling",
                doc = "The curve. `age-doubling`: after as long as the message has existed, as Postfix. `factors`: the"
                        + " interval times each factor, then on from a random factor, as ZMailer. `quadratic`: at the"
                        + " interval times 1, 4, 9, 16 …, as qmail. `list`: the pauses as they"
                        + " stand.") RetryKind kind,
        @Setting(value = "auto", none = "auto", min = "1s",
                doc = "First pause, and the unit of the factors. `auto`: `queue.minimal-backoff` for `age-doubling`,"
                        + " one minute for `factors`, 400 s for `quadratic`.") Optional<Duration> interval,
        @Setting(value = "auto", none = "auto", min = "1s",
                doc = "Longest pause. `auto`: `queue.maximal-backoff` for `age-doubling`, a day for the"
                        + " others.") Optional<Duration> longest,
        @Setting(value = "auto", none = "auto", min = "1s",
                doc = "Age at which a recipient fails instead of waiting for one more attempt, at most"
                        + " `queue.lifetime`, which `auto` means.") Optional<Duration> lifetime,
        @Setting(value = "1 1 2 3 5 8 13 21 34",
                doc = "The pauses of `factors`, in intervals. A factor of 0 is a pause of one"
                        + " second.") RetryFactors factors,
        @Setting(value = "5m 15m 30m 1h",
                doc = "The pauses of `list`, at least one second each. The last is repeated.") RetryPauses pauses,
        @Setting(value = "0%",
                doc = "By how much a pause is longer at most. The part follows from the queue id and the number of the"
                        + " attempt.") JitterPercent jitter,
        @Setting(value = "", form = "retry-policy",
                doc = "Policy instead of this one while the recipient's server greylists.") String onGreylisting,
        @Setting(value = "", form = "retry-policy",
                doc = "The same while it is busy or limits the rate (421).") String onLoad,
        @Setting(value = "", form = "retry-policy",
                doc = "The same while the mailbox is full.") String onFullMailbox,
        @Setting(value = "", form = "retry-policy",
                doc = "The same while DNS does not answer.") String onDns,
        @Setting(value = "", form = "retry-policy",
                doc = "The same while TLS is required and fails.") String onTls,
        @Setting(value = "", form = "retry-policy",
                doc = "The same while there is no connection: refused or timed out.") String onRefused) {
    /// The policy that holds where nothing is set.
    public static final String POSTFIX = "postfix";

    private static final Duration DAY = Duration.ofDays(1);

    /// The kind of a curve, see [RetryPolicy].
    public enum RetryKind {
        AGE_DOUBLING, FACTORS, QUADRATIC, LIST
    }

    public static RetrySettings defaults() {
        return SettingsRecords.defaults(RetrySettings.class);
    }

    /// The policies that exist without a setting.
    public static SequencedMap<String, RetrySettings> builtIn() {
        SequencedMap<String, RetrySettings> all = new LinkedHashMap<>();
        all.put(POSTFIX, defaults());
        all.put("zmailer", SettingsRecords.with(defaults(), "kind", RetryKind.FACTORS));
        all.put("qmail", SettingsRecords.with(defaults(), "kind", RetryKind.QUADRATIC));
        return Collections.unmodifiableSequencedMap(all);
    }

    /// The names of other policies, by class of error.
    public Map<ErrorClass, String> others() {
        Map<ErrorClass, String> others = new EnumMap<>(ErrorClass.class);
        others.put(ErrorClass.GREYLISTING, onGreylisting);
        others.put(ErrorClass.LOAD, onLoad);
        others.put(ErrorClass.FULL_MAILBOX, onFullMailbox);
        others.put(ErrorClass.DNS, onDns);
        others.put(ErrorClass.TLS, onTls);
        others.put(ErrorClass.REFUSED, onRefused);
        others.values().removeIf(String::isEmpty);
        return others;
    }

    RetryClause clause(String name, Duration minimal, Duration maximal) {
        RetryPolicy policy = switch (kind) {
            case AGE_DOUBLING -> new RetryPolicy.AgeDoubling(interval.orElse(minimal), longest.orElse(maximal));
            case FACTORS -> new RetryPolicy.Factors(interval.orElse(Duration.ofMinutes(1)), factors.values());
            case QUADRATIC -> new RetryPolicy.Quadratic(interval.orElse(Duration.ofSeconds(400)));
            case LIST -> new RetryPolicy.PauseList(pauses.values());
        };
        long most = kind == RetryKind.AGE_DOUBLING ? policy.longestMillis() : longest.orElse(DAY).toMillis();
        long end = lifetime.map(Duration::toMillis).orElse(Long.MAX_VALUE);
        return new RetryClause(name, policy, most, end, jitter.value(), others());
    }

    /// Factors between blanks.
    public record RetryFactors(List<Integer> values) {
        private static final int LARGEST = 100_000;

        public RetryFactors {
            values = List.copyOf(values);
        }

        /// Empty when there is none, or one is not a number from 0 to 100,000.
        public static Optional<RetryFactors> parse(String text) {
            String[] words = text.strip().split("\\s+");
            for (String word : words) {
                if (!word.matches("[0-9]{1,6}") || Integer.parseInt(word) > LARGEST) {
                    return Optional.empty();
                }
            }
            return Optional.of(new RetryFactors(List.of(words).stream().map(Integer::valueOf).toList()));
        }
    }

    /// Durations between blanks.
    public record RetryPauses(List<Duration> values) {
        public RetryPauses {
            values = List.copyOf(values);
        }

        /// Empty when there is none, or one is no duration.
        public static Optional<RetryPauses> parse(String text) {
            List<Optional<Long>> millis = List.of(text.strip().split("\\s+")).stream()
                    .map(Units.DURATIONS::parse).toList();
            boolean sound = millis.stream().allMatch(each -> each.filter(m -> m <= 365 * DAY.toMillis()).isPresent());
            return sound
                    ? Optional.of(new RetryPauses(
                            millis.stream().flatMap(Optional::stream).map(Duration::ofMillis).toList()))
                    : Optional.empty();
        }
    }

    /// A part of a hundred: `10%`.
    public record JitterPercent(int value) {
        /// Empty when the text is not a whole number from 0 to 100 with a percent sign.
        public static Optional<JitterPercent> parse(String text) {
            return text.strip().matches("[0-9]{1,2} ?%|100 ?%")
                    ? Optional.of(new JitterPercent(Integer.parseInt(text.replace("%", "").strip())))
                    : Optional.empty();
        }
    }
}
