package org.slipstream.auth.results;

import org.slipstream.auth.arc.ArcResult;
import org.slipstream.auth.arc.ArcVerdict;
import org.slipstream.auth.dkim.DkimResult;
import org.slipstream.auth.dkim.DkimVerdict;
import org.slipstream.auth.dmarc.DmarcResult;
import org.slipstream.auth.dmarc.DmarcVerdict;
import org.slipstream.auth.iprev.IprevVerdict;
import org.slipstream.auth.results.MethodResult.Property;
import org.slipstream.auth.spf.SpfResult;
import org.slipstream.auth.spf.SpfVerdict;
import org.slipstream.core.dns.AddressText;
import org.slipstream.core.text.Ascii;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Verdicts in the words that IANA registers for the field.
public final class VerdictResults {
    private VerdictResults() {}

    /// RFC 8601 section 2.7.2. The local part is left out: it is personal.
    public static MethodResult of(SpfVerdict verdict) {
        MethodResult result = MethodResult.of("spf", word(verdict.result()),
                new Property("smtp." + word(verdict.identity()), verdict.domain()));
        return verdict.result() == SpfResult.PASS ? result : result.because(verdict.reason());
    }

    /// RFC 8601 section 2.7.1. Tags that the signature lacks are left out.
    public static MethodResult of(DkimResult signature) {
        Property[] properties = Stream
                .of(new Property("header.d", signature.domain()), new Property("header.i", signature.identity()),
                        new Property("header.s", signature.selector()), new Property("header.a", signature.algorithm()),
                        new Property("header.b", signature.prefix()))
                .filter(property -> !property.value().isEmpty()).toArray(Property[]::new);
        MethodResult result = MethodResult.of("dkim", word(signature.verdict()), properties);
        return signature.verdict() == DkimVerdict.PASS ? result : result.because(signature.reason());
    }

    /// RFC 9989 section 9.1.
    public static MethodResult of(DmarcVerdict verdict) {
        List<Property> properties = new ArrayList<>();
        verdict.author().ifPresent(domain -> properties.add(new Property("header.from", domain)));
        verdict.policyDomain()
                .ifPresent(_ -> properties.add(new Property("policy.dmarc", word(verdict.disposition()))));
        MethodResult result = MethodResult.of("dmarc", word(verdict.result()), properties.toArray(Property[]::new));
        return verdict.result() == DmarcResult.PASS ? result : result.because(verdict.reason());
    }

    /// RFC 8601 section 2.7.3.
    public static MethodResult of(IprevVerdict verdict) {
        return MethodResult.of("iprev", word(verdict.result()),
                new Property("policy.iprev", AddressText.of(verdict.client()))).because(verdict.reason());
    }

    /// RFC 8617 section 6. `arc.chain` is the way of OpenARC to tell the sealers, the newest first. Claims
    /// of others are in words, so no reader takes them for results of ours.
    public static MethodResult of(ArcResult verdict, InetAddress client) {
        MethodResult result = MethodResult.of("arc", word(verdict.verdict()));
        if (verdict.verdict() != ArcVerdict.PASS) {
            return verdict.verdict() == ArcVerdict.NONE ? result : result.because(verdict.reason());
        }
        MethodResult passed = MethodResult.of("arc", "pass", new Property("smtp.remote-ip", AddressText.of(client)),
                new Property("header.oldest-pass", Integer.toString(verdict.oldestPass())),
                new Property("arc.chain", String.join(":", verdict.chain())));
        return verdict.claims().isEmpty()
                ? passed
                : passed.because(verdict.chain().getFirst() + " found "
                        + String.join(", ", verdict.claims()).replace('=', ' '));
    }

    private static String word(Enum<?> constant) {
        return Ascii.lower(constant.name());
    }
}
