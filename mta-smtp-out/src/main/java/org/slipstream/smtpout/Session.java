package org.slipstream.smtpout;

import org.slipstream.core.Delivery;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.smtpout.dialog.ClientDialog;
import org.slipstream.smtpout.wire.Endpoint;
import org.slipstream.smtpout.wire.Heard;
import org.slipstream.smtpout.wire.Heard.End;
import org.slipstream.smtpout.wire.Wire;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/// A wire with the dialogue on it, after the handshake.
///
/// A virtual thread, `out-<n>-in`, does nothing but read replies and hand them over. So its carrier sleeps on one mailbox
/// only, notices at once when the peer closes an idle connection, and above all can write while replies come in: a client that
/// writes ahead and does not read meanwhile would sooner or later wait for a peer that waits for it, both with full TCP buffers
/// (RFC 2920 section 3.1). A peer that floods us with replies nobody asked for is stopped by its own TCP window: no
/// more than [#CHARS_AHEAD] of text are taken off the wire before the carrier has read any.
final class Session {
    /// Many times what the replies to all outstanding commands need.
    private static final int CHARS_AHEAD = 1 << 20;
    private static final int CHARS_PER_REPLY = 100;

    private final Wire wire;
    private final ClientDialog dialog;
    private final long roundTripNanos;
    private final Assurance assurance;
    private final Semaphore room = new Semaphore(CHARS_AHEAD);

    /// @param roundTripNanos the shortest from a command to its reply during the handshake
    Session(Wire wire, ClientDialog dialog, long roundTripNanos, Assurance assurance) {
        this.wire = wire;
        this.dialog = dialog;
        this.roundTripNanos = roundTripNanos;
        this.assurance = assurance;
    }

    long roundTripNanos() {
        return roundTripNanos;
    }

    Assurance assurance() {
        return assurance;
    }

    Wire wire() {
        return wire;
    }

    ClientDialog dialog() {
        return dialog;
    }

    /// The peer's name in logs: the one under which the connection was opened.
    String remote() {
        return wire.endpoint().toString();
    }

    /// The peer's name in outcomes: the host of this delivery's route, with the connection's address. Hosts with one address
    /// share connections, so the connection may have been opened under another name.
    String remote(Delivery delivery) {
        return delivery.route() instanceof Route.Smtp smtp && wire.endpoint() instanceof Endpoint.Tcp tcp
                ? new Endpoint.Tcp(smtp.hosts().getFirst().name(), tcp.address(), tcp.port()).toString()
                : remote();
    }

    /// From here on everything heard goes to `listener`, what came together in one piece; the last of it is [Heard.Gone].
    void listen(String name, Consumer<List<Heard>> listener) {
        Thread.ofVirtual().name(name).start(() -> {
            List<Heard> heard;
            do {
                heard = hear();
                // A wire's buffer of replies is less than all the room, or this could wait for ever.
                room.acquireUninterruptibly(weight(heard));
                listener.accept(heard);
            } while (!(heard.getLast() instanceof Heard.Gone));
        });
    }

    private List<Heard> hear() {
        Heard first = wire.hear();
        if (first instanceof Heard.Gone || !wire.hasMore()) {
            return List.of(first);
        }
        List<Heard> heard = new ArrayList<>();
        heard.add(first);
        while (!(heard.getLast() instanceof Heard.Gone) && wire.hasMore()) {
            heard.add(wire.hear());
        }
        return heard;
    }

    /// What was heard has been dealt with.
    void consumed(Heard heard) {
        room.release(weight(heard));
    }

    private static int weight(List<Heard> heard) {
        int chars = 0;
        for (Heard each : heard) {
            chars += weight(each);
        }
        return chars;
    }

    private static int weight(Heard heard) {
        return switch (heard) {
            case Heard.Said(Reply reply) -> {
                int chars = CHARS_PER_REPLY;
                for (String line : reply.lines()) {
                    chars += CHARS_PER_REPLY + line.length();
                }
                yield chars;
            }
            case Heard.Gone _ -> 0;
        };
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
        room.release(CHARS_AHEAD);
    }
}
