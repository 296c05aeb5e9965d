package org.slipstream.smtpout.host;

import org.xbill.DNS.MXRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.ReverseMap;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// DNS records as text, for readers that know the notation of zone files and not the library.
///
/// | Type | Text |
/// |---|---|
/// | A, AAAA | `192.0.2.1` |
/// | MX | `10 mx.example.org`; `0 .` for a domain without mail |
/// | PTR, CNAME | a name without the final dot |
/// | TXT | the strings of a record, joined (RFC 7208 section 3.3) |
/// | TLSA | `3 1 1 0123…` |
public final class RecordTexts {
    public enum RecordType {
        A(Type.A), AAAA(Type.AAAA), MX(Type.MX), PTR(Type.PTR), CNAME(Type.CNAME), TXT(Type.TXT), TLSA(Type.TLSA);

        private final int code;

        RecordType(int code) {
            this.code = code;
        }
    }

    /// The answer for a name and a type.
    public sealed interface TextAnswer {
        /// @param texts at least one
        record Found(List<String> texts) implements TextAnswer {
            public Found {
                texts = List.copyOf(texts);
            }
        }

        /// @param domainExists with other records
        record None(boolean domainExists) implements TextAnswer {}

        /// Servers failed or timed out.
        record Trouble(String reason) implements TextAnswer {}
    }

    private final Dns dns;

    /// @param servers empty for those of the system
    public RecordTexts(List<InetSocketAddress> servers) {
        this.dns = new Dns(servers);
    }

    /// @param name absolute, with or without the final dot
    public TextAnswer ask(String name, RecordType type) {
        return switch (dns.ask(name, type.code)) {
            case Dns.DnsAnswer.Found(List<Record> records) -> found(records, type);
            case Dns.DnsAnswer.NoRecords _ -> new TextAnswer.None(true);
            case Dns.DnsAnswer.NoDomain _ -> new TextAnswer.None(false);
            case Dns.DnsAnswer.Trouble(String reason) -> new TextAnswer.Trouble(reason);
        };
    }

    /// The names that an address has.
    public TextAnswer names(InetAddress address) {
        return ask(ReverseMap.fromAddress(address).toString(), RecordType.PTR);
    }

    // Behind a CNAME the library returns the records of its target only.
    private static TextAnswer found(List<Record> records, RecordType type) {
        List<String> texts = records.stream().filter(record -> record.getType() == type.code).map(RecordTexts::text)
                .toList();
        return texts.isEmpty() ? new TextAnswer.None(true) : new TextAnswer.Found(texts);
    }

    private static String text(Record record) {
        return switch (record) {
            case MXRecord mx -> mx.getPriority() + " " + name(mx.getTarget());
            case PTRRecord pointer -> name(pointer.getTarget());
            case TXTRecord text -> joined(text);
            default -> withoutDot(record.rdataToString());
        };
    }

    private static String joined(TXTRecord text) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        text.getStringsAsByteArrays().forEach(all::writeBytes);
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    private static String name(Name name) {
        return name.equals(Name.root) ? "." : name.toString(true);
    }

    private static String withoutDot(String text) {
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }
}
