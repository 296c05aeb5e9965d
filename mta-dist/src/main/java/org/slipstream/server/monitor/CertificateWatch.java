package org.slipstream.server.monitor;

import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.guard.tls.TlsContexts;
import org.slipstream.guard.tls.TlsFailure;
import org.slipstream.guard.tls.TlsSettings;

import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// The end of the configured certificates of the listeners. A certificate near its end is one whose renewal
/// has failed: within fourteen days, or within the last sixth of its life when that is shorter. The
/// self-signed pair is not looked at, because no client believes its dates.
///
/// The files are read at most once in ten minutes.
public final class CertificateWatch {
    private static final Duration NEAR = Duration.ofDays(14);
    private static final int PART_OF_LIFE = 6;
    private static final Duration INTERVAL = Duration.ofMinutes(10);

    private final Supplier<TlsSettings> settings;
    private final InstantSource clock;
    private Instant lookedAt = Instant.MIN;
    private Optional<TlsSettings> looked = Optional.empty();
    private List<CertificateLife> lives = List.of();

    private record CertificateLife(Path file, Instant from, Instant until) {
        boolean isNearItsEnd(Instant now) {
            Duration part = Duration.between(from, until).dividedBy(PART_OF_LIFE);
            return !now.isBefore(until.minus(part.compareTo(NEAR) < 0 ? part : NEAR));
        }
    }

    public CertificateWatch(Supplier<TlsSettings> settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
    }

    public Optional<TroubleView> trouble() {
        Instant now = clock.instant();
        return lives(now).stream().filter(each -> each.isNearItsEnd(now)).findFirst()
                .map(each -> new TroubleView("certificate", "", "clients and servers that check certificates send no"
                        + " mail when it has expired; renew it, and the server reads the files again",
                        each.file() + (now.isBefore(each.until()) ? " ends at " : " has expired at ") + each.until()));
    }

    private synchronized List<CertificateLife> lives(Instant now) {
        TlsSettings wanted = settings.get();
        if (looked.filter(wanted::equals).isEmpty() || !lookedAt.plus(INTERVAL).isAfter(now)) {
            looked = Optional.of(wanted);
            lookedAt = now;
            lives = read(wanted);
        }
        return lives;
    }

    private static List<CertificateLife> read(TlsSettings tls) {
        List<Path> files = new ArrayList<>(tls.certificate().stream().toList());
        tls.further().forEach(pair -> files.add(pair.certificate()));
        List<CertificateLife> lives = new ArrayList<>();
        for (Path file : files) {
            try {
                X509Certificate own = TlsContexts.certificates(file).getFirst();
                lives.add(new CertificateLife(file, own.getNotBefore().toInstant(), own.getNotAfter().toInstant()));
            } catch (TlsFailure unreadable) {
                // The listeners keep the certificate that they have, and the log says why.
                continue;
            }
        }
        return List.copyOf(lives);
    }
}
