package org.slipstream.server.report;

import org.slipstream.core.text.Ascii;
import org.slipstream.core.text.Controls;
import org.slipstream.core.text.Nearest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The text of a kind of report: a subject, and lines with variables as in `${hostname}`. A
/// template that was read has no unknown variable and names the recipients.
///
/// ```
/// Subject: Your message is delayed
///                                         an empty line
/// Delivery will be tried again until ${retry-until}.
/// ${recipients}                           a line of its own
/// ```
record ReportTemplate(String subject, List<String> lines) {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^}]*)\\}");
    private static final String SUBJECT = "Subject:";
    private static final String RECIPIENTS = "${recipients}";
    private static final int LONGEST_SUBJECT = 200;
    /// Bytes of an encoded word of at most 75 characters (RFC 2047 section 2).
    private static final int ENCODED_PIECE = 45;

    ReportTemplate {
        lines = List.copyOf(lines);
    }

    /// The values that a template can name.
    enum Variable {
        HOSTNAME, POSTMASTER, SENDER, QUEUE, ARRIVAL, RETRY_UNTIL, COUNT, RECIPIENTS;

        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        static Optional<Variable> of(String word) {
            return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst();
        }
    }

    /// Reads a template.
    ///
    /// @param name of the file, for the mistakes
    /// @param mistakes gets a sentence for each
    static Optional<ReportTemplate> read(String name, List<String> text, List<String> mistakes) {
        int before = mistakes.size();
        if (text.isEmpty() || !text.getFirst().startsWith(SUBJECT)
                || text.getFirst().length() > LONGEST_SUBJECT || text.size() < 2 || !text.get(1).isBlank()) {
            mistakes.add(name + ":1: a template begins with \"Subject: text\" of at most " + LONGEST_SUBJECT
                    + " characters, and an empty line");
        }
        for (int i = 0; i < text.size(); i++) {
            String place = name + ":" + (i + 1) + ": ";
            unknown(text.get(i), i == 0).ifPresent(mistake -> mistakes.add(place + mistake));
            if (Controls.in(text.get(i).replace('\t', ' '))) {
                mistakes.add(place + "a control character");
            }
        }
        if (text.stream().noneMatch(line -> line.strip().equals(RECIPIENTS))) {
            mistakes.add(name + ": a line with only " + RECIPIENTS + " is missing: the report must name them");
        }
        return mistakes.size() > before
                ? Optional.empty()
                : Optional.of(new ReportTemplate(text.getFirst().substring(SUBJECT.length()).strip(),
                        text.subList(2, text.size())));
    }

    private static Optional<String> unknown(String line, boolean subject) {
        Matcher found = VARIABLE.matcher(line);
        while (found.find()) {
            String word = found.group(1);
            Optional<Variable> known = Variable.of(word);
            if (known.isEmpty()) {
                List<String> words = Arrays.stream(Variable.values()).map(Variable::word).toList();
                return Optional.of("unknown variable ${" + word + "}"
                        + Nearest.to(word, words).map(near -> "; did you mean ${" + near + "}?").orElse("") + " Known: "
                        + words.stream().map(each -> "${" + each + "}").collect(Collectors.joining(", ")));
            }
            if (known.get() == Variable.RECIPIENTS && (subject || !line.strip().equals(RECIPIENTS))) {
                return Optional.of(RECIPIENTS + " stands on a line of its own");
            }
        }
        return line.replaceAll(VARIABLE.pattern(), "").contains("${")
                ? Optional.of("a variable without its closing }")
                : Optional.empty();
    }

    /// The subject as a header field holds it (RFC 2047).
    String subject(DeliveryReport report) {
        String text = filled(subject, report);
        if (Ascii.is(text)) {
            return text;
        }
        List<String> words = new ArrayList<>();
        StringBuilder piece = new StringBuilder();
        text.codePoints().mapToObj(Character::toString).forEach(each -> {
            if ((piece + each).getBytes(StandardCharsets.UTF_8).length > ENCODED_PIECE) {
                words.add(encoded(piece.toString()));
                piece.setLength(0);
            }
            piece.append(each);
        });
        words.add(encoded(piece.toString()));
        return String.join(" ", words);
    }

    private static String encoded(String piece) {
        return "=?UTF-8?B?" + Base64.getEncoder().encodeToString(piece.getBytes(StandardCharsets.UTF_8)) + "?=";
    }

    /// The lines with the values of the report. The values come from others and have no invisible
    /// characters; the lines of the template stay as they are, because some scripts need joiners.
    ///
    /// @param recipients lines in place of `${recipients}`
    List<String> text(DeliveryReport report, List<String> recipients) {
        return lines.stream()
                .flatMap(line -> line.strip().equals(RECIPIENTS)
                        ? recipients.stream().map(Controls::replaced)
                        : Stream.of(filled(line, report)))
                .toList();
    }

    private static String filled(String line, DeliveryReport report) {
        return VARIABLE.matcher(line).replaceAll(found -> Matcher
                .quoteReplacement(Controls.replaced(value(Variable.of(found.group(1)).orElseThrow(), report))));
    }

    private static String value(Variable variable, DeliveryReport report) {
        return switch (variable) {
            case HOSTNAME -> report.hostname();
            case POSTMASTER -> report.postmaster().toString();
            case SENDER -> report.sender().toString();
            case QUEUE -> report.message().summary().id().toString();
            case ARRIVAL -> report.written(report.arrival());
            case RETRY_UNTIL -> report.written(report.retryUntil());
            case COUNT -> Integer.toString(report.about().size());
            case RECIPIENTS -> "";
        };
    }
}
