package org.slipstream.events.feedback;

import org.slipstream.core.Content;
import org.slipstream.core.Reply;
import org.slipstream.core.ReplyPattern;
import org.slipstream.core.text.Ascii;
import org.slipstream.core.text.Controls;
import org.slipstream.events.bounce.BounceClass;
import org.slipstream.events.bounce.BounceClasses;
import org.slipstream.events.feedback.ReturnedReport.ReportMeaning;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the reports that come back about mail of this server: complaints (ARF, RFC 5965), reports of deliveries (RFC
/// 3464), and the free forms of both.
///
/// **Lines, not parts.** A report has three things that count: its type, a few fields of a report, and the trace in
/// the returned header. Each of them stands at the beginning of a line, however deep its part lies, and their order is
/// that of the forms. So the reader goes over the lines once and builds no tree of parts: a report with 10,000 nested
/// parts costs no more than another one, and parts that a provider puts together wrongly do no harm.
///
/// **The trace decides.** Only a message whose trace this server sealed is meant, whatever else the report says. A
/// trace in the header of the report itself does not count: that message is one of ours, and not about one.
///
/// | Bound | |
/// |---|---|
/// | octets that are read | [#MOST_OCTETS] |
/// | octets of a line | [#LONGEST_LINE]; the rest of it is passed over |
/// | lines of a field | [#MOST_FOLDS] |
/// | traces that are opened | [#MOST_TRACES] |
public final class ReportReader {
    /// The returned header comes behind a text and a few fields. Returned attachments come behind it.
    static final int MOST_OCTETS = 1 << 20;
    static final int LONGEST_LINE = 2_000;
    static final int MOST_FOLDS = 60;
    static final int MOST_TRACES = 20;
    /// Of the text in front of the returned header, in a free form.
    private static final int MOST_WORDS = 4_000;
    private static final int LONGEST_NAME = 255;
    private static final Set<String> WISHES = Set.of("abuse", "fraud", "virus", "other", "opt-out", "opt-out-list",
            "miscategorized");
    private static final Set<String> OF_REPORTS = Set.of("feedback-type", "action", "status", "diagnostic-code",
            "reporting-mta", "user-agent", "original-recipient", "final-recipient");
    private static final Set<String> OF_RECIPIENT = Set.of("status", "diagnostic-code");
    private static final Pattern FIELD = Pattern.compile("(?<name>[A-Za-z][A-Za-z0-9-]{0,60})[ \\t]*:(?<value>.*)");
    /// Programs that quote put these in front of each line.
    private static final Pattern QUOTED = Pattern.compile("^[> ]{1,8}(?=" + MailTrace.FIELD + ":)",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern CODED = Pattern
            .compile("(?m)(?:^[ \\t]*|: )(?<reply>5\\d\\d[ -](?:5\\.\\d{1,3}\\.\\d{1,3}[ :]|\\D).{0,900})");
    private static final Pattern STATUS = Pattern.compile("(?<class>[245])\\.(?<rest>\\d{1,3}\\.\\d{1,3})(?!\\d).*");
    private static final Pattern REPORT_TYPE = Pattern.compile("report-type[ \\t]*=[ \\t]*\"?(?<type>[a-z-]{1,40})");

    private final Function<String, Optional<MailTrace>> traces;
    private final BounceClasses classes;

    /// @param classes for the words of free forms
    public ReportReader(SealedText seal, BounceClasses classes) {
        this.traces = value -> MailTrace.of(seal, value);
        this.classes = classes;
    }

    /// The report in a message; empty when it says nothing that counts about a message of ours.
    ///
    /// @param fromNobody the sender of its envelope is null, as that of a report of a server
    public Optional<ReturnedReport> read(Content content, boolean fromNobody) throws IOException {
        try (InputStream in = content.open()) {
            ReportLines lines = new ReportLines(in);
            Map<String, String> header = header(lines);
            return new Body(fromNobody, header).read(lines);
        }
    }

    /// The fields of the report itself that count, the first of each name.
    private static Map<String, String> header(ReportLines lines) throws IOException {
        Map<String, String> fields = new HashMap<>();
        for (Optional<String> line = lines.next(); line.isPresent() && !line.get().isEmpty(); line = lines.next()) {
            Matcher field = FIELD.matcher(line.get());
            if (field.matches()) {
                fields.putIfAbsent(Ascii.lower(field.group("name")),
                        Ascii.lower(lines.unfolded(field.group("value"), "")));
            }
        }
        return fields;
    }

    private final class Body {
        private final boolean fromNobody;
        private final Map<String, String> header;
        private final String type;
        private final Map<String, String> found = new HashMap<>();
        private final StringBuilder words = new StringBuilder();
        private boolean failed;

        Body(boolean fromNobody, Map<String, String> header) {
            this.fromNobody = fromNobody;
            this.header = header;
            Matcher match = REPORT_TYPE.matcher(header.getOrDefault("content-type", ""));
            type = match.find() ? match.group("type") : "";
        }

        Optional<ReturnedReport> read(ReportLines lines) throws IOException {
            int opened = 0;
            for (Optional<String> line = lines.next(); line.isPresent() && opened < MOST_TRACES; line = lines
                    .next()) {
                Matcher mark = QUOTED.matcher(line.get());
                String quote = mark.find() ? mark.group() : "";
                String text = line.get().substring(quote.length());
                Matcher field = FIELD.matcher(text);
                if (!field.matches()) {
                    word(text);
                } else if (field.group("name").equalsIgnoreCase(MailTrace.FIELD)) {
                    opened++;
                    Optional<MailTrace> trace = traces.apply(lines.unfolded(field.group("value"), quote));
                    if (trace.isPresent()) {
                        return meaning().map(meaning -> new ReturnedReport(trace.get(), meaning, reporter()));
                    }
                } else if (OF_REPORTS.contains(Ascii.lower(field.group("name")))) {
                    ofReport(Ascii.lower(field.group("name")), lines.unfolded(field.group("value"), ""));
                } else {
                    word(text);
                }
            }
            return Optional.empty();
        }

        /// The fields of a report stand in groups, one for each recipient, that begin with its address. Those of the
        /// first that failed count.
        private void ofReport(String name, String value) {
            switch (name) {
                case "original-recipient", "final-recipient" -> {
                    if (!failed) {
                        found.keySet().removeAll(OF_RECIPIENT);
                    }
                }
                case "action" -> failed |= Ascii.lower(value).startsWith("failed");
                default -> found.putIfAbsent(name, value);
            }
        }

        private void word(String text) {
            if (words.length() < MOST_WORDS) {
                words.append(text, 0, Math.min(text.length(), MOST_WORDS - words.length())).append('\n');
            }
        }

        private Optional<ReportMeaning> meaning() {
            return switch (type) {
                case "feedback-report" -> complaint(Ascii.lower(found.getOrDefault("feedback-type", "other")));
                case "delivery-status" ->
                    failed ? Optional.of(new ReportMeaning.Failure(ofFields())) : Optional.empty();
                case "" -> free();
                default -> Optional.empty();
            };
        }

        private Optional<ReportMeaning> complaint(String word) {
            return WISHES.contains(word) ? Optional.of(new ReportMeaning.Complaint(word)) : Optional.empty();
        }

        /// A program that answers by itself quotes what it answers; it neither complains nor fails. A server that
        /// reports in words says in them what has failed.
        private Optional<ReportMeaning> free() {
            if (fromNobody) {
                return ofWords().map(ReportMeaning.Failure::new);
            }
            boolean automatic = !header.getOrDefault("auto-submitted", "no").startsWith("no");
            return automatic ? Optional.empty() : complaint("other");
        }

        private Optional<Reply> ofWords() {
            Matcher coded = CODED.matcher(words);
            Optional<Reply> reply = coded.find()
                    ? ReplyPattern.reply(coded.group("reply").strip())
                    : Optional.empty();
            if (reply.isPresent()) {
                return reply;
            }
            // 554 says nothing by itself, so the words decide.
            Reply told = Reply.of(554, Controls.onOneLine(words.toString().replaceAll("\\s+", " ").strip()))
                    .shortened();
            BounceClass why = classes.of(told);
            return why == BounceClass.UNCATEGORIZED || why == BounceClass.TRANSIENT_FAILURE
                    ? Optional.empty()
                    : Optional.of(told);
        }

        private Reply ofFields() {
            Matcher given = STATUS.matcher(found.getOrDefault("status", "").strip());
            // A temporary failure that became final: the message was too old there (RFC 3463 section 3.5).
            String status = !given.matches()
                    ? "5.0.0"
                    : given.group("class").equals("4") ? "5.4.7" : "5." + given.group("rest");
            String text = found.getOrDefault("diagnostic-code", "").replaceFirst("^[ \\t]*[A-Za-z0-9-]{1,20};", "")
                    .strip();
            return ReplyPattern.reply(text).filter(Reply::isPermanent)
                    .map(reply -> reply.status().isPresent()
                            ? reply
                            : Reply.of(reply.code(), status, reply.text()).shortened())
                    .orElseGet(() -> Reply.of(554, status, text.isEmpty() ? "the report has no text" : text)
                            .shortened());
        }

        private String reporter() {
            String name = found.getOrDefault("reporting-mta", found.getOrDefault("user-agent", ""))
                    .replaceFirst("^[ \\t]*dns;", "").strip();
            return Controls.onOneLine(name.substring(0, Math.min(LONGEST_NAME, name.length())));
        }
    }

    /// The lines of a message, each as long as the bound at most. One character for each octet.
    private static final class ReportLines {
        private final InputStream in;
        private final byte[] block = new byte[16 << 10];
        private int at;
        private int length;
        private int left = MOST_OCTETS;
        private Optional<String> ahead = Optional.empty();

        ReportLines(InputStream in) {
            this.in = in;
        }

        Optional<String> next() throws IOException {
            if (ahead.isPresent()) {
                Optional<String> line = ahead;
                ahead = Optional.empty();
                return line;
            }
            StringBuilder line = new StringBuilder();
            boolean any = false;
            for (int octet = octet(); octet >= 0; octet = octet()) {
                any = true;
                if (octet == '\n') {
                    break;
                }
                if (line.length() < LONGEST_LINE) {
                    line.append((char) octet);
                }
            }
            int end = line.length();
            return any
                    ? Optional
                            .of(end > 0 && line.charAt(end - 1) == '\r' ? line.substring(0, end - 1) : line.toString())
                    : Optional.empty();
        }

        private int octet() throws IOException {
            if (at == length) {
                length = left <= 0 ? -1 : in.read(block, 0, Math.min(block.length, left));
                at = 0;
                if (length <= 0) {
                    length = 0;
                    left = 0;
                    return -1;
                }
                left -= length;
            }
            return block[at++] & 0xff;
        }

        /// The value of a field with its further lines.
        ///
        /// @param quote in front of each line
        String unfolded(String first, String quote) throws IOException {
            List<String> lines = new ArrayList<>(List.of(first.strip()));
            Optional<String> line = next();
            for (; line.isPresent() && isFolded(line.get(), quote) && lines.size() < MOST_FOLDS; line = next()) {
                lines.add(line.get().substring(quote.length()).strip());
            }
            ahead = line;
            return new String(String.join(" ", lines).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        }

        private static boolean isFolded(String line, String quote) {
            return line.length() > quote.length() && line.startsWith(quote)
                    && (line.charAt(quote.length()) == ' ' || line.charAt(quote.length()) == '\t');
        }
    }
}
