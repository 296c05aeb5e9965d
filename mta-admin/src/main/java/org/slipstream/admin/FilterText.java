package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.core.AddressPattern;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.queue.QueueFilter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Parses a filter for queued messages, as in the query of a request and behind `--` on the command
/// line. [#PARAMETERS] explains each.
public final class FilterText {
    static final List<ApiParameter> PARAMETERS = List.of(
            ApiParameter.of("sender", "an address, `*` for any text; `<>` for the null sender"),
            ApiParameter.of("recipient", "an address, `*` for any text"),
            ApiParameter.of("domain", "of a recipient, `*` for any text"),
            ApiParameter.of("provider", "of a recipient, by its name in `providers`"),
            ApiParameter.of("transport", "that delivers to a recipient: `local`, `smtp`, or a name of the settings"),
            new ApiParameter("state", "of the message", false, List.of("held", "active", "deferred")),
            ApiParameter.of("older-than", "a duration: `90s`, `5m`, `2h`, `1d12h`"),
            ApiParameter.of("younger-than", "a duration: `90s`, `5m`, `2h`, `1d12h`"),
            ApiParameter.of("attempts", "the smallest number"));
    public static final Set<String> NAMES = PARAMETERS.stream().map(ApiParameter::name)
            .collect(Collectors.toUnmodifiableSet());

    private static final Pattern DURATION = Pattern.compile("(?:(\\d{1,5})d)?(?:(\\d{1,6})h)?(?:(\\d{1,8})m)?"
            + "(?:(\\d{1,9})s)?");

    private static final Pattern TRANSPORT = Pattern.compile("[A-Za-z0-9-]{1,64}");

    private FilterText() {}

    /// The result of parsing.
    public sealed interface Read {
        record Filter(QueueFilter filter) implements Read {}

        /// @param name of the invalid parameter; @param sentence the error, with valid forms
        record Wrong(String name, String sentence) implements Read {}
    }

    private static final class WrongException extends Exception {
        private static final long serialVersionUID = 1L;
        private final String name;
        private final String sentence;

        WrongException(String name, String sentence) {
            super(sentence);
            this.name = name;
            this.sentence = sentence;
        }
    }

    /// @param texts by name; names outside [#NAMES] are ignored
    public static Read read(Map<String, String> texts) {
        try {
            return new Read.Filter(filter(texts));
        } catch (WrongException wrong) {
            return new Read.Wrong(wrong.name, wrong.sentence);
        }
    }

    private static QueueFilter filter(Map<String, String> texts) throws WrongException {
        Optional<AddressPattern> sender = value(texts, "sender", AddressPattern::parse,
                "is not an address; use ann@example.org, *@example.org, or <> for the null sender");
        List<AddressPattern> recipient = new ArrayList<>();
        value(texts, "recipient", text -> AddressPattern.parse(text).filter(pattern -> !pattern.isNull()),
                "is not an address; use ann@example.org or *@example.org").ifPresent(recipient::add);
        value(texts, "domain", AddressPattern::ofDomain, "is not a domain; use example.org or *.example.org")
                .ifPresent(recipient::add);
        Optional<QueueFilter.State> state = value(texts, "state", FilterText::state,
                "is not a state; use held, active, or deferred");
        OptionalLong older = duration(texts, "older-than");
        OptionalLong younger = duration(texts, "younger-than");
        if (older.isPresent() && younger.isPresent() && older.getAsLong() >= younger.getAsLong()) {
            throw new WrongException("younger-than", "no message is younger than " + texts.get("younger-than")
                    + " and older than " + texts.get("older-than"));
        }
        int attempts = value(texts, "attempts", FilterText::number, "is not a number of attempts; use 1 or more")
                .orElse(0);
        Optional<String> provider = value(texts, "provider", text -> Optional.of(text).filter(ProviderTable::isName),
                "is not the name of a provider; mta provider list shows them");
        Optional<String> transport = value(texts, "transport",
                text -> Optional.of(text).filter(name -> TRANSPORT.matcher(name).matches()),
                "is not the name of a transport; use smtp, lmtp, local, discard, or one of the settings");
        return new QueueFilter(sender, recipient, state, older, younger, attempts, provider, transport);
    }

    private static <T> Optional<T> value(Map<String, String> texts, String name, Function<String, Optional<T>> reading,
            String otherwise) throws WrongException {
        String text = texts.get(name);
        if (text == null) {
            return Optional.empty();
        }
        Optional<T> value = reading.apply(text);
        if (value.isEmpty()) {
            throw new WrongException(name, "\"" + text + "\" " + otherwise);
        }
        return value;
    }

    private static OptionalLong duration(Map<String, String> texts, String name) throws WrongException {
        Optional<Long> millis = value(texts, name, FilterText::millis,
                "is not a duration; use 90s, 5m, 2h, 3d, or 1d12h");
        return millis.isPresent() ? OptionalLong.of(millis.get()) : OptionalLong.empty();
    }

    private static Optional<Long> millis(String text) {
        Matcher parts = DURATION.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (text.isBlank() || !parts.matches()) {
            return Optional.empty();
        }
        return Optional.of(Duration.ofDays(part(parts, 1)).plusHours(part(parts, 2)).plusMinutes(part(parts, 3))
                .plusSeconds(part(parts, 4)).toMillis());
    }

    private static long part(Matcher parts, int group) {
        return parts.group(group) == null ? 0 : Long.parseLong(parts.group(group));
    }

    private static Optional<QueueFilter.State> state(String text) {
        return switch (text) {
            case "held" -> Optional.of(QueueFilter.State.HELD);
            case "active" -> Optional.of(QueueFilter.State.ACTIVE);
            case "deferred" -> Optional.of(QueueFilter.State.DEFERRED);
            default -> Optional.empty();
        };
    }

    private static Optional<Integer> number(String text) {
        return text.matches("[0-9]{1,6}") && Integer.parseInt(text) > 0
                ? Optional.of(Integer.parseInt(text))
                : Optional.empty();
    }
}
