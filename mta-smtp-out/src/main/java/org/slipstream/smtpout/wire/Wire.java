package org.slipstream.smtpout.wire;

import org.jspecify.annotations.Nullable;
import org.slipstream.auth.tlsreport.TlsResult;
import org.slipstream.core.ContentSource;
import org.slipstream.core.FailureWords;
import org.slipstream.smtpout.dialog.ReplyParser;
import org.slipstream.smtpout.wire.WireInput.End;
import org.slipstream.smtpout.wire.WireInput.Ended;
import org.slipstream.smtpout.wire.WireInput.Received;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// One connection to a peer, over TCP or a UNIX socket, in clear text or under TLS.
///
/// At most one thread reads ([#read], [#startTls]) and one writes ([#put], [#flush], [#send]); any
/// thread may [#abort]. Everything that can block is guarded: after the timeout the socket is
/// closed, and the blocked call ends with [End#TIMED_OUT]. All threads see the first reason that
/// ended the wire.
public final class Wire {
    private final List<? extends Endpoint> candidates;
    private final Dialer dialer;
    private final WireWatchdog.Post watchdog;
    private final ReplyParser parser = new ReplyParser();
    private final ByteBuffer received = ByteBuffer.allocate(8 * 1024).limit(0);
    private final AtomicReference<@Nullable Ended> end = new AtomicReference<>();

    private volatile Endpoint endpoint;
    private volatile List<Endpoint> tried = List.of();
    private volatile Closeable socket = () -> {};
    private volatile Optional<SSLSocket> tls = Optional.empty();
    private volatile TlsResult tlsResult = TlsResult.SUCCESS;
    private InputStream in = InputStream.nullInputStream();
    private Outlet out = new Outlet.Stream(OutputStream.nullOutputStream());

    // Used by the writer's thread only.
    private final Outbox outbox = new Outbox();
    private long put;
    private long handedOver;
    private long written;
    private Optional<Ended> mute = Optional.empty();

    public Wire(Endpoint endpoint, WireWatchdog watchdog) {
        this(List.of(endpoint), watchdog, new Dialer(Sources.ANY, 1));
    }

    /// @param candidates at least one; all are TCP where there are several
    public Wire(List<? extends Endpoint> candidates, WireWatchdog watchdog, Dialer dialer) {
        this.candidates = List.copyOf(candidates);
        this.endpoint = candidates.getFirst();
        this.dialer = dialer;
        this.watchdog = watchdog.new Post();
    }

    /// Prepares TLS in the background, best before the first wire is needed.
    public static void warmUpTls() {
        OpportunisticTls.warmUp();
    }

    /// The peer, or the last address that was tried.
    public Endpoint endpoint() {
        return endpoint;
    }

    /// The candidates that were tried, in order.
    public List<Endpoint> tried() {
        return tried;
    }

    /// Connects. Empty on success.
    ///
    /// @param millis timeout of each candidate
    public Optional<Ended> connect(long millis) {
        // Attempts overlap, so the timeouts of the candidates do not add up.
        try (var _ = watchdog.guard(2 * millis, () -> abort(End.TIMED_OUT, "Connection timed out"))) {
            switch (endpoint) {
                case Endpoint.Tcp _ -> connectTcp(millis);
                case Endpoint.Unix unix -> connectUnix(unix);
            }
            return Optional.ofNullable(end.get());
        } catch (SocketTimeoutException _) {
            return Optional.of(abort(End.TIMED_OUT, "Connection timed out"));
        } catch (NoSourceException e) {
            return Optional.of(abort(End.NO_SOURCE, FailureWords.of(e)));
        } catch (NoSocketException e) {
            return Optional.of(abort(End.NO_SOCKET, FailureWords.of(e)));
        } catch (IOException | RuntimeException e) {
            return Optional.of(abort(End.BROKEN, FailureWords.of(e)));
        }
    }

    private void connectTcp(long millis) throws IOException {
        Dialer.Race race = dialer.new Race(candidates.stream().map(Endpoint.Tcp.class::cast).toList());
        own(race);
        try {
            Dialer.Race.Winner winner = race.run(millis);
            endpoint = winner.endpoint();
            own(winner.socket());
            in = winner.socket().getInputStream();
            out = new Outlet.Clear(winner.socket().getChannel());
        } catch (IOException e) {
            endpoint = race.started().getLast();
            throw e;
        } finally {
            tried = List.copyOf(race.started());
        }
    }

    private void connectUnix(Endpoint.Unix unix) throws IOException {
        tried = List.of(unix);
        SocketChannel channel = unixChannel();
        own(channel);
        channel.connect(UnixDomainSocketAddress.of(unix.path()));
        in = Channels.newInputStream(channel);
        out = new Outlet.Clear(channel);
    }

    private static SocketChannel unixChannel() throws NoSocketException {
        try {
            return SocketChannel.open(StandardProtocolFamily.UNIX);
        } catch (IOException e) {
            throw new NoSocketException(e);
        }
    }

    /// Sets the socket for an abort, and closes it when an abort came before.
    private void own(Closeable opened) throws IOException {
        socket = opened;
        if (end.get() != null) {
            opened.close();
        }
    }

