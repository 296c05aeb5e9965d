package org.slipstream.settings;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One manual page in roff, with the macros of man(7). The source is ASCII with short lines, so that
/// groff and mandoc render it alike and without warnings.
///
/// Texts come from the help of commands and from the sentences of settings. Markdown in them becomes
/// fonts: a word between backquotes and a word between two asterisks is bold.
public final class RoffPage {
    private static final int WIDTH = 78;
    private static final Pattern STRONG = Pattern.compile("`([^`]*)`|\\*\\*([^*]+)\\*\\*");
    private static final Pattern LINK = Pattern.compile("\\[([^\\]]+)\\]\\([^)]*\\)");

    private final StringBuilder page = new StringBuilder();
    /// A paragraph mark is permitted between paragraphs only.
    private boolean afterHeading;

    /// @param date of the build, as `2026-11-21`, so that two builds of one source are equal
    public RoffPage(String name, int section, String date, String title) {
        line(".TH " + argument(name.toUpperCase(Locale.ROOT)) + " " + section + " \"" + date + "\""
                + " \"Slipstream MTA\" " + argument(title));
        line(".nh");
        line(".ad l");
    }

    /// The first section, which `apropos` reads.
    public RoffPage name(String names, String summary) {
        return heading("NAME").raw(escaped(names) + " \\- " + escaped(withoutFullStop(summary)));
    }

    public RoffPage heading(String title) {
        line(".SH " + argument(title));
        afterHeading = true;
        return this;
    }

    /// A paragraph.
    public RoffPage text(String paragraph) {
        paragraph();
        return raw(fonts(paragraph));
    }

    /// A term and its explanation.
    public RoffPage entry(String term, List<String> explanation) {
        line(".TP");
        line("\\fB" + escaped(term) + "\\fR");
        raw(fonts(String.join(" ", explanation)));
        return this;
    }

    /// Lines as they are: a synopsis, examples.
    public RoffPage lines(List<String> lines) {
        paragraph();
        line(".nf");
        lines.forEach(each -> line(guarded(escaped(each.stripTrailing()))));
        line(".fi");
        return this;
    }

    /// The file.
    @Override
    public String toString() {
        return page.toString();
    }

    private void paragraph() {
        if (!afterHeading) {
            line(".PP");
        }
    }

    private RoffPage raw(String text) {
        StringBuilder line = new StringBuilder();
        for (String word : text.strip().split("\\s+")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > WIDTH) {
                line(guarded(line.toString()));
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        line(guarded(line.toString()));
        return this;
    }

    private void line(String line) {
        page.append(line).append('\n');
        afterHeading = false;
    }

    /// A line that begins with a dot or an apostrophe would be a request.
    private static String guarded(String line) {
        return line.startsWith(".") || line.startsWith("'") || line.isEmpty() ? "\\&" + line : line;
    }

    private static String fonts(String markdown) {
        String plain = LINK.matcher(markdown).replaceAll("$1");
        Matcher strong = STRONG.matcher(plain);
        StringBuilder text = new StringBuilder();
        int at = 0;
        while (strong.find()) {
            String inner = strong.group(1) == null ? strong.group(2) : strong.group(1);
            text.append(escaped(plain.substring(at, strong.start()))).append("\\fB").append(escaped(inner))
                    .append("\\fR");
            at = strong.end();
        }
        return text.append(escaped(plain.substring(at))).toString();
    }

    private static String withoutFullStop(String sentence) {
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    private static String argument(String text) {
        return "\"" + escaped(text).replace("\"", "\\(dq") + "\"";
    }

    /// Characters with a meaning in roff, and those outside of ASCII.
    private static String escaped(String text) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '\\' -> out.append("\\e");
                case '-' -> out.append("\\-");
                case '\'' -> out.append("\\(aq");
                case '`' -> out.append("\\(ga");
                case '^' -> out.append("\\(ha");
                case '~' -> out.append("\\(ti");
                default -> out.append(c < 127 ? Character.toString(c) : "\\[u%04X]".formatted(c));
            }
        });
        return out.toString();
    }
}
