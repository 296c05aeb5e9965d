package org.slipstream.guard.tls;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

/// The current TLS context: reloaded when a certificate or key file has changed, so that a renewal
/// needs no restart.
///
/// Configured files are read at the start, so that mistakes are found there. A self-signed pair
/// cannot contain mistakes. It is created and read at the first handshake, because key, certificate
/// and signature take 0.1 s of a start's processor time.
///
/// Called at each handshake; checks the files at most once a second. Files that cannot be used
/// change nothing, because a renewal writes two files that do not match in between. This is logged
/// once per state of the files, as a warning, because the next check may find the second file.
///
/// Used by all sessions.
public final class FreshContexts implements Supplier<SSLContext> {
    private static final Logger log = LoggerFactory.getLogger(FreshContexts.class);
    private static final long LOOK_EVERY_NANOS = 1_000_000_000L;

    private final TlsSettings tls;
    private final Path home;
    private final String hostname;
    private final LongSupplier nanos;
    private final List<Path> files;
    private Optional<SSLContext> context = Optional.empty();
    private List<Stamp> stamps = List.of();
    private long lookedNanos;

    private record Stamp(Optional<Object> key, long modifiedNanos, long size) {
        static Stamp of(Path file) {
            try {
                BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
                return new Stamp(Optional.ofNullable(now.fileKey()), now.lastModifiedTime().to(TimeUnit.NANOSECONDS),
                        now.size());
            } catch (IOException gone) {
                return new Stamp(Optional.empty(), 0, -1);
            }
        }
    }

    private FreshContexts(TlsSettings tls, Path home, String hostname, LongSupplier nanos) {
        this.tls = tls;
        this.home = home;
        this.hostname = hostname;
        this.nanos = nanos;
        this.files = TlsContexts.files(tls, home, hostname);
    }

    /// @throws TlsFailure when the files cannot be used; the server then does not start
    public static FreshContexts open(TlsSettings tls, Path home, String hostname) throws TlsFailure {
        return open(tls, home, hostname, System::nanoTime);
    }

    static FreshContexts open(TlsSettings tls, Path home, String hostname, LongSupplier nanos) throws TlsFailure {
        FreshContexts contexts = new FreshContexts(tls, home, hostname, nanos);
        if (!TlsContexts.onlySelfSigned(tls)) {
            contexts.read();
        }
        return contexts;
    }

    /// @throws IllegalStateException when the self-signed pair cannot be created or used
    @Override
    public synchronized SSLContext get() {
        if (context.isEmpty()) {
            readFirst();
        } else if (nanos.getAsLong() - lookedNanos >= LOOK_EVERY_NANOS) {
            look();
        }
        return context.orElseThrow();
    }

    private void readFirst() {
        try {
            read();
        } catch (TlsFailure unusable) {
            throw new IllegalStateException(unusable.getMessage(), unusable);
        }
    }

    private void read() throws TlsFailure {
        context = Optional.of(TlsContexts.open(tls, home, hostname));
        stamps = stamps();
        lookedNanos = nanos.getAsLong();
    }

    private void look() {
        lookedNanos = nanos.getAsLong();
        List<Stamp> seen = stamps();
        if (seen.equals(stamps)) {
            return;
        }
        stamps = seen;
        try {
            context = Optional.of(TlsContexts.open(tls, home, hostname));
            log.info("event=certificates-reloaded count={}", files.size());
        } catch (TlsFailure unusable) {
            log.warn("event=certificates-not-reloaded next=\"the previous certificates stay in use\" reason=\"{}\"",
                    unusable.getMessage());
        }
    }

    private List<Stamp> stamps() {
        List<Stamp> all = new ArrayList<>();
        files.forEach(file -> all.add(Stamp.of(file)));
        return all;
    }
}
