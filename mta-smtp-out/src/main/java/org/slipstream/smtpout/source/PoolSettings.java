package org.slipstream.smtpout.source;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.util.List;
import java.util.Optional;

/// A section `[pool.NAME]`: sources that share the mail of some senders, users or providers by their weights.
///
/// @param senders domains, or whole addresses, in lower case
@SettingsSection("pool")
public record PoolSettings(
        @Setting(value = "", form = "pool-member",
                doc = "The sources, each with its weight: `[\"a:3\", \"b\"]` sends three of four messages by `a`."
                        + " Needed; 64 at most.") List<PoolMember> sources,
        @Setting(value = "", form = "sender-line",
                doc = "Mail of these domains or addresses of senders uses the pool.") List<String> senders,
        @Setting(value = "", form = "user-name",
                doc = "Mail that these users handed in uses the pool.") List<String> users,
        @Setting(value = "", form = "name",
                doc = "Mail to these providers uses the pool, unless its user, sender or destination has"
                        + " another one.") List<String> providers,
        @Setting(value = "other",
                doc = "A message whose source has used up its day: `other` takes another source of the pool, `wait`"
                        + " the next day.") Overflow overflow) {
    public static final int MOST_MEMBERS = 64;
    /// Lines of each list.
    public static final int MOST_NAMES = 1_000;
    static final int MOST_WEIGHT = 1_000;

    /// The way of a message whose source has used up its day.
    public enum Overflow {
        OTHER, WAIT
    }

    /// A source and its share of the mail.
    public record PoolMember(String source, int weight) {
        /// `a`, or `a:3`; empty for another text.
        public static Optional<PoolMember> parse(String text) {
            int colon = text.indexOf(':');
            String name = colon < 0 ? text : text.substring(0, colon);
            String weight = colon < 0 ? "1" : text.substring(colon + 1);
            return SourceTable.isName(name) && weight.matches("[1-9][0-9]{0,3}")
                    && Integer.parseInt(weight) <= MOST_WEIGHT
                            ? Optional.of(new PoolMember(name, Integer.parseInt(weight)))
                            : Optional.empty();
        }

        @Override
        public String toString() {
            return source + ":" + weight;
        }
    }

    public PoolSettings {
        sources = List.copyOf(sources);
        senders = List.copyOf(senders);
        users = List.copyOf(users);
        providers = List.copyOf(providers);
    }
}
