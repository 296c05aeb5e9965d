package org.slipstream.auth.aggregate;

import org.slipstream.auth.dmarc.DmarcPolicy;
import org.slipstream.auth.dmarc.DmarcResult;
import org.slipstream.auth.dmarc.DmarcVerdict;
import org.slipstream.auth.spf.SpfVerdict;
import org.slipstream.core.dns.AddressText;
import org.slipstream.core.text.Ascii;

import java.net.InetAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// A message in a report. Equal ones are one row, so a map from this to a number is the
/// state of a day.
///
/// @param source address of the client
/// @param disposition `none`, `pass`, `quarantine`, `reject`
/// @param dkimAligned a signature authenticates the author's domain
/// @param spfAligned SPF does
/// @param override why the disposition is not what the policy says; a type of RFC 9990 section 3.1.7
/// @param author domain in From
/// @param envelope domain of MAIL FROM; empty for the null sender
/// @param signatures at most [#MOST_SIGNATURES]
public record ReportedMessage(String source, String disposition, boolean dkimAligned, boolean spfAligned,
        Optional<String> override, String author, Optional<String> envelope, List<ReportedSignature> signatures,
        Optional<ReportedSpf> spf) {
    static final int MOST_SIGNATURES = 20;

    public ReportedMessage {
        signatures = List.copyOf(signatures.subList(0, Math.min(MOST_SIGNATURES, signatures.size())));
    }

    /// A DKIM signature, with its result in the words of RFC 8601 section 2.7.1.
    public record ReportedSignature(String domain, String selector, String result) {}

    /// The result for MAIL FROM in the words of RFC 8601 section 2.7.2.
    public record ReportedSpf(String domain, String result) {}

    /// @param verdict with a policy; a message without one is in no report
    /// @param applied what was done
    /// @param spf for MAIL FROM
    public static ReportedMessage of(InetAddress client, DmarcVerdict verdict, DmarcPolicy applied, SpfVerdict spf,
            Optional<String> envelope, List<ReportedSignature> signatures) {
        String author = verdict.author().orElseThrow();
        boolean passes = verdict.result() == DmarcResult.PASS;
        // Signatures that explain the verdict come first (section 3.1.4).
        Comparator<ReportedSignature> order = Comparator
                .comparing((ReportedSignature each) -> !each.result().equals("pass"))
                .thenComparing(each -> !Ascii.same(each.domain(), author));
        return new ReportedMessage(AddressText.of(client),
                passes && verdict.requested() != DmarcPolicy.NONE ? "pass" : ReportWords.of(applied),
                verdict.dkimAligned(), verdict.spfAligned(), override(verdict, applied), author, envelope,
                signatures.stream().sorted(order).limit(MOST_SIGNATURES).toList(),
                Optional.of(new ReportedSpf(spf.domain(), Ascii.lower(spf.result().name()))));
    }

    private static Optional<String> override(DmarcVerdict verdict, DmarcPolicy applied) {
        if (verdict.result() != DmarcResult.FAIL || applied == verdict.requested()) {
            return Optional.empty();
        }
        return Optional.of(applied == verdict.disposition() ? "policy_test_mode" : "local_policy");
    }

    /// About as many octets as its row has, without escapes.
    public int weight() {
        int texts = author.length() + envelope.map(String::length).orElse(0)
                + spf.map(each -> each.domain().length()).orElse(0);
        return 600 + texts + signatures.stream()
                .mapToInt(each -> 100 + each.domain().length() + each.selector().length()).sum();
    }

    boolean passes() {
        return dkimAligned || spfAligned;
    }
}
