package org.slipstream.guard.dkim;

import org.slipstream.guard.dkim.MailSigner.MessageForm;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// The signatures of the messages that were delivered last, within [#MOST_OCTETS]. A signature that is
/// being made is here, too, so that deliveries to several hosts at once make one.
final class RememberedSignatures {
    /// Some 2,000 messages with two signatures each.
    private static final long MOST_OCTETS = 4 << 20;
    /// Of the objects of an entry.
    private static final int ENTRY_OCTETS = 300;

    private final Map<MessageForm, CompletableFuture<byte[]>> byForm = new LinkedHashMap<>(16, 0.75f, true);
    private final long most;
    private long octets;

    RememberedSignatures() {
        this(MOST_OCTETS);
    }

    RememberedSignatures(long most) {
        this.most = most;
    }

    /// The signature of another delivery, which may not be ready; empty when this one has to be made.
    synchronized Optional<CompletableFuture<byte[]>> putIfAbsent(MessageForm form, CompletableFuture<byte[]> own) {
        return Optional.ofNullable(byForm.putIfAbsent(form, own));
    }

    /// A failure is not remembered.
    synchronized void done(MessageForm form, CompletableFuture<byte[]> own) {
        if (own.isCompletedExceptionally()) {
            byForm.remove(form, own);
            return;
        }
        octets += octets(own);
        Iterator<CompletableFuture<byte[]>> eldest = byForm.values().iterator();
        while (octets > most && eldest.hasNext()) {
            CompletableFuture<byte[]> next = eldest.next();
            if (next.isDone()) {
                octets -= octets(next);
                eldest.remove();
            }
        }
    }

    private static long octets(CompletableFuture<byte[]> made) {
        return ENTRY_OCTETS + made.resultNow().length;
    }

    synchronized int size() {
        return byForm.size();
    }
}
