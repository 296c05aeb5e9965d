package org.slipstream.auth.iprev;

import org.slipstream.core.Network;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.DomainName;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.ReverseName;
import org.slipstream.core.dns.TextAnswer;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/// Looks whether a name of the client's address has the address (RFC 8601 section 3). Ten names are
/// looked at, so that an owner of an address with thousands gains nothing.
public final class IprevEvaluation {
    private static final int MOST_NAMES = 10;

    private IprevEvaluation() {}

    public static IprevVerdict check(DnsLookup dns, InetAddress client) {
        return switch (dns.ask(ReverseName.of(client), RecordType.PTR)) {
            case TextAnswer.Trouble(String reason) -> verdict(IprevResult.TEMPERROR, client, reason);
            case TextAnswer.None _ -> verdict(IprevResult.PERMERROR, client, "the address has no name");
            case TextAnswer.Found(List<String> found) -> wayBack(dns, client, found);
        };
    }

    private static IprevVerdict wayBack(DnsLookup dns, InetAddress client, List<String> found) {
        List<String> confirmed = new ArrayList<>();
        String trouble = "";
        RecordType family = client instanceof Inet4Address ? RecordType.A : RecordType.AAAA;
        for (String name : found.stream().limit(MOST_NAMES).flatMap(each -> DomainName.ascii(each).stream())
                .toList()) {
            switch (dns.ask(name, family)) {
                case TextAnswer.Found(List<String> addresses) -> {
                    if (addresses.stream().flatMap(text -> Network.parse(text).stream())
                            .anyMatch(each -> each.base().equals(client))) {
                        confirmed.add(name);
                    }
                }
                case TextAnswer.None _ -> {
                }
                case TextAnswer.Trouble(String reason) -> trouble = reason;
            }
        }
        if (!confirmed.isEmpty()) {
            return new IprevVerdict(IprevResult.PASS, client, confirmed, "the name is " + confirmed.getFirst());
        }
        return trouble.isEmpty()
                ? verdict(IprevResult.FAIL, client, "no name of the address leads back to it")
                : verdict(IprevResult.TEMPERROR, client, trouble);
    }

    private static IprevVerdict verdict(IprevResult result, InetAddress client, String reason) {
        return new IprevVerdict(result, client, List.of(), reason);
    }
}
