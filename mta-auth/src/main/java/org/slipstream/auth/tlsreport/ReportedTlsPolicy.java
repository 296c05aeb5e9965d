package org.slipstream.auth.tlsreport;

import org.slipstream.core.text.Ascii;
import org.slipstream.core.text.Controls;
import org.slipstream.core.text.Utf8;

import java.util.List;

/// The policy that a session had to meet, as a TLS report shows it (RFC 8460 section 4.4). Each text is
/// one bounded line, because most of them come from a stranger.
///
/// @param domain of the recipients, in ASCII and lower case
/// @param strings the policy itself: the lines of MTA-STS, or the TLSA records; at most [#MOST_TEXTS]
/// @param hosts patterns of MX hosts in a policy of MTA-STS; at most [#MOST_TEXTS]
public record ReportedTlsPolicy(PolicyKind kind, String domain, List<String> strings, List<String> hosts) {
    static final int MOST_TEXTS = 50;
    static final int LONGEST_TEXT = 300;

    public ReportedTlsPolicy {
        domain = Ascii.lower(line(domain));
        strings = lines(strings);
        hosts = lines(hosts);
    }

    /// The types of policies.
    public enum PolicyKind {
        STS, TLSA, NO_POLICY_FOUND;

        /// The word in a report.
        public String word() {
            return Ascii.lower(name()).replace('_', '-');
        }
    }

    /// A domain without a policy, where TLS is used when the host offers it.
    public static ReportedTlsPolicy none(String domain) {
        return new ReportedTlsPolicy(PolicyKind.NO_POLICY_FOUND, domain, List.of(), List.of());
    }

    private static List<String> lines(List<String> texts) {
        return texts.stream().limit(MOST_TEXTS).map(ReportedTlsPolicy::line).toList();
    }

    static String line(String text) {
        return Controls.onOneLine(Utf8.beginning(text, LONGEST_TEXT));
    }
}
