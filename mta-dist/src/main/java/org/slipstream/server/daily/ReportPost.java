package org.slipstream.server.daily;

import org.slipstream.core.FailureWords;
import org.slipstream.core.Network;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// Posts a report to a web page that the record of a domain names (RFC 8460 section 3).
///
/// **A stranger chooses the page**, so its server learns no more than that this one exists: the address is found here,
/// must be public, and is the one that the connection is made to, so DNS cannot answer differently in between. The
/// certificate must be valid for the name. A redirection is a failure. Of the answer the first line is read, and
/// connecting, sending and the answer have one limit in time together.
///
/// A client of the Java runtime would look the name up again by itself.
public final class ReportPost {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int HTTPS = 443;
    private static final int LONGEST_LINE = 512;
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([0-9]{3})(?: .*)?");

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
        IOException last = new IOException("no page");
        for (URI page : pages) {
            try {
                post(page, address(dns, page.getHost()), type, report);
                return page;
            } catch (IOException failed) {
                last = new IOException(page.getHost() + ": " + FailureWords.of(failed), failed);
            }
        }
        throw last;
    }

    /// One of IPv4 if the host has both.
    private InetAddress address(DnsLookup dns, String host) throws IOException {
        return Stream.of(RecordType.A, RecordType.AAAA)
                .flatMap(type -> dns.ask(host, type) instanceof TextAnswer.Found(List<String> texts)
                        ? texts.stream()
                        : Stream.empty())
                .map(InetAddress::ofLiteral).filter(permitted).findFirst()
                .orElseThrow(() -> new IOException("DNS has no public address of it"));
    }

    private void post(URI page, InetAddress address, String type, byte[] report) throws IOException {
        CompletableFuture<Void> exchange = new CompletableFuture<>();
        try (Socket plain = new Socket()) {
            // A server that takes or sends one octet a second keeps no limit of a single read.
            exchange.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS).whenComplete((_, _) -> close(plain));
            int port = page.getPort() < 0 ? HTTPS : page.getPort();
            plain.connect(new InetSocketAddress(address, port), Math.toIntExact(timeout.toMillis()));
            try (SSLSocket secured = (SSLSocket) sockets.get().createSocket(plain, page.getHost(), port, true)) {
                SSLParameters checked = secured.getSSLParameters();
                checked.setEndpointIdentificationAlgorithm("HTTPS");
                secured.setSSLParameters(checked);
                OutputStream out = secured.getOutputStream();
                out.write(head(page, type, report.length).getBytes(StandardCharsets.US_ASCII));
                out.write(report);
                out.flush();
                judge(line(secured.getInputStream()));
            }
        } catch (IOException failed) {
            throw exchange.isDone() ? new IOException("no whole answer within " + timeout.toSeconds() + " s") : failed;
        } finally {
            exchange.complete(null);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException closed) {
            // Nothing is left to close.
        }
    }

    private static String head(URI page, String type, int length) {
        String path = page.getRawPath().isEmpty() ? "/" : page.getRawPath();
        return "POST " + path + (page.getRawQuery() == null ? "" : "?" + page.getRawQuery()) + " HTTP/1.1\r\nHost: "
                + page.getRawAuthority() + "\r\nContent-Type: " + type + "\r\nContent-Length: " + length
                + "\r\nConnection: close\r\n\r\n";
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int octet = in.read(); octet >= 0 && octet != '\n' && line.length() < LONGEST_LINE; octet = in.read()) {
            line.append((char) octet);
        }
        return line.toString().stripTrailing();
    }

    private static void judge(String line) throws IOException {
        Matcher status = STATUS.matcher(line);
        if (!status.matches()) {
            throw new IOException("the answer is not HTTP");
        }
        if (!status.group(1).startsWith("2")) {
            throw new IOException("the status is " + status.group(1));
        }
    }
}
