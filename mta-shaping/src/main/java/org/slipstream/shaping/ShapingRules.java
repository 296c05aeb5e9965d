package org.slipstream.shaping;

import org.slipstream.core.Address;
import org.slipstream.core.Network;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.ReplyPattern;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.settings.TomlMistake;
import org.slipstream.settings.TomlSection;
import org.slipstream.shaping.ShapingRule.RuleScope;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/// A set of rules, as a file has them: TOML, a table `[[rules]]` for each.
///
/// The program brings a set (`shipped.toml` beside this class) with a source for each rule. It is not in
/// force until a setting or an operator says so.
public record ShapingRules(List<ShapingRule> rules) {
    public static final int MOST_RULES = 500;
    /// Of a file.
    public static final int MOST_CHARACTERS = 256 << 10;
    /// The name of the set of the program.
    public static final String SHIPPED_NAME = "shipped";
    public static final ShapingRules NONE = new ShapingRules(List.of());

    private static final int MOST_TEXTS = 20;
    private static final int LONGEST_TEXT = 200;
    private static final int MOST_LANES = 100_000;
    private static final Duration LEAST_TIME = Duration.ofSeconds(1);
    private static final Duration MOST_WITHIN = Duration.ofDays(1);
    private static final Duration MOST_EFFECT = Duration.ofDays(30);
    private static final Duration USUAL_EFFECT = Duration.ofHours(1);
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");
    /// A fixed host, as routes name it.
    private static final Pattern NEXT_HOP = Pattern.compile("\\[[^\\[\\]]{1,255}]:[0-9]{1,5}");
    private static final ShapingRules SHIPPED = ofProgram();

    public ShapingRules {
        rules = List.copyOf(rules);
    }

    /// The rules that come with the program.
    public static ShapingRules shipped() {
        return SHIPPED;
    }

