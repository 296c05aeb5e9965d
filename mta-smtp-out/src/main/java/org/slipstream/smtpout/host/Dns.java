package org.slipstream.smtpout.host;

import org.slipstream.core.FailureWords;
import org.xbill.DNS.Cache;
import org.xbill.DNS.DClass;
import org.xbill.DNS.ExtendedResolver;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Resolver;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.lookup.LookupResult;
import org.xbill.DNS.lookup.LookupSession;
import org.xbill.DNS.lookup.NoSuchDomainException;
import org.xbill.DNS.lookup.NoSuchRRSetException;

import java.net.IDN;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A caching DNS client (TTL, and RFC 2308 for negative answers).
///
/// Names are absolute: a search list would send mail for `example.com` to
/// `example.com.our-own.net`. CNAMEs are followed.
public final class Dns {
    private static final String UNNAMED_CODE = "Unknown non-success error code ";
    private static final Duration SERVER_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration TOTAL_TIMEOUT = Duration.ofSeconds(20);

    private final LookupSession session;
    private final String asked;

    /// The answer for a name and a type.
    public sealed interface DnsAnswer {
        /// @param records at least one
        record Found(List<Record> records) implements DnsAnswer {
            public Found {
                records = List.copyOf(records);
            }
        }

        /// No such records; the name may exist with others.
        record NoRecords() implements DnsAnswer {}

        /// NXDOMAIN.
        record NoDomain() implements DnsAnswer {}

        /// Servers failed or timed out.
        record Trouble(String reason) implements DnsAnswer {}
    }

    /// @param servers empty for those of the system
    public Dns(List<InetSocketAddress> servers) {
        this(servers, SERVER_TIMEOUT, TOTAL_TIMEOUT);
    }

    Dns(List<InetSocketAddress> servers, Duration serverTimeout, Duration totalTimeout) {
        ExtendedResolver resolver = servers.isEmpty()
                ? new ExtendedResolver()
                : new ExtendedResolver(servers.stream().map(server -> (Resolver) new SimpleResolver(server)).toList());
        for (Resolver server : resolver.getResolvers()) {
            server.setTimeout(serverTimeout);
        }
        this.asked = Stream.of(resolver.getResolvers()).map(SimpleResolver.class::cast)
                .map(server -> server.getAddress().getAddress().getHostAddress() + ":" + server.getAddress().getPort())
                .collect(Collectors.joining(", ", " (asked: ", ")"));
        resolver.setTimeout(totalTimeout);
        resolver.setRetries(3);
        this.session = LookupSession.builder().resolver(resolver).cache(new Cache(DClass.IN))
                .executor(Thread::startVirtualThread).build();
    }

    /// @param name in letters of any script, with or without the final dot
    /// @param type one of [org.xbill.DNS.Type]
    public DnsAnswer ask(String name, int type) {
        return askAsync(name, type).join();
    }

    CompletableFuture<DnsAnswer> askAsync(String name, int type) {
        Optional<Name> absolute = absolute(name);
        if (absolute.isEmpty()) {
            return CompletableFuture.completedFuture(new DnsAnswer.NoDomain());
        }
        return session.lookupAsync(absolute.get(), type).toCompletableFuture().handle(this::answer);
    }

    private DnsAnswer answer(LookupResult result, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return switch (cause) {
            case null -> result.getRecords().isEmpty()
                    ? new DnsAnswer.NoRecords()
                    : new DnsAnswer.Found(result.getRecords());
            case NoSuchDomainException _ -> new DnsAnswer.NoDomain();
            case NoSuchRRSetException _ -> new DnsAnswer.NoRecords();
            default -> new DnsAnswer.Trouble(words(FailureWords.of(cause)) + asked);
        };
    }

    /// The library names a code that it has no class for by a sentence of its own.
    private static String words(String text) {
        String code = text.startsWith(UNNAMED_CODE) ? text.substring(UNNAMED_CODE.length()) : text;
        return code.equals("REFUSED") ? "the name server refuses to answer (REFUSED)" : code;
    }

    /// Empty for a text that cannot be a DNS name.
    private static Optional<Name> absolute(String name) {
        try {
            String ascii = IDN.toASCII(name);
            return Optional.of(Name.fromString(ascii.endsWith(".") ? ascii : ascii + "."));
        } catch (TextParseException | IllegalArgumentException _) {
            return Optional.empty();
        }
    }
}
