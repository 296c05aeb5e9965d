package org.slipstream.shaping;

import org.slipstream.core.ProviderTable;
import org.slipstream.core.Reply;
import org.slipstream.core.ReplyPattern;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// A rule: replies that, when there are enough of them within a time, limit the mail to the server
/// that sent them.
///
/// @param from the servers whose replies count
/// @param replies a reply counts when one of these fits it
/// @param count of replies
/// @param within the time of these replies
/// @param source the page from which the rule follows, or empty
public record ShapingRule(String name, RuleScope from, List<ReplyPattern> replies, int count, Duration within,
        List<ShapingEffect> effects, String source) {
    public static final int MOST_COUNT = 100;
    /// Stands for each provider that the table knows.
    static final String ANY = "*";

    public ShapingRule {
        replies = List.copyOf(replies);
        effects = List.copyOf(effects);
        if (count < 1 || count > MOST_COUNT || replies.isEmpty() || effects.isEmpty()) {
            throw new IllegalArgumentException("a rule counts up to 1 to " + MOST_COUNT + " replies and has an effect");
        }
    }

    /// The servers whose replies a rule counts, and the mail that it limits.
    public sealed interface RuleScope {
        /// A provider of the table: its mail is counted and limited as a whole.
        record Provider(String name) implements RuleScope {}

        /// Hosts by name, or all below a suffix with a dot. Each destination counts alone.
        record Hosts(List<String> names) implements RuleScope {
            public Hosts {
                names = List.copyOf(names);
            }
        }

        /// Destinations by name, or all below a suffix with a dot. Each of them counts alone.
        record Destinations(List<String> names) implements RuleScope {
            public Destinations {
                names = List.copyOf(names);
            }
        }

        /// Each destination, which counts alone.
        record Everything() implements RuleScope {}
    }

    /// The author of the orders of this rule.
    public String author() {
        return RuleOrder.AUTHOR + name;
    }

    boolean hasCode(int code) {
        return replies.stream().anyMatch(each -> each.hasCode(code));
    }

    /// @param text of the reply in lower case
    boolean fits(Reply reply, String text) {
        return replies.stream().anyMatch(each -> each.fits(reply, text));
    }

    /// The mail that this reply concerns; empty when the rule is not about its server.
    Optional<ShapingSubject> subject(SeenReply seen, ProviderTable providers) {
        return switch (from) {
            case RuleScope.Provider(String wanted) -> providers.ofHost(seen.host(), seen.address())
                    .filter(found -> wanted.equals(ANY) || found.equals(wanted)).map(ShapingSubject.OfProvider::new);
            case RuleScope.Hosts(List<String> names) -> destination(seen, names, seen.host());
            case RuleScope.Destinations(List<String> names) -> destination(seen, names, seen.destination());
            case RuleScope.Everything() -> Optional.of(new ShapingSubject.OfDestination(seen.destination()));
        };
    }

    private static Optional<ShapingSubject> destination(SeenReply seen, List<String> names, String name) {
        return names.stream().anyMatch(each -> each.startsWith(".") ? name.endsWith(each) : name.equals(each))
                ? Optional.of(new ShapingSubject.OfDestination(seen.destination()))
                : Optional.empty();
    }

    /// The servers in words.
    public String scopeWords() {
        return switch (from) {
            case RuleScope.Provider(String provider) -> provider.equals(ANY) ? "each provider" : "provider " + provider;
            case RuleScope.Hosts(List<String> names) -> "mx " + String.join(", ", names);
            case RuleScope.Destinations(List<String> names) -> "destination " + String.join(", ", names);
            case RuleScope.Everything() -> "each destination";
        };
    }

    /// The forms of the replies, one for each pattern.
    public List<String> replyWords() {
        return replies.stream().map(each -> each.code() + (each.status().equals(ANY) ? "" : " " + each.status())
                + (each.words().isEmpty() ? "" : " " + String.join(" * ", each.words()))).toList();
    }

    /// The shortest time of an effect.
    Duration shortest() {
        return effects.stream().map(ShapingEffect::time).min(Duration::compareTo).orElseThrow();
    }
}