    /// The file of the program, with its comments.
    public static String shippedText() {
        try (InputStream in = Objects.requireNonNull(ShapingRules.class.getResourceAsStream("shipped.toml"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("a file of the program is missing", e);
        }
    }

    private static ShapingRules ofProgram() {
        return read("shipped.toml", shippedText());
    }

    /// With other rules, which replace those of the same name.
    public ShapingRules with(ShapingRules others) {
        Map<String, ShapingRule> all = new LinkedHashMap<>();
        rules.forEach(each -> all.put(each.name(), each));
        others.rules.forEach(each -> all.put(each.name(), each));
        return new ShapingRules(List.copyOf(all.values()));
    }

    public boolean isEmpty() {
        return rules.isEmpty();
    }

    // ---- reading

    /// @param file for messages
    /// @throws TomlMistake at the first mistake, with file, line and remedy
    public static ShapingRules read(String file, String text) {
        if (text.length() > MOST_CHARACTERS) {
            throw new TomlMistake(file + ": a file of rules has at most " + (MOST_CHARACTERS >> 10) + " KiB");
        }
        TomlSection root = TomlSection.of(file, text, "for", TomlSection.Changes.NONE);
        List<TomlSection> tables = root.sections("rules");
        if (tables.size() > MOST_RULES) {
            throw root.wrong("there are " + tables.size() + " rules; a set has at most " + MOST_RULES);
        }
        Map<String, ShapingRule> rules = new LinkedHashMap<>();
        for (TomlSection table : tables) {
            ShapingRule rule = rule(table);
            if (rules.put(rule.name(), rule) != null) {
                throw table.wrong("name", "= \"" + rule.name() + "\" stands twice; give each rule a name of its own");
            }
        }
        root.end();
        return new ShapingRules(List.copyOf(rules.values()));
    }

    private static ShapingRule rule(TomlSection table) {
        String name = table.need("name");
        if (!NAME.matcher(name).matches()) {
            throw table.wrong("name", "= \"" + name
                    + "\" is not a name of 1 to 64 small letters, digits and hyphens; write for example \"far-limit\"");
        }
        List<ReplyPattern> replies = replies(table);
        int count = (int) table.count("count", 1, ShapingRule.MOST_COUNT, 1);
        ShapingRule rule = new ShapingRule(name, scope(table), replies, count,
                time(table, "within", MOST_WITHIN).orElse(Duration.ofMinutes(1)), effects(table),
                bounded(table, "source", table.text("source").orElse("")));
        table.text("example").ifPresent(example -> requireFit(table, rule, example));
        table.end();
        return rule;
    }

    private static void requireFit(TomlSection table, ShapingRule rule, String example) {
        if (ReplyPattern.reply(example).filter(reply -> rule.fits(reply, ReplyPattern.lower(reply))).isEmpty()) {
            throw table.wrong("example", "= \"" + example
                    + "\" is no reply that the rule counts; correct code, status or text");
        }
    }

    private static RuleScope scope(TomlSection table) {
        List<String> hosts = names(table, "mx");
        List<String> destinations = names(table, "destination");
        Optional<String> provider = table.text("provider");
        if ((hosts.isEmpty() ? 0 : 1) + (destinations.isEmpty() ? 0 : 1) + (provider.isEmpty() ? 0 : 1) > 1) {
            throw table.wrong("a rule has one of provider, mx and destination; remove the others");
        }
        if (provider.isPresent()) {
            if (!provider.get().equals(ShapingRule.ANY) && !ProviderTable.isName(provider.get())) {
                throw table.wrong("provider", "= \"" + provider.get()
                        + "\" is not the name of a provider; write for example \"google\", or \"*\" for all of them");
            }
            return new RuleScope.Provider(provider.get());
        }
        return !hosts.isEmpty()
                ? new RuleScope.Hosts(hosts)
                : destinations.isEmpty() ? new RuleScope.Everything() : new RuleScope.Destinations(destinations);
    }

    private static List<String> names(TomlSection table, String key) {
        return texts(table, key).stream().map(text -> {
            String name = text.startsWith("*.") ? text.substring(1) : text;
            if (!NEXT_HOP.matcher(name).matches() && Network.parse(name).isEmpty()
                    && !Address.isDomain(name.startsWith(".") ? name.substring(1) : name)) {
                throw table.wrong(key, "= \"" + text
                        + "\" is not a name; write \"mx.example.org\", or \".example.org\" for all below");
            }
            return name.toLowerCase(Locale.ROOT);
        }).toList();
    }

    private static List<String> texts(TomlSection table, String key) {
        List<String> texts = table.texts(key);
        if (texts.size() > MOST_TEXTS) {
            throw table.wrong(key, "has " + texts.size() + " texts; a rule has at most " + MOST_TEXTS);
        }
        return texts.stream().map(text -> bounded(table, key, text)).toList();
    }

    private static String bounded(TomlSection table, String key, String text) {
        if (text.length() > LONGEST_TEXT) {
            throw table.wrong(key, "has " + text.length() + " characters; write at most " + LONGEST_TEXT);
        }
        return text;
    }

    private static List<ReplyPattern> replies(TomlSection table) {
        List<String> codes = texts(table, "code");
        List<String> texts = texts(table, "text");
        String status = table.text("status").orElse("*");
        if (codes.isEmpty()) {
            throw table.wrong("the rule has no code; add code = \"421\", or code = \"4xx\"");
        }
        List<ReplyPattern> replies = new ArrayList<>();
        for (String code : codes) {
            for (String text : texts.isEmpty() ? List.of("") : texts) {
                replies.add(ReplyPattern.of(code, status, text).filter(_ -> code.matches("[45].*"))
                        .orElseThrow(() -> table.wrong("code", "= \"" + code + "\" or status = \"" + status
                                + "\" is not a form of refusals; write 421, 4xx, 4.7.28 or 4.7.x")));
            }
        }
        return replies;
    }

    private static List<ShapingEffect> effects(TomlSection table) {
        Duration time = time(table, "for", MOST_EFFECT).orElse(USUAL_EFFECT);
        List<ShapingEffect> effects = new ArrayList<>();
        if (table.has("lanes")) {
            effects.add(new ShapingEffect.Lanes((int) table.count("lanes", 1, MOST_LANES, 2), time));
        }
        table.text("rate").ifPresent(rate -> effects.add(new ShapingEffect.RateLimit(rate(table, rate), time)));
        time(table, "suspend", MOST_EFFECT).ifPresent(end -> effects.add(new ShapingEffect.Suspend(end)));
        if (effects.isEmpty()) {
            throw table.wrong("the rule has no effect; add lanes = 2, rate = \"100/1h\" or suspend = \"10m\"");
        }
        return effects;
    }

    private static String rate(TomlSection table, String rate) {
        try {
            return LimitOrder.parse("rate:x", rate, "", "", 0, 1).value();
        } catch (IllegalArgumentException wrong) {
            throw table.wrong("rate", ": " + wrong.getMessage());
        }
    }

    private static Optional<Duration> time(TomlSection table, String key, Duration most) {
        return table.time(key).map(time -> {
            if (time.compareTo(LEAST_TIME) < 0 || time.compareTo(most) > 0) {
                throw table.wrong(key, "is a time from 1s to " + most.toDays() + "d; write for example " + key
                        + " = \"10m\"");
            }
            return time;
        });
    }
}
