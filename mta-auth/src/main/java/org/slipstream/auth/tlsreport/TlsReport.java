package org.slipstream.auth.tlsreport;

import org.slipstream.auth.report.ReportSource;
import org.slipstream.core.dns.AddressText;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One TLS report (RFC 8460 section 4.4). Every text may come from a stranger.
///
/// @param policies at least one in a report that is sent
public record TlsReport(ReportSource source, List<PolicyCounts> policies) {
    /// Of a report that is written: further policies of one day count as the last one.
    static final int MOST_OWN_POLICIES = 10;
    /// Of a policy in a report that is written: further failures count in the sum only.
    static final int MOST_OWN_FAILURES = 2_000;

    public TlsReport {
        policies = List.copyOf(policies);
    }

    /// The sessions under one policy.
    ///
    /// @param failed at least the sum of the failures; those beyond it are not told apart
    public record PolicyCounts(ReportedTlsPolicy policy, long succeeded, long failed, List<FailureCount> failures) {
        public PolicyCounts {
            failures = List.copyOf(failures);
        }
    }

    /// Sessions that failed alike.
    public record FailureCount(ReportedTlsFailure failure, long count) {}

    /// A failure as a report tells it. An empty text is one that is missing.
    ///
    /// @param type a word of [TlsResult], or one that is not known here
    /// @param from address of the sender
    /// @param to address of the host
    /// @param reason further words
    public record ReportedTlsFailure(String type, String host, String from, String to, String reason) {
        static ReportedTlsFailure of(TlsOutcome outcome) {
            return new ReportedTlsFailure(outcome.result().word(), outcome.host().orElse(""), text(outcome.from()),
                    text(outcome.to()), outcome.additional());
        }

        private static String text(Optional<InetAddress> address) {
            return address.map(AddressText::of).orElse("");
        }
    }

    /// This report with further sessions, at least one.
    public TlsReport with(Map<TlsOutcome, Long> sessions) {
        Map<ReportedTlsPolicy, PolicyCounts> counts = new LinkedHashMap<>();
        policies.forEach(each -> counts.put(each.policy(), each));
        Map<ReportedTlsPolicy, Map<ReportedTlsFailure, Long>> failures = new LinkedHashMap<>();
        sessions.forEach((outcome, count) -> {
            ReportedTlsPolicy policy = counts.containsKey(outcome.policy()) || counts.size() < MOST_OWN_POLICIES
                    ? outcome.policy()
                    : List.copyOf(counts.keySet()).getLast();
            boolean good = outcome.result() == TlsResult.SUCCESS;
            PolicyCounts before = counts.getOrDefault(policy, new PolicyCounts(policy, 0, 0, List.of()));
            counts.put(policy, new PolicyCounts(policy, before.succeeded() + (good ? count : 0),
                    before.failed() + (good ? 0 : count), before.failures()));
            if (!good) {
                failures.computeIfAbsent(policy, _ -> new LinkedHashMap<>()).merge(ReportedTlsFailure.of(outcome),
                        count,
                        Long::sum);
            }
        });
        failures.forEach((policy, fresh) -> counts.computeIfPresent(policy, (_, each) -> new PolicyCounts(policy,
                each.succeeded(), each.failed(), joined(each.failures(), fresh))));
        return new TlsReport(source, List.copyOf(counts.values()));
    }

    private static List<FailureCount> joined(List<FailureCount> before, Map<ReportedTlsFailure, Long> fresh) {
        Map<ReportedTlsFailure, Long> all = new LinkedHashMap<>();
        before.forEach(each -> all.merge(each.failure(), each.count(), Long::sum));
        fresh.forEach((failure, count) -> all.merge(failure, count, Long::sum));
        List<FailureCount> joined = new ArrayList<>();
        all.forEach((failure, count) -> joined.add(new FailureCount(failure, count)));
        return joined.stream().sorted(Comparator.comparingLong(FailureCount::count).reversed())
                .limit(MOST_OWN_FAILURES).toList();
    }

    /// The domain that the report is about.
    public String domain() {
        return policies.isEmpty() ? "" : policies.getFirst().policy().domain();
    }

    public long succeeded() {
        return policies.stream().mapToLong(PolicyCounts::succeeded).sum();
    }

    public long failed() {
        return policies.stream().mapToLong(PolicyCounts::failed).sum();
    }
}
