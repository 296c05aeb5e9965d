package org.slipstream.smtpout;

import org.slipstream.smtpout.dialog.ClientDialog;
import org.slipstream.smtpout.wire.Heard;
import org.slipstream.smtpout.wire.Heard.End;
import org.slipstream.smtpout.wire.Wire;

import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/// A wire with the dialogue on it, after the handshake.
///
/// A virtual thread, `out-<n>-in`, does nothing but read replies and hand them over. So its carrier sleeps on one mailbox
/// only, notices at once when the peer closes an idle connection, and can write a long message while
/// replies come in. A peer that floods us with replies nobody asked for is stopped by its own TCP window: no more than
/// [#REPLIES_AHEAD] of them are taken off the wire before the carrier has read any.
final class Session {
    private static final int REPLIES_AHEAD = 256;

    private final Wire wire;
    private final ClientDialog dialog;
    private final Semaphore room = new Semaphore(REPLIES_AHEAD);
    private boolean used;

    Session(Wire wire, ClientDialog dialog) {
        this.wire = wire;
        this.dialog = dialog;
    }

    Wire wire() {
        return wire;
    }

    ClientDialog dialog() {
        return dialog;
    }

    String remote() {
        return wire.endpoint().toString();
    }

    /// True once a transaction has been begun: from then on the peer may be tired of us.
    boolean isUsed() {
        return used;
    }

    void use() {
        used = true;
    }

    /// From here on everything heard goes to `listener`; the last of it is [Heard.Gone].
    void listen(String name, Consumer<Heard> listener) {
        Thread.ofVirtual().name(name).start(() -> {
            Heard heard;
            do {
                heard = wire.hear();
                room.acquireUninterruptibly();
                listener.accept(heard);
            } while (!(heard instanceof Heard.Gone));
        });
    }

    /// What was heard has been dealt with.
    void consumed() {
        room.release();
    }

    void abort(String reason) {
        wire.abort(End.ABORTED, reason);
        letReaderEnd();
    }

    void close(long millis) {
        wire.close(millis);
        letReaderEnd();
    }

    private void letReaderEnd() {
        room.release(REPLIES_AHEAD);
    }
}
