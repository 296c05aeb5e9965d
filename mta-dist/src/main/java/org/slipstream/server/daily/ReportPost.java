package org.slipstream.server.daily;

import org.slipstream.core.FailureWords;
import org.slipstream.core.Network;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.http.HttpPost;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import javax.net.ssl.SSLSocketFactory;

/// Posts a report to a web page that the record of a domain names (RFC 8460 section 3).
///
/// **A stranger chooses the page**, so its server learns no more than that this one exists: its address must be public.
/// [HttpPost] keeps the other bounds.
public final class ReportPost {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Supplier<SSLSocketFactory> sockets;
    private final Predicate<InetAddress> permitted;
    private final Duration timeout;

    ReportPost(Supplier<SSLSocketFactory> sockets, Predicate<InetAddress> permitted, Duration timeout) {
        this.sockets = sockets;
        this.permitted = permitted;
        this.timeout = timeout;
    }

    /// With the authorities of the Java runtime.
    public ReportPost() {
        this(() -> (SSLSocketFactory) SSLSocketFactory.getDefault(), Network::isPublic, TIMEOUT);
    }

    /// Posts to the first page that takes the report.
    ///
    /// @param type of the report
    /// @return that page
    /// @throws IOException with the words of the last failure
    URI send(DnsLookup dns, List<URI> pages, String type, byte[] report) throws IOException {
        HttpPost post = new HttpPost(host -> addresses(dns, host), sockets, timeout);
        IOException last = new IOException("no page");
        for (URI page : pages) {
            try {
                post.send(page, Map.of("Content-Type", type), report).requireTaken();
                return page;
            } catch (IOException failed) {
                last = new IOException(page.getHost() + ": " + FailureWords.of(failed), failed);
            }
        }
        throw last;
    }

    /// Those of IPv4 first.
    private List<InetAddress> addresses(DnsLookup dns, String host) throws IOException {
        List<InetAddress> found = Stream.of(RecordType.A, RecordType.AAAA)
                .flatMap(type -> dns.ask(host, type) instanceof TextAnswer.Found(List<String> texts)
                        ? texts.stream()
                        : Stream.empty())
                .map(InetAddress::ofLiteral).filter(permitted).toList();
        if (found.isEmpty()) {
            throw new IOException("DNS has no public address of it");
        }
        return found;
    }
}
