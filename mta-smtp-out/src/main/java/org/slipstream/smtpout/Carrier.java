package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Delivery;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.smtpout.Traffic.Ending;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.smtpout.wire.Wire;
import org.slipstream.smtpout.wire.WireInput;
import org.slipstream.smtpout.wire.WireInput.End;
import org.slipstream.smtpout.wire.WireWatchdog;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// One outgoing connection, on its own virtual thread `out-<n>`: opens, sends deliveries, several
/// at once where the peer supports that, and closes.
///
/// The queue manager decides when a connection opens and closes; the carrier owns the socket and
/// executes. Every open and every delivery gets exactly one reply, even after a failure of the
/// network or a defect here: see [PendingReplies].
///
/// **Stale connections.** A peer may close an idle connection at any time, also while the next
/// deliveries are being sent. When it closes before it has replied to any of them, the connection
/// counts as lost, which is not a failure of the host.
///
/// **Stopping.** The thread is never interrupted, because it may be reading a message, and an
/// interrupt would close the spool's file. To stop a carrier, abort its connection.
final class Carrier implements Runnable, ConnectionOwner {
    private static final Logger log = LoggerFactory.getLogger(Carrier.class);

    private final long number;
    private final Route route;
    private final boolean plainly;
    private final ClientConfig config;
    private final Opener opener;
    private final PendingReplies pending;
    private final ContentSigner signer;
    private final Consumer<Carrier> ended;
    private final CarrierInbox inbox;
    private final Deque<Transfer> waiting = new ArrayDeque<>();

    private Optional<Session> session = Optional.empty();
    private Optional<Traffic> traffic = Optional.empty();
    private boolean closing;

    // Guarded by this, for threads that abort: the wire in use, and whether it is still being
    // opened.
    private Optional<Wire> wire = Optional.empty();
    private boolean opening = true;
    private boolean aborted;
    private boolean stopping;

    /// Read by other threads.
    private volatile Optional<WirePhase> phase = Optional.empty();

    /// @param ended called last, when no reply is pending
    Carrier(long number, Route route, boolean plainly, ClientConfig config, Opener opener, WireWatchdog watchdog,
            CarrierEvents events, ContentSigner signer, Consumer<Carrier> ended) {
        this.number = number;
        this.route = route;
        this.plainly = plainly;
        this.config = config;
        this.opener = opener;
        this.inbox = new CarrierInbox(watchdog);
        this.pending = new PendingReplies(number, events);
        this.signer = signer;
        this.ended = ended;
    }

    long number() {
        return number;
    }

    /// False when this carrier has ended and will not reply.
    boolean deliver(Transfer transfer) {
        return inbox.deliver(transfer, () -> pending.expect(transfer.delivery()));
    }

    /// Finishes deliveries under way, then ends. A connection that is still being opened is
    /// aborted.
    void close() {
        inbox.post(new CarrierInbox.Close());
        synchronized (this) {
            if (opening) {
                abort();
            }
        }
    }

    /// Like [#close]; from now on, failures of deliveries count as failures of this server.
    void stop() {
        synchronized (this) {
            stopping = true;
        }
        close();
    }

    /// Aborts the connection.
    synchronized void abort() {
        aborted = true;
        wire.ifPresent(w -> w.abort(End.ABORTED, "server is shutting down"));
    }

    /// Sends all pending replies from the caller's thread, when the carrier hangs where no abort
    /// reaches it.
    void failPending() {
        inbox.end();
        pending.failAll(FailureReplies.stopping());
    }

    @Override
    public void run() {
        try {
            Ending ending = openAndServe();
            quit();
            release();
            replyToRemaining(ending);
        } catch (Throwable e) {
            log.warn("event=connection-failed connection={}", number, e);
        } finally {
            release();
            inbox.end();
            inbox.close();
            pending.failAll(FailureReplies.internal());
            ended.accept(this);
        }
    }

    private Ending openAndServe() {
        return switch (open()) {
            case Opener.Result.Opened(Session opened) -> {
                pending.ready();
                Traffic running = new Traffic(number, config, opened, pending, signer, plainly, now -> phase = now);
                traffic = Optional.of(running);
                yield serve(running);
            }
            case Opener.Result.Failed failed -> {
                pending.failed(failed.reason(), failed.remote(), failed.ours(), failed.retryAfterMillis(),
                        failed.ofSource() ? Optional.of(QueuePhase.Code.SOURCE) : phase.map(WirePhase::code));
                yield Ending.QUIET;
            }
            case Opener.Result.Stopped _ -> {
                pending.failed(isStopping() ? FailureReplies.stopping() : FailureReplies.closedByOrder(),
                        FailureReplies.LOCAL, true, OptionalLong.empty(), Optional.empty());
                yield Ending.QUIET;
            }
        };
    }

