package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Delivery;
import org.slipstream.core.DeliveryResult;
import org.slipstream.core.LogText;
import org.slipstream.core.Route;
import org.slipstream.smtpout.Traffic.Ending;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.smtpout.wire.Heard;
import org.slipstream.smtpout.wire.Heard.End;
import org.slipstream.smtpout.wire.Wire;
import org.slipstream.smtpout.wire.WireWatchdog;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// One connection, on a virtual thread of its own, `out-<n>`: opens it, carries deliveries, several at once where the peer can
/// bear that, closes it.
///
/// The queue manager decides about the connection's life; the carrier owns the socket and obeys. Every open and every delivery is
/// answered exactly once, whatever happens on the network or in here: see [PendingReplies].
///
/// **Stale connections.** A peer may close an idle connection at any time, also in the moment in which the next deliveries come.
/// When it closes before it has reacted to any of them, the connection counts as lost, and nobody is to blame.
///
/// **Stopping.** Nothing here is interrupted, because the thread may be reading a message and an interrupt would close the
/// spool's file under it. To stop a carrier, abort its connection.
final class Carrier implements Runnable, ConnectionOwner {
    private static final Logger log = LoggerFactory.getLogger(Carrier.class);

    private final long number;
    private final Route route;
    private final boolean plainly;
    private final ClientConfig config;
    private final Opener opener;
    private final PendingReplies pending;
    private final Consumer<Carrier> ended;
    private final CarrierInbox mailbox;
    private final Deque<Transfer> waiting = new ArrayDeque<>();

    private Optional<Session> session = Optional.empty();
    private Optional<Traffic> traffic = Optional.empty();
    private boolean closing;

    // Guarded by this, for threads that cut: the wire in use, and whether it is still being opened.
    private Optional<Wire> wire = Optional.empty();
    private boolean opening = true;
    private boolean cut;
    private boolean stopping;

    /// Read by other threads.
    private volatile Optional<WirePhase> phase = Optional.empty();

    /// @param ended called last, when no answer is pending
    Carrier(long number, Route route, boolean plainly, ClientConfig config, Opener opener, WireWatchdog watchdog,
            CarrierEvents events, Consumer<Carrier> ended) {
        this.number = number;
        this.route = route;
        this.plainly = plainly;
        this.config = config;
        this.opener = opener;
        this.mailbox = new CarrierInbox(watchdog);
        this.pending = new PendingReplies(number, events);
        this.ended = ended;
    }

    long number() {
        return number;
    }

    /// False when this carrier has ended and will not answer.
    boolean deliver(Transfer transfer) {
        pending.expect(transfer.delivery());
        return mailbox.post(new CarrierInbox.Deliver(transfer)) || !pending.withdraw(transfer.delivery());
    }

    /// Finishes what it is doing, then ends. A connection that is still being opened has nothing to finish.
    void close() {
        mailbox.post(new CarrierInbox.Close());
        synchronized (this) {
            if (opening) {
                cut();
            }
        }
    }

    /// Like [#close]. From now on a delivery that fails is a failure of this server.
    void stop() {
        synchronized (this) {
            stopping = true;
        }
        close();
    }

    /// Ends what it is doing.
    synchronized void cut() {
        cut = true;
        wire.ifPresent(w -> w.abort(End.ABORTED, "this server is stopping"));
    }

    /// Answers in the carrier's place whatever is pending, when it hangs where nothing can reach it.
    void giveUp() {
        mailbox.end();
        pending.giveUp(FailureReplies.stopping());
    }

    @Override
    public void run() {
        try {
            Ending ending = live();
            quit();
            release();
            settle(ending);
        } catch (Throwable e) {
            log.warn("msg=\"a connection ends by a defect of this server\" conn={}", number, e);
        } finally {
            release();
            mailbox.end();
            mailbox.close();
            pending.giveUp(FailureReplies.internal());
            ended.accept(this);
        }
    }

    private Ending live() {
        return switch (open()) {
            case Opener.Result.Opened(Session opened) -> {
                pending.ready();
                Traffic running = new Traffic(number, config, opened, pending, plainly, now -> phase = now);
                traffic = Optional.of(running);
                yield serve(running);
            }
            case Opener.Result.Failed failed -> {
                pending.failed(failed.reason(), failed.remote(), failed.ours(), failed.retryAfterMillis());
                yield Ending.QUIET;
            }
            case Opener.Result.Stopped _ -> {
                pending.failed(isStopping() ? FailureReplies.stopping() : FailureReplies.closedByOrder(),
                        FailureReplies.LOCAL, true, OptionalLong.empty());
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
            opened.listen("out-" + number + "-in",
                    heard -> mailbox.post(fromWire(heard)));
        }
        return result;
    }

    private static List<CarrierInbox.Item> fromWire(List<Heard> heard) {
        List<CarrierInbox.Item> items = new ArrayList<>(heard.size());
        for (Heard each : heard) {
            items.add(new CarrierInbox.FromWire(each));
        }
        return items;
    }

    @Override
    public synchronized boolean adopt(Wire next) {
        wire = Optional.of(next);
        return !cut;
    }

    @Override
    public void doing(WirePhase now) {
        phase = Optional.of(now);
    }

    /// Empty while the connection has nothing to do.
    Optional<WirePhase> phase() {
        return phase;
    }

    /// Everything that is there is taken before anything is written, so what the peer has said while nobody asked is
    /// known first; everything that can be written is written before anybody waits.
    private Ending serve(Traffic running) {
        while (running.ending().isEmpty()) {
            for (var item = mailbox.poll(); item.isPresent(); item = mailbox.poll()) {
                take(item.get(), running);
            }
            while (!waiting.isEmpty() && running.hasRoomFor(waiting.element())) {
                running.begin(waiting.remove());
            }
            if (!running.write()) {
                running.flush();
                if (closing && waiting.isEmpty() && running.isIdle()) {
                    break;
                }
                if (running.ending().isEmpty()) {
                    mailbox.take(running.patienceNanos()).ifPresentOrElse(item -> take(item, running),
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
            case CarrierInbox.FromWire(Heard heard) -> {
                if (running.ending().isEmpty()) {
                    running.heard(heard);
                }
            }
        }
    }

    // ---- the end

    private void release() {
        session.ifPresent(s -> s.abort("ended"));
        traffic.ifPresent(Traffic::close);
    }

    private void settle(Ending ending) {
        waiting.addAll(mailbox.end());
        ending.lost().ifPresent(reason -> {
            log.debug("msg=\"connection lost\" conn={} reason=\"{}\"", number, LogText.text(reason));
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

    /// QUIT, where the peer is still there and nothing is under way. No answer waits for it.
    private void quit() {
        if (traffic.filter(Traffic::isIdle).isEmpty()) {
            return;
        }
        Session s = session.orElseThrow();
        s.wire().send("QUIT\r\n", config.quitMillis());
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.quitMillis());
        boolean over = s.wire().mute().isPresent();
        while (!over) {
            Optional<CarrierInbox.Item> item = mailbox.take(deadline - System.nanoTime());
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
