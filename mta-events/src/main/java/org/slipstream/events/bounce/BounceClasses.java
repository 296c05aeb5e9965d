package org.slipstream.events.bounce;

import org.slipstream.core.Reply;
import org.slipstream.core.ReplyPattern;
import org.slipstream.core.text.Nearest;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.SourcePlace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// The table that names the cause of a refusal. The first rule that fits a reply decides: those of the
/// administrator's file come first, then those of the program (`classes.txt` beside this class).
///
/// The time for a reply is bounded by its length and the number of rules: a rule has words and no
/// regular expression, because the text comes from strangers.
public final class BounceClasses {
    /// The setting that names the administrator's file.
    public static final String KEY = "bounces.classes";
    /// Each reply of a failure is compared with all of them.
    static final int MOST_RULES = 2_000;
    private static final int CELLS = 5;
    private static final String FORM = "\"class | code | status | words | example\", for example:"
            + " invalid-recipient | 550 | * | no such user * here | 550 No such user is here";
    /// The rules that the program brings.
    private static final List<BounceRule> SHIPPED = shipped();

    private final List<BounceRule> rules;

    private BounceClasses(List<BounceRule> rules) {
        this.rules = List.copyOf(rules);
    }

    /// The rules of the program alone.
    public static BounceClasses ofProgram() {
        return new BounceClasses(SHIPPED);
    }

    /// @param lines of the administrator's file
    /// @param name of the file
    public static BounceClasses read(List<String> lines, String name, Complaints complaints) {
        List<BounceRule> rules = rules(lines, name, complaints);
        if (rules.size() > MOST_RULES) {
            complaints.add(new SourcePlace(name, 0), KEY,
                    "there are " + rules.size() + " rules, and at most " + MOST_RULES + " are read");
            return ofProgram();
        }
        rules.addAll(SHIPPED);
        return new BounceClasses(rules);
    }

    public BounceClass of(Reply reply) {
        String text = ReplyPattern.lower(reply);
        return rules.stream().filter(rule -> rule.fits(reply, text)).findFirst().map(BounceRule::bounceClass)
                .orElse(BounceClass.UNCATEGORIZED);
    }

    /// The class of a reply as it stands in logs and reports, such as `550 5.1.1 User unknown`.
    public BounceClass of(String reply) {
        return ReplyPattern.reply(reply).map(this::of).orElse(BounceClass.UNCATEGORIZED);
    }

    static List<BounceRule> rulesOfProgram() {
        return SHIPPED;
    }

    private static List<BounceRule> shipped() {
        try (InputStream in = Objects.requireNonNull(BounceClasses.class.getResourceAsStream("classes.txt"))) {
            Complaints complaints = new Complaints();
            List<BounceRule> rules = rules(new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList(),
                    "classes.txt", complaints);
            if (complaints.count() > 0) {
                throw new IllegalStateException(complaints.inOrder().toString());
            }
            return rules;
        } catch (IOException e) {
            throw new IllegalStateException("a file of the program is missing", e);
        }
    }

    private static List<BounceRule> rules(List<String> lines, String name, Complaints complaints) {
        List<BounceRule> rules = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                rule(line, new SourcePlace(name, i + 1), complaints).ifPresent(rules::add);
            }
        }
        return rules;
    }

    private static Optional<BounceRule> rule(String line, SourcePlace place, Complaints complaints) {
        List<String> cells = Arrays.stream(line.split("\\|", CELLS)).map(String::strip).toList();
        if (cells.size() < CELLS) {
            complaints.add(place, KEY, "a rule is " + FORM);
            return Optional.empty();
        }
        Optional<BounceClass> bounceClass = BounceClass.of(cells.get(0));
        if (bounceClass.isEmpty()) {
            complaints.add(place, KEY, "unknown class \"" + cells.get(0) + "\"; docs/events.md has the list",
                    Nearest.to(cells.get(0), BounceClass.words()).map(near -> "did you mean \"" + near + "\"?"));
            return Optional.empty();
        }
        Optional<ReplyPattern> pattern = ReplyPattern.of(cells.get(1), cells.get(2), cells.get(3));
        if (pattern.isEmpty()) {
            complaints.add(place, KEY, "code and status are like 550, 5xx, 5.1.1, 5.7.x or *, not \"" + cells.get(1)
                    + "\" and \"" + cells.get(2) + "\"");
            return Optional.empty();
        }
        BounceRule rule = new BounceRule(bounceClass.get(), pattern.get(), cells.get(4));
        if (ReplyPattern.reply(rule.example()).filter(reply -> rule.fits(reply, ReplyPattern.lower(reply))).isEmpty()) {
            complaints.add(place, KEY, "the rule does not fit its example \"" + rule.example() + "\"");
            return Optional.empty();
        }
        return Optional.of(rule);
    }

    /// Two tables with the same rules are the same setting.
    @Override
    public boolean equals(Object other) {
        return other instanceof BounceClasses classes && rules.equals(classes.rules);
    }

    @Override
    public int hashCode() {
        return rules.hashCode();
    }
}
