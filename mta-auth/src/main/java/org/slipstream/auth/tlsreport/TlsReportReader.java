package org.slipstream.auth.tlsreport;

import org.slipstream.auth.report.ReportFile;
import org.slipstream.auth.report.ReportSource;
import org.slipstream.auth.tlsreport.ReportedTlsPolicy.PolicyKind;
import org.slipstream.auth.tlsreport.TlsReport.FailureCount;
import org.slipstream.auth.tlsreport.TlsReport.PolicyCounts;
import org.slipstream.auth.tlsreport.TlsReport.ReportedTlsFailure;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Reads a TLS report (RFC 8460 section 4.4): JSON in a [ReportFile].
///
/// A report may come from a stranger, so it has the bounds of the table. Unknown fields are passed
/// over, a value that is missing is an empty text, and a text is one line.
///
/// | What | Most |
/// |---|---|
/// | octets of the JSON, after unpacking | 32 MiB |
/// | values inside each other | 16 |
/// | policies; failures in all | 1,000; 50,000 |
/// | strings of a policy; octets of a text; the rest is cut | 50; 300 |
public final class TlsReportReader {
    static final int MOST_POLICIES = 1_000;
    static final int MOST_FAILURES = 50_000;
    private static final int DEEPEST = 16;
    private static final int LONGEST_VALUE = 1 << 20;
    private static final long LAST_SECOND = 253_402_300_799L;
    private static final int MARK = 0xfeff;
    /// The example in the RFC's appendix B has a line end inside of a text.
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
            .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(DEEPEST)
                    .maxStringLength(LONGEST_VALUE).build())
            .build();

    private final JsonParser json;
    private int failures;

    private TlsReportReader(JsonParser json) {
        this.json = json;
    }

    /// The result of [#read].
    public sealed interface TlsReading {
        record Good(TlsReport report) implements TlsReading {}

        /// @param what a sentence
        record Wrong(String what) implements TlsReading {}
    }

    /// The text is no report.
    private static final class NoReport extends Exception {
        private static final long serialVersionUID = 1;

        NoReport(String why) {
            super(why);
        }
    }

    /// @param file see [ReportFile#read]
    public static TlsReading read(byte[] file) {
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(ReportFile.unpacked(file), StandardCharsets.UTF_8))) {
            in.mark(1);
            if (in.read() != MARK) {
                in.reset();
            }
            try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), in)) {
                return new TlsReading.Good(new TlsReportReader(json).report());
            }
        } catch (JacksonException wrong) {
            return wrong(wrong.getOriginalMessage());
        } catch (NoReport | IOException wrong) {
            return wrong(Objects.requireNonNullElse(wrong.getMessage(), "it cannot be unpacked"));
        }
    }

    private static TlsReading wrong(String why) {
        return new TlsReading.Wrong("the file is no report: " + ReportedTlsPolicy.line(why));
    }

    private TlsReport report() throws NoReport {
        Map<String, String> head = new HashMap<>();
        List<PolicyCounts> policies = new ArrayList<>();
        json.nextToken();
        members(name -> {
            switch (name) {
                case "organization-name", "contact-info", "report-id" -> head.put(name, text());
                case "date-range" -> members(end -> {
                    if (end.equals("start-datetime") || end.equals("end-datetime")) {
                        head.put(end, text());
                    } else {
                        json.skipChildren();
                    }
                });
                case "policies" -> items(() -> {
                    if (policies.size() >= MOST_POLICIES) {
                        throw new NoReport("it has more than " + MOST_POLICIES + " policies");
                    }
                    policies.add(policy());
                });
                default -> json.skipChildren();
            }
        });
        if (!head.containsKey("organization-name") && !head.containsKey("report-id") || policies.isEmpty()) {
            throw new NoReport("it has no reporter or no policies");
        }
        return new TlsReport(new ReportSource(head.getOrDefault("organization-name", ""),
                head.getOrDefault("contact-info", ""), head.getOrDefault("report-id", ""),
                time(head.getOrDefault("start-datetime", "")), time(head.getOrDefault("end-datetime", "")),
                Optional.empty()), policies);
    }

    private PolicyCounts policy() throws NoReport {
        Map<String, String> texts = new HashMap<>();
        Map<String, Long> sums = new HashMap<>();
        List<String> strings = new ArrayList<>();
        List<String> hosts = new ArrayList<>();
        List<FailureCount> found = new ArrayList<>();
        members(name -> {
            switch (name) {
                case "policy" -> members(field -> {
                    switch (field) {
                        case "policy-type", "policy-domain" -> texts.put(field, text());
                        case "policy-string" -> strings(strings);
                        case "mx-host" -> strings(hosts);
                        default -> json.skipChildren();
                    }
                });
                case "summary" -> members(field -> {
                    long number = number();
                    if (field.startsWith("total-")) {
                        sums.put(field.startsWith("total-succ") ? "good" : "bad", number);
                    }
                });
                case "failure-details" -> items(() -> {
                    failures++;
                    if (failures > MOST_FAILURES) {
                        throw new NoReport("it has more than " + MOST_FAILURES + " failures");
                    }
                    found.add(failure());
                });
                default -> json.skipChildren();
            }
        });
        String type = texts.getOrDefault("policy-type", "");
        PolicyKind kind = PolicyKind.of(type).orElseThrow(() -> new NoReport("the type of policy \"" + type
                + "\" is unknown"));
        return new PolicyCounts(new ReportedTlsPolicy(kind, texts.getOrDefault("policy-domain", ""), strings, hosts),
                sums.getOrDefault("good", 0L), sums.getOrDefault("bad", 0L), found);
    }

    private FailureCount failure() throws NoReport {
        Map<String, String> texts = new HashMap<>();
        long[] count = new long[1];
        members(name -> {
            switch (name) {
                case "result-type", "sending-mta-ip", "receiving-mx-hostname", "receiving-ip", "additional-information",
                        "failure-reason-code" ->
                    texts.put(name, text());
                case "failed-session-count" -> count[0] = number();
                default -> json.skipChildren();
            }
        });
        return new FailureCount(new ReportedTlsFailure(texts.getOrDefault("result-type", ""),
                texts.getOrDefault("receiving-mx-hostname", ""), texts.getOrDefault("sending-mta-ip", ""),
                texts.getOrDefault("receiving-ip", ""), texts.getOrDefault("failure-reason-code",
                        texts.getOrDefault("additional-information", ""))),
                count[0]);
    }

    @FunctionalInterface
    private interface Member {
        /// The parser stands on the value.
        void read(String name) throws NoReport;
    }

    @FunctionalInterface
    private interface Item {
        void read() throws NoReport;
    }

    /// A value that is no object is passed over.
    private void members(Member member) throws NoReport {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            json.skipChildren();
            return;
        }
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = json.currentName();
            json.nextToken();
            member.read(name);
        }
    }

    private void items(Item item) throws NoReport {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            json.skipChildren();
            return;
        }
        while (json.nextToken() != JsonToken.END_ARRAY) {
            item.read();
        }
    }

    /// Some reporters write one text instead of a list.
    private void strings(List<String> into) throws NoReport {
        Item one = () -> {
            String text = text();
            if (into.size() < ReportedTlsPolicy.MOST_TEXTS) {
                into.add(text);
            }
        };
        if (json.currentToken() == JsonToken.VALUE_STRING) {
            one.read();
        } else {
            items(one);
        }
    }

    private String text() {
        if (json.currentToken() == JsonToken.VALUE_STRING) {
            return ReportedTlsPolicy.line(json.getString());
        }
        json.skipChildren();
        return "";
    }

    /// Zero for a value that is no sensible number.
    private long number() {
        if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            json.skipChildren();
            return 0;
        }
        String digits = json.getString();
        return digits.matches("[0-9]{1,12}") ? Long.parseLong(digits) : 0;
    }

    private static Instant time(String text) {
        try {
            Instant time = OffsetDateTime.parse(text).toInstant();
            return time.getEpochSecond() < 0 || time.getEpochSecond() > LAST_SECOND ? Instant.EPOCH : time;
        } catch (DateTimeException wrong) {
            return Instant.EPOCH;
        }
    }
}