    /// The next reply, or the end.
    public WireInput read(long millis) {
        try (var _ = watchdog.guard(millis, () -> abort(End.TIMED_OUT, "timed out after " + seconds(millis)))) {
            return read();
        }
    }

    /// Like [#read(long)], without a timeout.
    public WireInput read() {
        try {
            while (end.get() == null) {
                switch (parser.take(received)) {
                    case ReplyParser.Progress.Complete complete -> {
                        return new Received(complete.reply());
                    }
                    case ReplyParser.Progress.Malformed malformed -> {
                        return abort(new Ended(End.GARBLED, malformed.reason(), malformed.begun()));
                    }
                    case ReplyParser.Progress.Incomplete _ -> {
                        if (!fill()) {
                            return abort(new Ended(End.CLOSED, parser.isAtStart()
                                    ? "connection closed by peer"
                                    : "connection closed by peer in the middle of a reply", parser.begun()));
                        }
                    }
                }
            }
            return end.get();
        } catch (IOException | RuntimeException e) {
            return abort(End.BROKEN, FailureWords.of(e));
        }
    }

    /// True when the next [#read] does not block: at least one line is buffered.
    public boolean hasMore() {
        for (int i = received.position(); i < received.limit(); i++) {
            if (received.get(i) == '\n') {
                return true;
            }
        }
        return false;
    }

    private boolean fill() throws IOException {
        int read = in.read(received.array());
        received.clear().limit(Math.max(read, 0));
        return read >= 0;
    }

    /// Writes commands at once.
    public void send(String commands, long millis) {
        put(commands, millis);
        flush(millis);
    }

    /// Puts commands into the outbox, which is written when it is full or by [#flush].
    public void put(String commands, long millis) {
        byte[] bytes = commands.getBytes(StandardCharsets.UTF_8);
        put(bytes, 0, bytes.length, true, millis);
    }

    /// Puts a chunk with its BDAT into the outbox.
    ///
    /// @throws IOException when the chunk could not be read. The peer is in the middle of a
    ///     message: abort the wire
    public void put(Chunks chunk, long millis) throws IOException {
        put("BDAT " + chunk.piece().sizeBytes() + (chunk.isLast() ? " LAST\r\n" : "\r\n"), millis);
        putPiece(chunk, millis);
    }

    /// Puts content and the final dot into the outbox, the dot never without the whole content.
    ///
    /// @param content in the form of DATA
    /// @param millis timeout of each write, so that a peer that reads slowly is served and one that
    ///     stops is disconnected
    /// @return false when the wire failed before the final dot was put
    /// @throws IOException when the content could not be read. The peer is in the middle of a
    ///     message: abort the wire
    public boolean putContent(Chunks content, long millis) throws IOException {
        boolean went;
        do {
            content.read();
            went = putPiece(content, millis);
        } while (went && !content.isLast());
        return went;
    }

    private boolean putPiece(Chunks chunk, long millis) throws IOException {
        return switch (chunk.piece()) {
            case ContentSource.InMemory(byte[] bytes, int offset, int length) ->
                put(bytes, offset, length, chunk.stays(), millis);
            case ContentSource.InFile(FileChannel file, long offset, long length) ->
                putFile(file, offset, length, millis);
        };
    }

    private boolean put(byte[] bytes, int offset, int length, boolean stays, long millis) {
        if (outbox.isFullFor(length, stays)) {
            flush(millis);
        }
        if (mute.isPresent()) {
            return false;
        }
        put += length;
        if (!outbox.put(bytes, offset, length, stays)) {
            flush(millis);
        }
        return true;
    }

    private boolean putFile(FileChannel file, long offset, long length, long millis) throws IOException {
        flush(millis);
        if (mute.isPresent()) {
            return false;
        }
        put += length;
        try {
            for (long left = length; left > 0 && mute.isEmpty();) {
                long at = offset + length - left;
                long most = left;
                left -= write(() -> out.write(file, at, most), most, millis);
            }
            return true;
        } catch (UncheckedIOException unreadable) {
            throw unreadable.getCause();
        }
    }

    /// Writes the outbox.
    public void flush(long millis) {
        ByteBuffer[] parts = outbox.take();
        long left = 0;
        for (ByteBuffer part : parts) {
            left += part.remaining();
        }
        while (left > 0 && mute.isEmpty()) {
            left -= write(() -> out.write(parts), left, millis);
        }
    }

    /// The failure after which nothing can be written. It does not end the wire: the peer may have
    /// sent a reply before it disconnected, which can still be read.
    public Optional<Ended> mute() {
        return mute;
    }

    /// The number of bytes put so far.
    public long putBytes() {
        return put;
    }

    /// The number of bytes handed to the network, which may have lost them.
    public long handedOverBytes() {
        return handedOver;
    }

    /// The number of bytes accepted by the network.
    public long writtenBytes() {
        return written;
    }

    @FunctionalInterface
    private interface Step {
        long run() throws IOException;
    }

