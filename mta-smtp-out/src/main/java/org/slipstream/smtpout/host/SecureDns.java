package org.slipstream.smtpout.host;

import org.slipstream.core.dns.DomainName;
import org.slipstream.core.dns.TextAnswer;
import org.xbill.DNS.DClass;
import org.xbill.DNS.ExtendedFlags;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.ResolverConfig;
import org.xbill.DNS.Section;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Asks DNS whether an answer is authenticated by DNSSEC, as the bit AD of a validating resolver says
/// (RFC 6840 section 5.8).
///
/// The bit is worth as much as the way to the resolver, so it counts only from an address of loopback.
/// Only the resolver's cache is used: its answers take less than a millisecond.
public final class SecureDns {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final List<InetSocketAddress> servers;

    /// How far an answer can be trusted. All but [#FAILED] are answers, with records or without.
    public enum DnsTrust {
        SECURE, INSECURE,
        /// The resolver refused, timed out, or found the signatures to be wrong.
        FAILED
    }

    /// @param texts the records of the type that was asked for
    /// @param owner of the records, behind aliases; in lower case, without the final dot
    public record SecureAnswer(DnsTrust trust, List<String> texts, String owner) {
        public SecureAnswer {
            texts = List.copyOf(texts);
        }
    }

    /// @param servers empty for those of the system
    public SecureDns(List<InetSocketAddress> servers) {
        this.servers = servers.isEmpty() ? ResolverConfig.getCurrentConfig().servers() : List.copyOf(servers);
    }

    /// False when no answer can be secure.
    public boolean isTrusted() {
        return !servers.isEmpty() && servers.stream().allMatch(each -> each.getAddress().isLoopbackAddress());
    }

    /// @param name in ASCII
    public SecureAnswer ask(String name, String type) {
        int code = Type.value(type);
        Optional<Name> absolute = absolute(name);
        if (absolute.isEmpty()) {
            return new SecureAnswer(DnsTrust.INSECURE, List.of(), name);
        }
        for (InetSocketAddress server : servers) {
            Optional<SecureAnswer> answer = ask(server, absolute.get(), code);
            if (answer.isPresent()) {
                return answer.get();
            }
        }
        return new SecureAnswer(DnsTrust.FAILED, List.of(), name);
    }

    private Optional<SecureAnswer> ask(InetSocketAddress server, Name name, int type) {
        try {
            SimpleResolver resolver = new SimpleResolver(server);
            resolver.setTimeout(TIMEOUT);
            resolver.setEDNS(0, 0, ExtendedFlags.DO, List.of());
            Message answer = resolver.send(Message.newQuery(Record.newRecord(name, type, DClass.IN)));
            int code = answer.getRcode();
            return code == Rcode.NOERROR || code == Rcode.NXDOMAIN
                    ? Optional.of(read(answer, name, type))
                    : Optional.empty();
        } catch (IOException noAnswer) {
            return Optional.empty();
        }
    }

    private SecureAnswer read(Message answer, Name name, int type) {
        List<Record> found = answer.getSection(Section.ANSWER).stream().filter(each -> each.getType() == type)
                .limit(TextAnswer.MOST_RECORDS).toList();
        Name owner = found.isEmpty() ? name : found.getFirst().getName();
        return new SecureAnswer(
                answer.getHeader().getFlag(Flags.AD) && isTrusted() ? DnsTrust.SECURE : DnsTrust.INSECURE,
                found.stream().map(RecordTexts::text).toList(),
                DomainName.ascii(owner.toString(true)).orElse(""));
    }

    private static Optional<Name> absolute(String name) {
        try {
            return Optional.of(Name.fromString(name.endsWith(".") ? name : name + "."));
        } catch (TextParseException unfit) {
            return Optional.empty();
        }
    }
}
