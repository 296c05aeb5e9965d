package org.slipstream.qmgr;

import org.slipstream.core.MessageSummary;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/// Who is taken into the active set next: new mail or mail that has been tried before?
///
/// **The rule** (Postfix, PF-28, PF-60). There are two sources, new mail and deferred mail. They take turns, one message each, so
/// that ten thousand deferred messages do not keep one new message waiting, nor the other way round. When one has nothing, the
/// other is asked in the same pass. And when a pass has filled the active set, the next begins with new mail: whoever
/// has waited for a quarter of an hour already can wait a moment more, so under pressure new mail goes first.
///
/// The rule is indifferent to where messages come from. In the server the sources are what was announced and what scans
/// found ([PendingArrivals]); a laboratory brings its own.
public final class ActivationOrder {
    /// Messages that want to get in.
    @FunctionalInterface
    public interface Source {
        /// The next one, taken out of the source; empty when there is none at present.
        Optional<Offer> next(long nowMillis);
    }

    /// @param due false when its time has not come; it is passed over
    public record Offer(MessageSummary message, boolean due) {}

    private final Source incoming;
    private final Source deferred;
    private Source preferred;

    public ActivationOrder(Source incoming, Source deferred) {
        this.incoming = incoming;
        this.deferred = deferred;
        this.preferred = incoming;
    }

    /// One pass: takes in one message at most. True when there was any, taken or not: then another pass is worthwhile.
    ///
    /// @param room free places in the active set
    public boolean pass(IntSupplier room, long nowMillis, Consumer<MessageSummary> taken) {
        boolean found = false;
        Source source = preferred;
        Source last = deferred;
        for (int tries = 0; tries < 2 && room.getAsInt() > 0; tries++) {
            last = source;
            Optional<Offer> offer = source.next(nowMillis);
            found |= offer.isPresent();
            if (offer.isPresent() && offer.get().due()) {
                taken.accept(offer.get().message());
                break;
            }
            source = other(source);
        }
        preferred = room.getAsInt() > 0 ? other(last) : incoming;
        return found;
    }

    private Source other(Source source) {
        return source == incoming ? deferred : incoming;
    }
}
