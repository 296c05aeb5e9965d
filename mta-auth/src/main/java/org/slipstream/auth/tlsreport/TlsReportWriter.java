package org.slipstream.auth.tlsreport;

import org.slipstream.auth.report.ReportFile;
import org.slipstream.auth.report.ReportSource;
import org.slipstream.auth.tlsreport.TlsReport.FailureCount;
import org.slipstream.auth.tlsreport.TlsReport.PolicyCounts;
import org.slipstream.auth.tlsreport.TlsReport.ReportedTlsFailure;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Writes a TLS report as JSON (RFC 8460 section 4.4).
public final class TlsReportWriter {
    private static final JsonFactory JSON = new JsonFactory();

    private final JsonGenerator json;

    private TlsReportWriter(JsonGenerator json) {
        this.json = json;
    }

    /// The packed file.
    public static byte[] gzip(TlsReport report) {
        return ReportFile.gzip(json(report).getBytes(StandardCharsets.UTF_8));
    }

    static String json(TlsReport report) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            new TlsReportWriter(json).report(report);
        }
        return text.toString();
    }

    private void report(TlsReport report) {
        ReportSource source = report.source();
        json.writeStartObject();
        text("organization-name", source.organization());
        json.writeObjectPropertyStart("date-range");
        text("start-datetime", source.begin().toString());
        text("end-datetime", source.end().toString());
        json.writeEndObject();
        text("contact-info", source.contact());
        text("report-id", source.id());
        json.writeArrayPropertyStart("policies");
        report.policies().forEach(this::policy);
        json.writeEndArray();
        json.writeEndObject();
    }

    private void policy(PolicyCounts counts) {
        json.writeStartObject();
        json.writeObjectPropertyStart("policy");
        text("policy-type", counts.policy().kind().word());
        texts("policy-string", counts.policy().strings());
        text("policy-domain", counts.policy().domain());
        texts("mx-host", counts.policy().hosts());
        json.writeEndObject();
        json.writeObjectPropertyStart("summary");
        json.writeNumberProperty("total-successful-session-count", counts.succeeded());
        json.writeNumberProperty("total-failure-session-count", counts.failed());
        json.writeEndObject();
        if (!counts.failures().isEmpty()) {
            json.writeArrayPropertyStart("failure-details");
            counts.failures().forEach(this::failure);
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private void failure(FailureCount counted) {
        ReportedTlsFailure failure = counted.failure();
        json.writeStartObject();
        text("result-type", failure.type());
        known("sending-mta-ip", failure.from());
        known("receiving-mx-hostname", failure.host());
        known("receiving-ip", failure.to());
        json.writeNumberProperty("failed-session-count", counted.count());
        known("failure-reason-code", failure.reason());
        json.writeEndObject();
    }

    private void known(String name, String value) {
        if (!value.isEmpty()) {
            text(name, value);
        }
    }

    private void text(String name, String value) {
        json.writeStringProperty(name, ReportedTlsPolicy.line(value));
    }

    private void texts(String name, List<String> values) {
        if (!values.isEmpty()) {
            json.writeArrayPropertyStart(name);
            values.forEach(json::writeString);
            json.writeEndArray();
        }
    }
}
