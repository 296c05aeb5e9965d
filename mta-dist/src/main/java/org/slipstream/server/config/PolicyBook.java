package org.slipstream.server.config;

import java.nio.file.Path;
import java.util.List;

/// Reads `[policy]`, and the file of header checks that it may name.
final class PolicyBook {
    private PolicyBook() {}

    static Config.Policy read(Values values, Path home, Complaints complaints) {
        check(values, complaints);
        return new Config.Policy(values.get(Keys.GREETING_DELAY), values.get(Keys.STRICT_TURNS),
                values.get(Keys.EXEMPT), values.get(Keys.CLIENT_PREFIX_V4), values.get(Keys.CLIENT_PREFIX_V6),
                new Config.Rate(values.get(Keys.CONNECTION_RATE), values.get(Keys.MESSAGE_RATE),
                        values.get(Keys.RECIPIENT_RATE)),
                new Config.Rate(0, values.get(Keys.USER_MESSAGE_RATE), values.get(Keys.USER_RECIPIENT_RATE)),
                values.get(Keys.RATES_REMEMBERED), values.get(Keys.BLOCK_LISTS), values.get(Keys.SENDER_DOMAIN),
                values.get(Keys.DNS_PATIENCE), greylisting(values), values.get(Keys.HEADER_FORM),
                values.get(Keys.HEADER_CHECKS).map(file -> headerRules(values, home, file, complaints))
                        .orElse(List.of()));
    }

    private static Config.Greylisting greylisting(Values values) {
        return new Config.Greylisting(values.get(Keys.GREYLISTING), values.get(Keys.GREYLIST_DELAY),
                values.get(Keys.GREYLIST_WINDOW), values.get(Keys.GREYLIST_KEEP),
                values.get(Keys.GREYLIST_REMEMBERED));
    }

    private static List<Config.HeaderRule> headerRules(Values values, Path home, String file, Complaints complaints) {
        return HeaderChecks.read(home.resolve(file), file, values.place(Keys.HEADER_CHECKS), complaints);
    }

    private static void check(Values values, Complaints complaints) {
        if (values.get(Keys.GREYLIST_DELAY) >= values.get(Keys.GREYLIST_WINDOW)
                && values.isSound(Keys.GREYLIST_DELAY, Keys.GREYLIST_WINDOW)) {
            Key<?> given = values.isGiven(Keys.GREYLIST_DELAY) ? Keys.GREYLIST_DELAY : Keys.GREYLIST_WINDOW;
            complaints.add(values.place(given), given.dotted(),
                    "policy.greylist-delay (" + Units.DURATIONS.write(values.get(Keys.GREYLIST_DELAY))
                            + ") is not shorter than policy.greylist-window ("
                            + Units.DURATIONS.write(values.get(Keys.GREYLIST_WINDOW))
                            + "), so nobody could ever come back in time");
        }
    }
}
