package org.slipstream.smtpout;

import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Delivery;
import org.slipstream.smtpout.dialog.ClientDialog;
import org.slipstream.smtpout.wire.Endpoint;
import org.slipstream.smtpout.wire.Wire;
import org.slipstream.smtpout.wire.WireInput;
import org.slipstream.smtpout.wire.WireInput.End;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/// A connection after its handshake: the wire and the dialog on it.
///
/// A virtual thread, `out-<n>-in`, only reads replies and passes them on. So the carrier waits on
/// its inbox only, notices at once when the peer closes an idle connection, and can write while
/// replies arrive. A client that writes ahead without reading would sooner or later deadlock with
/// the peer, both with full TCP buffers (RFC 2920 section 3.1). TCP flow control stops a peer that
/// floods this server with unsolicited replies: at most [#CHARS_AHEAD] characters are read before
/// the carrier has handled any.
final class Session {
    /// Many times the size of the replies to all outstanding commands.
    private static final int CHARS_AHEAD = 1 << 20;
    private static final int CHARS_PER_REPLY = 100;

    private final Wire wire;
    private final ClientDialog dialog;
    private final long roundTripNanos;
    private final Assurance assurance;
    private final Semaphore space = new Semaphore(CHARS_AHEAD);

    /// @param roundTripNanos the shortest time from a command to its reply during the handshake
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

    /// The peer's name in logs: the host for which the connection was opened.
    String remote() {
        return wire.endpoint().toString();
    }

    /// The peer's name in outcomes: the host of this delivery's route with the connection's
    /// address. Hosts with one address share connections, so the connection may have been opened
    /// for another host.
    String remote(Delivery delivery) {
        return delivery.route() instanceof Route.Smtp smtp && wire.endpoint() instanceof Endpoint.Tcp tcp
                ? new Endpoint.Tcp(smtp.hosts().getFirst().name(), tcp.address(), tcp.port()).toString()
                : remote();
    }

    /// Passes all further replies to `listener`, those that arrived together in one list; the last
    /// is [WireInput.Ended].
    void listen(String name, Consumer<List<WireInput>> listener) {
        Thread.ofVirtual().name(name).start(() -> {
            List<WireInput> inputs;
            do {
                inputs = read();
                // The wire buffers fewer replies than the semaphore permits, or this could block
                // indefinitely.
                space.acquireUninterruptibly(weight(inputs));
                listener.accept(inputs);
            } while (!(inputs.getLast() instanceof WireInput.Ended));
        });
    }

    private List<WireInput> read() {
        WireInput first = wire.read();
        if (first instanceof WireInput.Ended || !wire.hasMore()) {
            return List.of(first);
        }
        List<WireInput> inputs = new ArrayList<>();
        inputs.add(first);
        while (!(inputs.getLast() instanceof WireInput.Ended) && wire.hasMore()) {
            inputs.add(wire.read());
        }
        return inputs;
    }

    /// Releases the space of a reply that was handled.
    void consumed(WireInput inputs) {
        space.release(weight(inputs));
    }

    private static int weight(List<WireInput> inputs) {
        int chars = 0;
        for (WireInput each : inputs) {
            chars += weight(each);
        }
        return chars;
    }

    private static int weight(WireInput inputs) {
        return switch (inputs) {
            case WireInput.Received(Reply reply) -> {
                int chars = CHARS_PER_REPLY;
                for (String line : reply.lines()) {
                    chars += CHARS_PER_REPLY + line.length();
                }
                yield chars;
            }
            case WireInput.Ended _ -> 0;
        };
    }

    void abort(String reason) {
        wire.abort(End.ABORTED, reason);
        releaseReader();
    }

    void close(long millis) {
        wire.close(millis);
        releaseReader();
    }

    private void releaseReader() {
        space.release(CHARS_AHEAD);
    }
}
