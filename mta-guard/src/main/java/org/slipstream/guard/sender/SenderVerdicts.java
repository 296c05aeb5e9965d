package org.slipstream.guard.sender;

import org.slipstream.auth.aggregate.JudgedMessage;
import org.slipstream.auth.aggregate.ReportedMessage.ReportedSignature;
import org.slipstream.auth.arc.ArcResult;
import org.slipstream.auth.dkim.DkimResult;
import org.slipstream.auth.dkim.DkimVerdict;
import org.slipstream.auth.dmarc.AuthenticatedName;
import org.slipstream.auth.dmarc.AuthenticatedName.AuthenticatedBy;
import org.slipstream.auth.dmarc.DmarcPolicy;
import org.slipstream.auth.dmarc.DmarcVerdict;
import org.slipstream.auth.iprev.IprevVerdict;
import org.slipstream.auth.results.MethodResult;
import org.slipstream.auth.results.VerdictResults;
import org.slipstream.auth.spf.SpfResult;
import org.slipstream.auth.spf.SpfVerdict;
import org.slipstream.core.Address;
import org.slipstream.core.text.Ascii;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// All verdicts about one message.
///
/// @param spf of MAIL FROM
/// @param helo of the name in EHLO
/// @param signatures the newest first
public record SenderVerdicts(IprevVerdict iprev, SpfVerdict spf, SpfVerdict helo, List<DkimResult> signatures,
        DmarcVerdict dmarc, ArcResult arc) {
    /// Domains that count for DMARC (RFC 9989 section 4.3): a sender that passes, a signature that is
    /// good, and those that could not be judged at present.
    public static List<AuthenticatedName> names(SpfVerdict spf, List<DkimResult> signatures) {
        List<AuthenticatedName> names = new ArrayList<>();
        if (spf.result() == SpfResult.PASS || spf.result() == SpfResult.TEMPERROR) {
            names.add(new AuthenticatedName(AuthenticatedBy.SPF, spf.domain(), spf.result() == SpfResult.PASS));
        }
        names.addAll(signed(signatures));
        return names;
    }

    /// The part of [#names] that signatures give.
    public static List<AuthenticatedName> signed(List<DkimResult> signatures) {
        List<AuthenticatedName> names = new ArrayList<>();
        for (DkimResult each : signatures) {
            if (each.verdict() == DkimVerdict.PASS || each.verdict() == DkimVerdict.TEMPERROR) {
                names.add(new AuthenticatedName(AuthenticatedBy.DKIM, each.domain(),
                        each.verdict() == DkimVerdict.PASS));
            }
        }
        return names;
    }

    /// For a daily report; empty when the domain wants none.
    ///
    /// @param applied what was done
    Optional<JudgedMessage> judged(InetAddress client, Optional<Address> sender, DmarcPolicy applied) {
        return JudgedMessage.of(client, dmarc, applied, spf, sender.map(Address::domainKey),
                signatures.stream().filter(each -> !each.domain().isEmpty())
                        .map(each -> new ReportedSignature(each.domain(), each.selector(),
                                Ascii.lower(each.verdict().name())))
                        .toList());
    }

    /// For the field Authentication-Results.
    List<MethodResult> results() {
        List<MethodResult> results = new ArrayList<>();
        results.add(VerdictResults.of(iprev));
        results.add(VerdictResults.of(helo));
        results.add(VerdictResults.of(spf));
        if (signatures.isEmpty()) {
            results.add(MethodResult.of("dkim", "none"));
        }
        signatures.forEach(each -> results.add(VerdictResults.of(each)));
        results.add(VerdictResults.of(dmarc));
        results.add(VerdictResults.of(arc, iprev.client()));
        return results;
    }
}
