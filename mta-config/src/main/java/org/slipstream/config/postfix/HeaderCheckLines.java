package org.slipstream.config.postfix;

import org.slipstream.config.postfix.ImportDraft.ImportedFile;
import org.slipstream.config.postfix.ImportDraft.RemarkKind;
import org.slipstream.config.postfix.MainCf.PostfixSetting;
import org.slipstream.config.postfix.PostfixTable.PatternTable;
import org.slipstream.config.postfix.PostfixText.NoText;
import org.slipstream.config.postfix.PostfixText.TextLine;
import org.slipstream.guard.policy.HeaderChecks.Action;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The conversion of header_checks(5) into our file of header checks.
///
/// A pattern of Postfix is compared with a whole line, `Subject: text`, and ours with the value of one
/// field. So a line is converted when its pattern begins with `^Name:`, and told otherwise.
final class HeaderCheckLines {
    private static final String FILE = "header-checks";
    private static final Pattern LINE = Pattern
            .compile("(?<delimiter>[^\\w\\s])(?<pattern>.*?)(?<!\\\\)\\k<delimiter>(?<flags>\\w*)"
                    + "\\s+(?<action>\\w+)(?:\\s+(?<text>.*))?");
    private static final Pattern FIELD = Pattern
            .compile("\\^(?<name>[A-Za-z][A-Za-z0-9-]*):(?: \\*| \\+| |\\\\s[*+]?|\\[\\[:space:]][*+]?)*(?<rest>.*)");

    private HeaderCheckLines() {}

    static void translate(PostfixTable table, PostfixSetting checks, ImportDraft out) {
        if (!(table instanceof PatternTable patterns)) {
            out.notMapped(checks, "header checks are patterns: regexp: or pcre:");
            return;
        }
        try {
            List<String> lines = new ArrayList<>();
            for (TextLine line : PostfixText.lines(patterns.file())) {
                converted(line, checks, out).ifPresent(lines::add);
            }
            if (!lines.isEmpty()) {
                out.file(new ImportedFile(FILE, "# action field /pattern/ reply\n" + String.join("\n", lines) + "\n"));
                out.set("policy.header-checks", SimpleValues.quoted(FILE), checks.source());
            }
        } catch (NoText unreadable) {
            out.mistake(checks.place(), checks.name(), String.valueOf(unreadable.getMessage()));
        }
    }

    private static Optional<String> converted(TextLine line, PostfixSetting checks, ImportDraft out) {
        Matcher parts = LINE.matcher(line.text());
        Matcher field = FIELD.matcher(parts.matches() ? parts.group("pattern") : "");
        if (!parts.matches() || !field.matches()) {
            return told(line, checks, "the pattern does not begin with ^Name: of one field", out);
        }
        String word = parts.group("action").toUpperCase(Locale.ROOT);
        Optional<Action> action = Arrays.stream(Action.values()).filter(each -> each.postfixWord.equals(word))
                .findFirst();
        if (action.isEmpty()) {
            return told(line, checks, "the action " + word + " does not exist; there are "
                    + String.join(", ", Action.words()).replaceFirst(", (?=\\w+$)", " and "), out);
        }
        if (!parts.group("flags").matches("i?")) {
            return told(line, checks, "the flags " + parts.group("flags") + " do not exist", out);
        }
        String rest = field.group("rest");
        String anchored = rest.startsWith(".*") ? rest.substring(2) : "^" + rest;
        String pattern = anchored.replaceAll("(?<!\\\\)/", "\\\\/").replace("[[:space:]]", "\\s");
        String ignoreCase = parts.group("flags").isEmpty() ? "i" : "";
        String text = Optional.ofNullable(parts.group("text")).map(String::strip)
                .orElse(action.get() == Action.REJECT ? "Message content rejected" : "");
        return Optional.of((action.get().word() + " " + field.group("name") + " /" + pattern + "/" + ignoreCase + " "
                + text).strip());
    }

    private static Optional<String> told(TextLine line, PostfixSetting checks, String why, ImportDraft out) {
        out.remark(RemarkKind.NOT_MAPPED, line.place(), checks.name(), "\"" + MainCf.shortened(line.text()) + "\": "
                + why + " (docs/security.md)");
        return Optional.empty();
    }
}