    private Opener.Result open() {
        Opener.Result result = opener.open(route, number, this);
        synchronized (this) {
            opening = false;
        }
        if (result instanceof Opener.Result.Opened(Session opened)) {
            session = Optional.of(opened);
            opened.listen(Thread.currentThread().getName() + "-in",
                    input -> inbox.post(fromWire(input)));
        }
        return result;
    }

    private static List<CarrierInbox.Item> fromWire(List<WireInput> input) {
        List<CarrierInbox.Item> items = new ArrayList<>(input.size());
        for (WireInput each : input) {
            items.add(new CarrierInbox.FromWire(each));
        }
        return items;
    }

    @Override
    public synchronized boolean adopt(Wire next) {
        wire = Optional.of(next);
        return !aborted;
    }

    @Override
    public void phaseChanged(WirePhase now) {
        phase = Optional.of(now);
    }

    /// Empty while the connection has nothing to do.
    Optional<WirePhase> phase() {
        return phase;
    }

    /// Handles all input before it writes, so that replies the peer sent unasked are known first.
    /// Writes everything that can be written before it waits.
    private Ending serve(Traffic running) {
        while (running.ending().isEmpty()) {
            for (var item = inbox.poll(); item.isPresent(); item = inbox.poll()) {
                take(item.get(), running);
            }
            while (!waiting.isEmpty() && running.mayBegin(waiting.element())) {
                running.begin(waiting.remove());
            }
            if (!running.write()) {
                running.flush();
                if (closing && waiting.isEmpty() && running.isIdle()) {
                    break;
                }
                if (running.ending().isEmpty()) {
                    inbox.take(running.timeoutNanos()).ifPresentOrElse(item -> take(item, running),
                            running::timedOut);
                }
            }
        }
        return running.ending().orElse(Ending.QUIET);
    }

    private void take(CarrierInbox.Item item, Traffic running) {
        switch (item) {
            case CarrierInbox.Deliver(Transfer transfer) ->
                waiting.addAll(pending.divided(transfer, running.portions(transfer.delivery())));
            case CarrierInbox.Close _ -> closing = true;
            case CarrierInbox.FromWire(WireInput input) -> {
                if (running.ending().isEmpty()) {
                    running.received(input);
                }
            }
        }
    }

    // ---- the end

    private void release() {
        session.ifPresent(s -> s.abort("ended"));
        traffic.ifPresent(Traffic::close);
    }

    private void replyToRemaining(Ending ending) {
        waiting.addAll(inbox.end());
        ending.lost().ifPresent(reason -> {
            log.debug("event=connection-lost connection={} reason=\"{}\"", number, LogText.text(reason));
            pending.lost(reason);
        });
        ending.left().forEach(pending::done);
        waiting.forEach(transfer -> pending.done(untried(transfer.delivery())));
    }

    private DeliveryResult untried(Delivery delivery) {
        return isStopping()
                ? new DeliveryResult.OwnFailure(delivery.number(), number, FailureReplies.stopping(),
                        DeliveryResult.Scope.MESSAGE, false)
                : new DeliveryResult.Unanswered(delivery.number(), number, FailureReplies.noSuchConnection(),
                        session.map(s -> s.remote(delivery)).orElse(FailureReplies.LOCAL), false);
    }

    /// Sends QUIT when the peer is connected and nothing is under way. No reply waits for it.
    private void quit() {
        if (traffic.filter(Traffic::isIdle).isEmpty()) {
            return;
        }
        Session s = session.orElseThrow();
        s.wire().send("QUIT\r\n", config.quitMillis());
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.quitMillis());
        boolean over = s.wire().mute().isPresent();
        while (!over) {
            Optional<CarrierInbox.Item> item = inbox.take(deadline - System.nanoTime());
            over = item.isEmpty() || item.get() instanceof CarrierInbox.FromWire;
            item.ifPresent(i -> {
                if (i instanceof CarrierInbox.Deliver(Transfer transfer)) {
                    waiting.add(transfer);
                }
            });
        }
        s.close(config.quitMillis());
    }

    private synchronized boolean isStopping() {
        return stopping;
    }
}
