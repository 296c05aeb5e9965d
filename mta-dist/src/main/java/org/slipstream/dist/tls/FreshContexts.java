package org.slipstream.dist.tls;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.dist.config.Config;

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

/// The TLS context of the moment: made again when a file of certificates or keys has become another one, so that a renewal
/// needs no restart.
///
/// Asked at each handshake, and looks at the files at most once a second. Files that cannot be used change nothing: whoever
/// renews writes two files, and in between they do not belong together. That is said once per state of the files, as a warning,
/// since the next look may find the second one.
///
/// Called by all sessions.
public final class FreshContexts implements Supplier<SSLContext> {
    private static final Logger log = LoggerFactory.getLogger(FreshContexts.class);
    private static final long LOOK_EVERY_NANOS = 1_000_000_000L;

    private final Config.Tls tls;
    private final Path home;
    private final String hostname;
    private final LongSupplier nanos;
    private final List<Path> files;
    private SSLContext context;
    private List<Stamp> stamps;
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

    private FreshContexts(Config.Tls tls, Path home, String hostname, LongSupplier nanos) throws TlsFailure {
        this.tls = tls;
        this.home = home;
        this.hostname = hostname;
        this.nanos = nanos;
        this.context = TlsContexts.open(tls, home, hostname);
        this.files = TlsContexts.files(tls, home, hostname);
        this.stamps = stamps();
        this.lookedNanos = nanos.getAsLong();
    }

    /// @throws TlsFailure when the files cannot be used; at a start that is a reason not to
    public static FreshContexts open(Config.Tls tls, Path home, String hostname) throws TlsFailure {
        return open(tls, home, hostname, System::nanoTime);
    }

    static FreshContexts open(Config.Tls tls, Path home, String hostname, LongSupplier nanos) throws TlsFailure {
        return new FreshContexts(tls, home, hostname, nanos);
    }

    @Override
    public synchronized SSLContext get() {
        long now = nanos.getAsLong();
        if (now - lookedNanos >= LOOK_EVERY_NANOS) {
            lookedNanos = now;
            look();
        }
        return context;
    }

    private void look() {
        List<Stamp> seen = stamps();
        if (seen.equals(stamps)) {
            return;
        }
        stamps = seen;
        try {
            context = TlsContexts.open(tls, home, hostname);
            log.info("msg=\"certificates read again\" files={}", files.size());
        } catch (TlsFailure unusable) {
            log.warn("msg=\"certificates not read again, the former ones hold\" reason=\"{}\"",
                    unusable.getMessage());
        }
    }

    private List<Stamp> stamps() {
        List<Stamp> all = new ArrayList<>();
        files.forEach(file -> all.add(Stamp.of(file)));
        return all;
    }
}
