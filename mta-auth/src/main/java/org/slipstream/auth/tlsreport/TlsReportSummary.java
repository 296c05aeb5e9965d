package org.slipstream.auth.tlsreport;

import org.slipstream.auth.report.ReportSource;
import org.slipstream.auth.tlsreport.TlsReport.FailureCount;
import org.slipstream.auth.tlsreport.TlsReport.PolicyCounts;
import org.slipstream.auth.tlsreport.TlsReport.ReportedTlsFailure;
import org.slipstream.core.text.Controls;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// A TLS report in words, for a reader who has never seen one: how many sessions failed, at which host,
/// why, and what to change. A line is one line, whatever the report holds.
public final class TlsReportSummary {
    private static final int MOST_POLICIES = 10;
    private static final int MOST_FAILURES = 20;

    private TlsReportSummary() {}

    public static List<String> lines(TlsReport report) {
        List<String> lines = new ArrayList<>();
        lines.add(report.source().title(report.domain()));
        report.policies().stream().limit(MOST_POLICIES).forEach(each -> policy(each, lines));
        if (report.policies().size() > MOST_POLICIES) {
            lines.add("and " + (report.policies().size() - MOST_POLICIES) + " more policies");
        }
        lines.add(report.failed() == 0
                ? "nothing to do"
                : "correct what the lines name; the certificate and the records are yours, the sender can only tell");
        return lines.stream().map(Controls::onOneLine).toList();
    }

    private static void policy(PolicyCounts counts, List<String> lines) {
        lines.add(words(counts.policy()) + ": " + ReportSource.counted(counts.succeeded() + counts.failed(), "session")
                + ", " + counts.succeeded() + " good, " + counts.failed() + " failed");
        List<FailureCount> failures = counts.failures().stream()
                .sorted(Comparator.comparingLong(FailureCount::count).reversed()).toList();
        failures.stream().limit(MOST_FAILURES)
                .forEach(each -> lines.add("  " + each.count() + "  " + words(each.failure())));
        if (failures.size() > MOST_FAILURES) {
            lines.add("  and " + (failures.size() - MOST_FAILURES) + " more failures");
        }
    }

    private static String words(ReportedTlsPolicy policy) {
        return switch (policy.kind()) {
            case STS -> "under the policy of MTA-STS (" + policy.strings().stream().filter(
                    line -> line.startsWith("mode")).findFirst().orElse("mode unknown") + ")";
            case TLSA -> "under the TLSA records of DANE";
            case NO_POLICY_FOUND -> "without a policy";
        };
    }

    private static String words(ReportedTlsFailure failure) {
        String where = failure.host().isEmpty() ? failure.to() : failure.host();
        return (where.isEmpty() ? "" : where + ": ")
                + TlsResult.of(failure.type()).map(TlsReportSummary::words).orElse(failure.type())
                + (failure.reason().isEmpty() ? "" : " (" + failure.reason() + ")");
    }

    private static String words(TlsResult result) {
        return switch (result) {
            case SUCCESS -> "no failure";
            case STARTTLS_NOT_SUPPORTED -> "the host does not offer STARTTLS";
            case CERTIFICATE_HOST_MISMATCH -> "the certificate does not have the name of the host";
            case CERTIFICATE_EXPIRED -> "the certificate has expired";
            case CERTIFICATE_NOT_TRUSTED -> "no known authority has signed the certificate";
            case VALIDATION_FAILURE -> "TLS failed for another reason";
            case TLSA_INVALID -> "the TLSA records do not fit the certificate; renew them with it";
            case DNSSEC_INVALID -> "DNSSEC of the TLSA records is broken";
            case DANE_REQUIRED -> "the sender wants DANE, and the host has no TLSA records";
            case STS_POLICY_FETCH_ERROR -> "the policy of MTA-STS cannot be fetched";
            case STS_POLICY_INVALID -> "the policy of MTA-STS is malformed";
            case STS_WEBPKI_INVALID -> "the web server of the policy has no valid certificate";
        };
    }
}
