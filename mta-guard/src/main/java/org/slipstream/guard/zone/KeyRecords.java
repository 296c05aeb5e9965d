package org.slipstream.guard.zone;

import org.slipstream.auth.dkim.DkimKey;
import org.slipstream.auth.dkim.SigningKey;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.smtpout.host.RecordTexts;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/// Tells whether verifiers find the public key of a signing key in DNS.
public final class KeyRecords {
    private final DnsLookup dns;

    /// @param servers of DNS; empty for those of the system
    public KeyRecords(List<InetSocketAddress> servers) {
        this(new RecordTexts(servers));
    }

    KeyRecords(DnsLookup dns) {
        this.dns = dns;
    }

    /// The fault of the record; empty when signatures of this key can be verified.
    public Optional<String> fault(SigningKey key) {
        String name = key.name().dns();
        return switch (dns.ask(name, RecordType.TXT)) {
            case TextAnswer.Trouble(String reason) -> Optional.of("DNS gives no answer about " + name + ": " + reason);
            case TextAnswer.None _ -> Optional.of(name + " has no TXT record");
            case TextAnswer.Found(List<String> texts) when texts.size() > 1 ->
                Optional.of(name + " has " + texts.size() + " TXT records, and one is allowed");
            case TextAnswer.Found(List<String> texts) -> switch (DkimKey.read(texts.getFirst())) {
                case DkimKey.KeyReading.Unusable(String what) ->
                    Optional.of("the record of " + name + " is of no use: " + what);
                case DkimKey.KeyReading.Usable(DkimKey published) -> key.isPublishedAs(published)
                        ? Optional.empty()
                        : Optional.of("the record of " + name + " has another key");
            };
        };
    }
}
