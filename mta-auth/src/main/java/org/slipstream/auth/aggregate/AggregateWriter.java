package org.slipstream.auth.aggregate;

import org.slipstream.auth.aggregate.AggregateReport.PublishedPolicy;
import org.slipstream.auth.aggregate.AggregateReport.ReportRow;
import org.slipstream.auth.aggregate.ReportedMessage.ReportedSignature;
import org.slipstream.auth.report.ReportFile;
import org.slipstream.auth.report.ReportSource;
import org.slipstream.core.text.Controls;
import org.slipstream.core.text.Utf8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.zip.GZIPOutputStream;

import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/// Writes a report (RFC 9990 section 3). A report has 10,000
/// rows at most, those with the most messages; it says how many are left out. So a day of forged mail
/// from many addresses makes a report of some megabytes, and a tenth of that when it is packed.
public final class AggregateWriter {
    static final String NAMESPACE = "urn:ietf:params:xml:ns:dmarc-2.0";
    static final int MOST_ROWS = 10_000;
    private static final int LONGEST_TEXT = 500;

    private final XMLStreamWriter xml;

    private AggregateWriter(XMLStreamWriter xml) {
        this.xml = xml;
    }

    /// The packed file.
    public static byte[] gzip(AggregateReport report) {
        return ReportFile.gzip(xml(report));
    }

    static byte[] xml(AggregateReport report) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out,
                    StandardCharsets.UTF_8.name());
            new AggregateWriter(xml).report(report);
            xml.close();
        } catch (XMLStreamException impossible) {
            throw new IllegalStateException(impossible);
        }
        return out.toByteArray();
    }

    private void report(AggregateReport report) throws XMLStreamException {
        List<ReportRow> rows = report.rows().stream()
                .sorted(Comparator.comparingLong(ReportRow::count).reversed()).limit(MOST_ROWS).toList();
        xml.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
        open("feedback");
        xml.writeDefaultNamespace(NAMESPACE);
        element("version", "1.0");
        origin(report.source(), report.rows().size() - rows.size());
        policy(report.policy());
        for (ReportRow row : rows) {
            row(row);
        }
        close();
        xml.writeEndDocument();
    }

    private void origin(ReportSource origin, int leftOut) throws XMLStreamException {
        open("report_metadata");
        element("org_name", origin.organization());
        element("email", origin.contact());
        element("report_id", origin.id());
        open("date_range");
        element("begin", String.valueOf(origin.begin().getEpochSecond()));
        element("end", String.valueOf(origin.end().getEpochSecond()));
        close();
        String error = origin.error().orElse("") + (leftOut > 0 ? " " + leftOut + " rows are left out" : "");
        if (!error.isEmpty()) {
            element("error", error.strip());
        }
        element("generator", "Slipstream");
        close();
    }

    private void policy(PublishedPolicy policy) throws XMLStreamException {
        open("policy_published");
        element("domain", policy.domain());
        element("discovery_method", "treewalk");
        element("p", policy.policy());
        if (policy.ofSubdomains().isPresent()) {
            element("sp", policy.ofSubdomains().get());
        }
        if (policy.ofMissing().isPresent()) {
            element("np", policy.ofMissing().get());
        }
        element("adkim", policy.dkimMode());
        element("aspf", policy.spfMode());
        element("testing", policy.testing() ? "y" : "n");
        close();
    }

    private void row(ReportRow row) throws XMLStreamException {
        ReportedMessage message = row.message();
        open("record");
        open("row");
        element("source_ip", message.source());
        element("count", String.valueOf(row.count()));
        open("policy_evaluated");
        element("disposition", message.disposition());
        element("dkim", ReportWords.passOrFail(message.dkimAligned()));
        element("spf", ReportWords.passOrFail(message.spfAligned()));
        if (message.override().isPresent()) {
            open("reason");
            element("type", message.override().get());
            close();
        }
        close();
        close();
        open("identifiers");
        element("header_from", message.author());
        element("envelope_from", message.envelope().orElse(""));
        close();
        open("auth_results");
        for (ReportedSignature each : message.signatures()) {
            open("dkim");
            element("domain", each.domain());
            element("selector", each.selector());
            element("result", each.result());
            close();
        }
        if (message.spf().isPresent()) {
            open("spf");
            element("domain", message.spf().get().domain());
            element("scope", "mfrom");
            element("result", message.spf().get().result());
            close();
        }
        close();
        close();
    }

    private void open(String name) throws XMLStreamException {
        xml.writeStartElement(name);
    }

    private void close() throws XMLStreamException {
        xml.writeEndElement();
    }

    /// XML has no form for most controls, so they are replaced.
    private void element(String name, String text) throws XMLStreamException {
        open(name);
        xml.writeCharacters(Controls.replaced(Utf8.beginning(text, LONGEST_TEXT)));
        close();
    }
}
