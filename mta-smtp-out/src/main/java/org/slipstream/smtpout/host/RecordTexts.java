package org.slipstream.smtpout.host;

import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
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
public final class RecordTexts implements DnsLookup {
    private final Dns dns;

    /// @param servers empty for those of the system
    public RecordTexts(List<InetSocketAddress> servers) {
        this.dns = new Dns(servers);
    }

    @Override
    public TextAnswer ask(String name, RecordType type) {
        return switch (dns.ask(name, Type.value(type.name()))) {
            case Dns.DnsAnswer.Found(List<Record> records) -> found(records, type);
            case Dns.DnsAnswer.NoRecords _ -> new TextAnswer.None(true);
            case Dns.DnsAnswer.NoDomain _ -> new TextAnswer.None(false);
            case Dns.DnsAnswer.Trouble(String reason) -> new TextAnswer.Trouble(reason);
        };
    }

    // Behind a CNAME the library returns the records of its target only.
    private static TextAnswer found(List<Record> records, RecordType type) {
        int code = Type.value(type.name());
        List<String> texts = records.stream().filter(record -> record.getType() == code)
                .limit(TextAnswer.MOST_RECORDS).map(RecordTexts::text).toList();
        return texts.isEmpty() ? new TextAnswer.None(true) : new TextAnswer.Found(texts);
    }

    static String text(Record record) {
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
