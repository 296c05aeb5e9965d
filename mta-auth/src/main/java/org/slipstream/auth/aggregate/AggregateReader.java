package org.slipstream.auth.aggregate;

import org.slipstream.auth.aggregate.AggregateReport.PublishedPolicy;
import org.slipstream.auth.aggregate.AggregateReport.ReportRow;
import org.slipstream.auth.aggregate.ReportedMessage.ReportedSignature;
import org.slipstream.auth.aggregate.ReportedMessage.ReportedSpf;
import org.slipstream.auth.report.ReportFile;
import org.slipstream.auth.report.ReportSource;
import org.slipstream.core.text.Controls;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipInputStream;

import javax.xml.XMLConstants;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/// Reads a report of RFC 9990 or RFC 7489: XML in a [ReportFile], as large providers send it.
///
/// A report may come by mail from a stranger, so nothing in it can make the reader large or slow: no
/// document type and so no entity, nothing from elsewhere, and the bounds of the table. Elements that
/// are unknown are passed over, and a value that is missing is an empty text.
///
/// | What | Most |
/// |---|---|
/// | octets of the XML, after unpacking | 32 MiB |
/// | rows | 50,000 |
/// | elements inside each other | 16 |
/// | values of a row, and before the rows; others are passed over | 64 |
/// | characters of a value; the rest is cut | 500 |
public final class AggregateReader {
    static final int MOST_ROWS = 50_000;
    private static final int DEEPEST = 16;
    private static final int MOST_VALUES = 64;
    private static final int LONGEST_TEXT = 500;
    private static final long LAST_SECOND = 253_402_300_799L;
    private static final String RECORD = "feedback/record";

    private final XMLStreamReader xml;
    private final Deque<String> path = new ArrayDeque<>();
    private final Map<String, String> head = new HashMap<>();
    private final List<ReportRow> rows = new ArrayList<>();
    /// Of the row that is read.
    private final Map<String, String> values = new HashMap<>();
    private final List<ReportedSignature> signatures = new ArrayList<>();

    private AggregateReader(XMLStreamReader xml) {
        this.xml = xml;
    }

    /// The result of [#read].
    public sealed interface ReportReading {
        record Good(AggregateReport report) implements ReportReading {}

        /// @param what a sentence
        record Wrong(String what) implements ReportReading {}
    }

    /// @param file see [ReportFile#read]
    public static ReportReading read(byte[] file) {
        // Octets that are no UTF-8 are replaced here: the parser would write about them to standard error.
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(ReportFile.unpacked(file), StandardCharsets.UTF_8))) {
            skipMark(in);
            XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
            factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
            factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
            factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
            return new AggregateReader(factory.createXMLStreamReader(in)).report();
        } catch (XMLStreamException | IOException wrong) {
            return new ReportReading.Wrong("the file is no report: "
                    + Controls.onOneLine(Objects.requireNonNullElse(wrong.getMessage(), "it cannot be unpacked")));
        }
    }

    /// Some reporters begin with a byte order mark.
    private static void skipMark(BufferedReader in) throws IOException {
        in.mark(1);
        if (in.read() != '\ufeff') {
            in.reset();
        }
    }

    private ReportReading report() throws XMLStreamException {
        StringBuilder text = new StringBuilder();
        while (xml.hasNext()) {
            switch (xml.next()) {
                case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE -> {
                    return new ReportReading.Wrong("the file is no report: it has a document type or entities");
                }
                case XMLStreamConstants.START_ELEMENT -> {
                    path.addLast(xml.getLocalName());
                    text.setLength(0);
                    if (path.size() > DEEPEST || rows.size() >= MOST_ROWS) {
                        return new ReportReading.Wrong("the report has more than " + MOST_ROWS + " rows, or more than "
                                + DEEPEST + " elements inside each other");
                    }
                }
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
                    int room = Math.min(LONGEST_TEXT - text.length(), xml.getTextLength());
                    text.append(xml.getTextCharacters(), xml.getTextStart(), room);
                }
                case XMLStreamConstants.END_ELEMENT -> {
                    end(text.toString().strip());
                    text.setLength(0);
                }
                default -> {
                }
            }
        }
        return made();
    }

    private void end(String text) {
        String place = String.join("/", path);
        path.removeLast();
        if (place.equals(RECORD)) {
            rows.add(row());
            values.clear();
            signatures.clear();
        } else if (place.equals(RECORD + "/auth_results/dkim")) {
            if (signatures.size() < ReportedMessage.MOST_SIGNATURES) {
                signatures.add(new ReportedSignature(value("auth_results/dkim/domain"),
                        value("auth_results/dkim/selector"), value("auth_results/dkim/result")));
            }
            values.keySet().removeIf(key -> key.startsWith("auth_results/dkim/"));
        } else if (place.startsWith(RECORD + "/")) {
            // A second value of the same name adds nothing that a reader is told.
            keep(values, place.substring(RECORD.length() + 1), text);
        } else {
            keep(head, place, text);
        }
    }

    private static void keep(Map<String, String> values, String name, String text) {
        if (values.size() < MOST_VALUES) {
            values.putIfAbsent(name, text);
        }
    }

    private ReportRow row() {
        Optional<String> spf = Optional.ofNullable(values.get("auth_results/spf/domain"));
        return new ReportRow(new ReportedMessage(value("row/source_ip"), value("row/policy_evaluated/disposition"),
                value("row/policy_evaluated/dkim").equals("pass"), value("row/policy_evaluated/spf").equals("pass"),
                Optional.ofNullable(values.get("row/policy_evaluated/reason/type")),
                value("identifiers/header_from"),
                Optional.ofNullable(values.get("identifiers/envelope_from")).filter(each -> !each.isEmpty()),
                signatures, spf.map(domain -> new ReportedSpf(domain, value("auth_results/spf/result")))),
                number(value("row/count")));
    }

    private String value(String name) {
        return values.getOrDefault(name, "");
    }

    private ReportReading made() {
        String domain = head("policy_published/domain");
        if (!head.containsKey("feedback/report_metadata/org_name") || domain.isEmpty() || rows.isEmpty()) {
            return new ReportReading.Wrong("the file is no report: it has no reporter, no policy or no rows");
        }
        return new ReportReading.Good(new AggregateReport(
                new ReportSource(head("report_metadata/org_name"), head("report_metadata/email"),
                        head("report_metadata/report_id"), time("begin"), time("end"),
                        optional("report_metadata/error")),
                new PublishedPolicy(domain, head("policy_published/p"), optional("policy_published/sp"),
                        optional("policy_published/np"), head("policy_published/adkim"),
                        head("policy_published/aspf"), head("policy_published/testing").equals("y")),
                rows));
    }

    private String head(String name) {
        return head.getOrDefault("feedback/" + name, "");
    }

    private Optional<String> optional(String name) {
        return Optional.of(head(name)).filter(text -> !text.isEmpty());
    }

    private Instant time(String name) {
        return Instant.ofEpochSecond(Math.min(LAST_SECOND, number(head("report_metadata/date_range/" + name))));
    }

    /// Zero for a text that is no number; at most twelve digits count.
    private static long number(String text) {
        return text.matches("[0-9]{1,12}") ? Long.parseLong(text) : 0;
    }
}
