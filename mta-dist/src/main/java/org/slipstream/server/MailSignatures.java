package org.slipstream.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.auth.dkim.SigningKeys;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.Origin;
import org.slipstream.guard.dkim.KeyFolder;
import org.slipstream.guard.dkim.MailSigner;
import org.slipstream.server.feedback.TraceFields;
import org.slipstream.server.intake.Services;
import org.slipstream.smtpout.ContentSigner;
import org.slipstream.smtpout.SignedContent;
import org.slipstream.smtpout.host.Literal;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;

/// Signs mail of the own users when it leaves by SMTP, and follows the files of the keys.
///
/// **Only mail that is ours.** A signature says that this site answers for a message. A stranger's
/// message that is forwarded must not get one, whatever domain it has in From. The origin, which is
/// stored with the envelope, decides: a login, a client of `relay.networks`, a program of this machine,
/// a report. Mail without a known origin is not signed.
final class MailSignatures {
    private static final Logger log = LoggerFactory.getLogger(MailSignatures.class);

    private final KeyFolder folder;
    private final TraceFields traces;
    private final Predicate<InetAddress> mayRelay;
    private final MailSigner signer = new MailSigner(InstantSource.system());

    /// @param mayRelay by the settings in force
    MailSignatures(KeyFolder folder, Predicate<InetAddress> mayRelay, TraceFields traces) {
        this.folder = folder;
        this.traces = traces;
        this.mayRelay = mayRelay;
    }

    /// The keys that sign from now on.
    void use(SigningKeys keys) {
        signer.use(keys);
    }

    /// For the connections of a shard.
    ContentSigner ofShard(int shard) {
        return (delivery, envelope, form, onWire) -> {
            if (!isOurs(envelope.origin())) {
                return new byte[0];
            }
            byte[] own = traces.fields(delivery, envelope, onWire);
            // Copies for two recipients have two signatures, because each has a trace of its own. The name is a short
            // one, because signatures are remembered by it.
            return own.length == 0
                    ? signer.fields(new MailSigner.MessageForm(shard, delivery.id(), form), onWire)
                    : joined(signer.fields(new MailSigner.MessageForm(shard, delivery.id(),
                            form + " " + UUID.nameUUIDFromBytes(own)),
                            new SignedContent(own, onWire)), own);
        };
    }

    private static byte[] joined(byte[] signatures, byte[] own) {
        byte[] all = Arrays.copyOf(signatures, signatures.length + own.length);
        System.arraycopy(own, 0, all, signatures.length, own.length);
        return all;
    }

    /// The LMTP port takes mail that another server has received, mostly from this machine.
    private boolean isOurs(Origin origin) {
        return origin.isOfThisMachine() || !origin.service().equals(Services.LMTP)
                && (!origin.user().isEmpty() || Literal.domain(origin.client()).filter(mayRelay).isPresent());
    }

    List<Path> files() {
        return folder.watched();
    }

    void filesChanged() {
        try {
            SigningKeys keys = folder.signing();
            use(keys);
            log.info("event=keys-reloaded domains={} keys={}", keys.byDomain().size(),
                    keys.byDomain().values().stream().mapToInt(List::size).sum());
        } catch (IOException unusable) {
            log.warn("event=keys-not-reloaded next=\"the previous keys stay in use\" reason=\"{}\"",
                    LogText.text(FailureWords.of(unusable)));
        }
    }
}
