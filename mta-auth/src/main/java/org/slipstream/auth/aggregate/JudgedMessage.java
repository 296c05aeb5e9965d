package org.slipstream.auth.aggregate;

import org.slipstream.auth.aggregate.AggregateReport.PublishedPolicy;
import org.slipstream.auth.aggregate.ReportedMessage.ReportedSignature;
import org.slipstream.auth.dmarc.DmarcPolicy;
import org.slipstream.auth.dmarc.DmarcVerdict;
import org.slipstream.auth.spf.SpfVerdict;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/// A message under the policy of a domain that wants reports.
public record JudgedMessage(PublishedPolicy policy, ReportedMessage message) {
    /// Empty when no policy was found, or its domain wants no reports.
    ///
    /// @param applied what was done
    /// @param spf for MAIL FROM
    public static Optional<JudgedMessage> of(InetAddress client, DmarcVerdict verdict, DmarcPolicy applied,
            SpfVerdict spf, Optional<String> envelope, List<ReportedSignature> signatures) {
        return verdict.author().isEmpty() || verdict.policyDomain().isEmpty()
                || verdict.record().filter(record -> !record.reports().isEmpty()).isEmpty()
                        ? Optional.empty()
                        : Optional.of(new JudgedMessage(
                                PublishedPolicy.of(verdict.policyDomain().get(), verdict.record().get()),
                                ReportedMessage.of(client, verdict, applied, spf, envelope, signatures)));
    }
}
