package org.slipstream.sink.script;

import org.slipstream.core.DataSize;
import org.slipstream.settings.TomlMistake;
import org.slipstream.settings.TomlSection;
import org.slipstream.sink.script.HttpRule.HttpFault;
import org.slipstream.sink.script.HttpRule.SinkAnswer;
import org.slipstream.sink.script.Reaction.After;
import org.slipstream.sink.script.ScriptRule.CountOf;
import org.slipstream.sink.script.ScriptRule.Counting;
import org.slipstream.sink.script.ScriptRule.Matching;
import org.slipstream.sink.script.ServerForm.PipeliningForm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Reads a script of the sink, a TOML file. Reading ends at the first mistake.
public final class ScriptReader {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,253}[A-Za-z0-9])?");
    private static final Pattern CODE = Pattern.compile("[245][0-5][0-9]");
    /// RFC 5321 section 4.5.3.1.5: 512 octets with code and CRLF.
    private static final int LONGEST_TEXT = 506;
    private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9-]{1,100}: [\\x20-\\x7e]{0,1000}");
    private static final String GREYLISTED = "450 4.2.0 Greylisted, please try again later";
    private static final Set<ScriptPhase> WITH_RECIPIENT = EnumSet.of(ScriptPhase.RCPT, ScriptPhase.CONTENT);

    private ScriptReader() {}

    /// @param file for error messages
    /// @throws TomlMistake at the first mistake
    public static ServerScript read(String file, String text) {
        TomlSection root = TomlSection.of(file, text, "delay", TomlSection.Changes.NONE);
        Map<String, Integer> lines = new TreeMap<>();
        ServerForm form = form(section(root, "server", lines));
        ScriptLimits limits = limits(section(root, "limits", lines), section(root, "errors", lines));
        List<ScriptRule> rules = root.sections("rules").stream().map(ScriptReader::rule).toList();
        List<HttpRule> http = root.sections("http").stream().map(ScriptReader::httpRule).toList();
        ServerScript script = new ServerScript(file, root.text("title").orElse(file), root.text("source").orElse(""),
                root.count("seed", Long.MIN_VALUE, Long.MAX_VALUE, 1), form, limits, rules, http, lines);
        root.end();
        return script;
    }

    private static TomlSection section(TomlSection root, String name, Map<String, Integer> lines) {
        TomlSection section = root.section(name).orElseGet(() -> TomlSection.empty(name));
        lines.putAll(section.lines());
        return section;
    }

    // ---- the server

    private static ServerForm form(TomlSection section) {
        String name = section.text("name").orElse("sink.example");
        if (!NAME.matcher(name).matches()) {
            throw section.wrong("name", "= \"" + name + "\" is not a host name; write for example \"mx.example.com\"");
        }
        boolean lmtp = section.oneOf("protocol", Map.of("smtp", false, "lmtp", true)).orElse(false);
        DataSize size = section.size("size-limit").orElse(ServerForm.USUAL_SIZE);
        PipeliningForm pipelining = section.oneOf("pipelining", PipeliningForm.byWord())
                .orElse(PipeliningForm.HONEST);
        TlsBehaviour tls = section.oneOf("tls", TlsBehaviour.byWord()).orElse(TlsBehaviour.OFF);
        Duration accept = section.time("accept-delay").orElse(Duration.ZERO);
        ServerForm form = new ServerForm(name, lmtp, extensions(section, pipelining), size, pipelining, tls, accept);
        section.end();
        return form;
    }

    private static List<String> extensions(TomlSection section, PipeliningForm pipelining) {
        List<String> all = section.has("extensions") ? section.texts("extensions") : ServerForm.EXTENSIONS;
        all.stream().filter(line -> line.matches("(?i)(SIZE|STARTTLS)\\b.*")).findFirst().ifPresent(line -> {
            throw section.wrong("extensions", "has " + line + "; set size-limit or tls, which announce it");
        });
        Map<String, String> byKeyword = all.stream()
                .collect(Collectors.toMap(ServerForm::keyword, line -> line, (a, _) -> a, TreeMap::new));
        List<String> without = new ArrayList<>(section.someOf("without",
                byKeyword.keySet().stream().collect(Collectors.toMap(k -> k, k -> k))));
        if (pipelining == PipeliningForm.SECRET) {
            without.add("PIPELINING");
        }
        return all.stream().filter(line -> !without.contains(ServerForm.keyword(line))).toList();
    }

    private static ScriptLimits limits(TomlSection limits, TomlSection errors) {
        ScriptLimits read = new ScriptLimits(limit(limits, "connections"), limit(limits, "client-connections"),
                limit(limits, "connections-per-minute"), limit(limits, "client-connections-per-minute"),
                limits.oneOf("over", ScriptLimits.OverLimit.byWord()).orElse(ScriptLimits.OverLimit.REPLY),
                limits.text("over-reply").map(text -> replyText(limits, "over-reply", List.of(text)))
                        .orElse(ScriptLimits.TOO_MANY),
                limit(limits, "messages-per-connection"), limit(limits, "recipients-per-message"),
                limit(errors, "soft-limit"), errors.time("delay").orElse(Duration.ZERO), limit(errors, "hard-limit"));
        limits.end();
        errors.end();
        return read;
    }

    private static int limit(TomlSection section, String key) {
        return section.count(key).orElse(Integer.MAX_VALUE);
    }

    // ---- rules

    private static ScriptRule rule(TomlSection table) {
        List<ScriptPhase> on = phases(table);
        Matching when = matching(table, on);
        Counting count = counting(table);
        Reaction reaction = reaction(table, !when.greylist().isZero());
        ScriptRule rule = new ScriptRule(table.text("name").orElse("rule at line " + table.line()), table.line(),
                Set.copyOf(on), when, count, reaction);
        table.end();
        return rule;
    }

    private static List<ScriptPhase> phases(TomlSection table) {
        Map<String, List<ScriptPhase>> choices = new TreeMap<>();
        ScriptPhase.byWord().forEach((word, phase) -> choices.put(word, List.of(phase)));
        choices.put("any", Arrays.asList(ScriptPhase.values()));
        List<ScriptPhase> on = table.someOf("on", choices).stream().flatMap(List::stream).toList();
        if (on.isEmpty()) {
            throw table.wrong("the rule has no phase; add on = \"rcpt\", or on = \"any\"");
        }
        return on;
    }

    private static Matching matching(TomlSection table, List<ScriptPhase> on) {
        Optional<TextPattern> recipient = table.text("recipient").map(TextPattern::new);
        Duration greylist = table.time("greylist").orElse(Duration.ZERO);
        if (recipient.isPresent() && on.stream().noneMatch(WITH_RECIPIENT::contains)) {
            throw table.wrong("recipient", "is not known in this phase; write on = \"rcpt\" or on = \"content\"");
        }
        if (!greylist.isZero() && !on.equals(List.of(ScriptPhase.RCPT))) {
            throw table.wrong("greylist", "needs client, sender and recipient; write on = \"rcpt\"");
        }
        Optional<Duration> until = table.time("until");
        Duration from = table.time("from").orElse(Duration.ZERO);
        if (until.isPresent() && until.get().compareTo(from) <= 0) {
            throw table.wrong("until", "is not after from; make until later than from");
        }
        return new Matching(table.text("client").map(TextPattern::new), table.text("helo").map(TextPattern::new),
                table.text("sender").map(TextPattern::new), recipient, from, until, greylist);
    }

    private static Counting counting(TomlSection table) {
        return new Counting(table.oneOf("of", CountOf.byWord()).orElse(CountOf.CASES), table.count("nth"),
                table.count("every"), table.count("first"), table.count("after"), table.share("chance", 1));
    }

    private static Reaction reaction(TomlSection table, boolean greylists) {
        Optional<String> reply = table.has("reply")
                ? Optional.of(replyText(table, "reply", table.texts("reply")))
                : greylists ? Optional.of(GREYLISTED) : Optional.empty();
        After after = after(table).orElse(After.CONTINUE);
        long closeAfter = table.size("close-after").map(DataSize::bytes).orElse(-1L);
        Duration delay = table.time("delay").orElse(Duration.ZERO);
        OctetPace drip = pace(table, "drip");
        OctetPace read = pace(table, "read");
        // An end without a reply is only that end.
        Optional<String> sent = reply.isEmpty() && after != After.CONTINUE ? Optional.of("") : reply;
        Reaction reaction = new Reaction(sent, delay, drip, read, closeAfter, false, after);
        if (reaction.equals(Reaction.USUAL)) {
            throw table.wrong("the rule does nothing; add reply, delay, drip, read, close-after or then");
        }
        return reaction;
    }

    // ---- the web server

    private static HttpRule httpRule(TomlSection table) {
        Counting count = counting(table);
        if (count.of() != CountOf.CASES) {
            throw table.wrong("of", "has no meaning here; a rule counts the requests");
        }
        After after = after(table).orElse(After.CLOSE);
        boolean onlyEnds = table.has("then") && !table.has("status");
        SinkAnswer answer = new SinkAnswer(onlyEnds ? 0 : (int) table.count("status", 200, 599, 204),
                table.has("headers") ? headers(table) : List.of(),
                table.size("body").map(DataSize::bytes).orElse(0L),
                table.oneOf("fault", HttpFault.byWord()).orElse(HttpFault.NONE),
                table.time("delay").orElse(Duration.ZERO), pace(table, "drip"), after);
        HttpRule rule = new HttpRule(table.line(), count, answer);
        table.end();
        return rule;
    }

    private static List<String> headers(TomlSection table) {
        List<String> lines = table.texts("headers");
        lines.stream().filter(line -> !HEADER.matcher(line).matches()).findFirst().ifPresent(line -> {
            throw table.wrong("headers", "has \"" + line + "\"; write for example \"Retry-After: 30\"");
        });
        return lines;
    }

    private static Optional<After> after(TomlSection table) {
        return table.oneOf("then", Map.of("close", After.CLOSE, "reset", After.RESET, "stall", After.STALL));
    }

    private static OctetPace pace(TomlSection table, String key) {
        return table.section(key).map(inner -> {
            OctetPace pace = new OctetPace(inner.count("octets").orElse(1),
                    inner.time("every").orElse(Duration.ofSeconds(1)));
            inner.end();
            return pace;
        }).orElse(OctetPace.FULL);
    }

    /// The lines of a reply; the code of the first one stands before each of them (RFC 5321 section
    /// 4.2.1).
    private static String replyText(TomlSection table, String key, List<String> written) {
        List<String> lines = written.stream().flatMap(String::lines).toList();
        String first = lines.isEmpty() ? "" : lines.getFirst();
        String code = first.substring(0, Math.min(3, first.length()));
        if (!CODE.matcher(code).matches() || first.length() > 3 && " -".indexOf(first.charAt(3)) < 0) {
            throw table.wrong(key, "= \"" + first + "\" does not begin with a code; write for example \"450 4.2.1 "
                    + "Mailbox busy\"");
        }
        StringBuilder reply = new StringBuilder();
        for (int i = 0; i < lines.size(); i++) {
            String text = lines.get(i).matches(code + "([ -].*)?")
                    ? lines.get(i).substring(Math.min(4, lines.get(i).length()))
                    : lines.get(i);
            if (text.length() > LONGEST_TEXT) {
                throw table.wrong(key, "has a line of more than " + LONGEST_TEXT
                        + " characters; write a list of several lines");
            }
            reply.append(i == 0 ? "" : "\r\n").append(code).append(i == lines.size() - 1 ? ' ' : '-').append(text);
        }
        return reply.toString();
    }
}