    /// One write. Returns the number of bytes; 0 after a failure.
    private long write(Step step, long left, long millis) {
        handedOver = Math.max(handedOver, written + out.uncertain(left));
        try (var _ = watchdog.guard(millis, () -> abort(End.TIMED_OUT, "write timed out after " + seconds(millis)))) {
            long count = step.run();
            // Even when the reader has met the end: the peer may have read this, replied and
            // disconnected.
            written += count;
            handedOver = Math.max(handedOver, written);
            return count;
        } catch (UncheckedIOException unreadable) {
            throw unreadable;
        } catch (IOException | RuntimeException e) {
            mute = Optional
                    .of(Optional.ofNullable(end.get()).orElseGet(() -> new Ended(End.BROKEN, FailureWords.of(e))));
            return 0;
        }
    }

    /// Performs the TLS handshake without authentication. Empty on success.
    public Optional<Ended> startTls(long millis) {
        return startTls(Optional.empty(), millis);
    }

    /// Performs the TLS handshake with a check of the certificate. Empty on success.
    public Optional<Ended> startTls(TlsCheck check, long millis) {
        return startTls(Optional.of(check), millis);
    }

    private Optional<Ended> startTls(Optional<TlsCheck> check, long millis) {
        // Input in clear text after the reply must not count as received under TLS (CVE-2011-0411).
        if (received.hasRemaining()) {
            return Optional.of(abort(End.GARBLED, "plaintext data after the reply to STARTTLS"));
        }
        if (!(endpoint instanceof Endpoint.Tcp tcp) || !(socket instanceof Socket plain)) {
            return Optional.of(abort(End.GARBLED, "STARTTLS on a UNIX socket"));
        }
        try (var _ = watchdog.guard(millis,
                () -> abort(End.TIMED_OUT, "TLS handshake timed out after " + seconds(millis)))) {
            SSLSocketFactory factory = check.isPresent()
                    ? check.get().sockets()
                    : OpportunisticTls.factory(millis);
            String name = check.flatMap(TlsCheck::sni).orElse(tcp.name());
            SSLSocket encrypted = (SSLSocket) factory.createSocket(plain, name, tcp.port(), true);
            encrypted.setEnabledProtocols(OpportunisticTls.VERSIONS);
            if (check.filter(TlsCheck::byName).isPresent()) {
                // RFC 6125, required for mail clients by RFC 7817; Java names the algorithm after
                // HTTPS.
                SSLParameters parameters = encrypted.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                encrypted.setSSLParameters(parameters);
            }
            encrypted.startHandshake();
            in = encrypted.getInputStream();
            out = new Outlet.Stream(encrypted.getOutputStream());
            tls = Optional.of(encrypted);
            return Optional.ofNullable(end.get());
        } catch (IOException | RuntimeException e) {
            Optional<CertificateCheck.RefusedCertificate> refused = CertificateCheck.refusal(e);
            tlsResult = refused.map(CertificateCheck.RefusedCertificate::result).orElse(TlsResult.VALIDATION_FAILURE);
            return Optional.of(abort(End.BROKEN,
                    refused.map(each -> String.valueOf(each.getMessage())).orElseGet(() -> FailureWords.of(e))));
        }
    }

    /// The end of the last handshake; success when there was none.
    public TlsResult tlsResult() {
        return tlsResult;
    }

    /// The chain that the peer showed, its own certificate first; empty in clear text.
    public List<X509Certificate> peerCertificates() {
        try {
            return tls.isEmpty()
                    ? List.of()
                    : Stream.of(tls.get().getSession().getPeerCertificates()).map(X509Certificate.class::cast).toList();
        } catch (SSLPeerUnverifiedException none) {
            return List.of();
        }
    }

    /// This server's address on the connection.
    public Optional<InetAddress> localAddress() {
        return socket instanceof Socket connected ? Optional.of(connected.getLocalAddress()) : Optional.empty();
    }

    /// Version and cipher suite, or `-` in clear text.
    public String security() {
        return tls.map(SSLSocket::getSession).map((SSLSession s) -> s.getProtocol() + "/" + s.getCipherSuite())
                .orElse("-");
    }

    /// Ends the wire at once. Returns the reason that counts: an earlier one, or this.
    public Ended abort(End how, String reason) {
        return abort(new Ended(how, reason));
    }

    private Ended abort(Ended mine) {
        Ended first = end.compareAndExchange(null, mine);
        closeSocket();
        watchdog.close();
        return first == null ? mine : first;
    }

    /// Closes the wire, under TLS with a close_notify, within `millis`.
    public void close(long millis) {
        if (end.get() == null && tls.isPresent()) {
            try (var _ = watchdog.guard(millis, this::closeSocket)) {
                tls.get().close();
            } catch (IOException _) {
                // The peer has closed before.
            }
        }
        abort(End.ABORTED, "closed");
    }

    // The plain socket below TLS: closing the TLS socket would block behind a stuck writer.
    private void closeSocket() {
        try {
            socket.close();
        } catch (IOException _) {
            // Nothing is left to release.
        }
    }

    private static String seconds(long millis) {
        return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
    }
}
