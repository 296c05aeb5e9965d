package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.smtpout.Traffic.Ending;
import org.slipstream.smtpout.Traffic.Ending.Kind;
import org.slipstream.smtpout.Traffic.Left;
import org.slipstream.smtpout.wire.Heard;
import org.slipstream.smtpout.wire.Heard.End;
import org.slipstream.smtpout.wire.Watchdog;
import org.slipstream.smtpout.wire.Wire;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// One connection, on a virtual thread of its own, `out-<n>`: opens it, carries parcels, several at once where the peer can
/// bear that, closes it.
///
/// The owner of the connection's life is the queue manager; the carrier owns the socket and obeys. What it promises in
/// return, whatever happens on the network or in here: every open is answered once, by ready or failed, and every parcel
/// once, by done or returned.
///
/// **Stale connections.** A peer may close an idle connection at any time, also in the moment in which the next parcels come.
/// When it went away before it reacted to anything of them, nobody is to blame, and that is what the house is told. For a
/// house that cannot find a parcel another seat there is another carrier by the same route: see [Carriers].
///
/// **Stopping.** Nothing here is interrupted, because the thread may be reading a letter and an interrupt would close the
/// spool's file under it. Who wants a carrier to stop cuts the wire.
final class Carrier implements Runnable, ConnectionOwner {
    private static final Logger log = LoggerFactory.getLogger(Carrier.class);

    private final long number;
    private final Route route;
    private final Role role;
    private final boolean plainly;
    private final ClientConfig config;
    private final Opener opener;
    private final Answers answers;
    private final Registry registry;
    private final Mailbox mailbox;
    private final Deque<Parcel> waiting = new ArrayDeque<>();

    private Optional<Session> session = Optional.empty();
    private Optional<Traffic> traffic = Optional.empty();
    private boolean closing;

    // For those who cut: the wire in use, and whether it is still being opened.
    private Optional<Wire> wire = Optional.empty();
    private boolean opening = true;
    private boolean cut;
    private boolean stopping;

    /// Read by other threads.
    private volatile Optional<WirePhase> phase = Optional.empty();

    /// What a carrier is there for.
    enum Role {
        /// The house ordered it.
        ORDERED,
        /// In place of one that went stale. The house knows of one connection only.
        SUCCESSOR,
        /// For a parcel that crossed the news of the connection's loss: the house counts the connection as gone,
        /// so it is not told of the new one, which ends with the parcel.
        ONCE
    }

    /// Knows all carriers.
    interface Registry {
        /// The peer is known to break under pipelining.
        boolean isPlain(String remote);

        void breaksUnderPipelining(String remote);

        /// From here on nothing more is posted. Returns the parcels that nobody took.
        ///
        /// @param stale the peer left while nobody was to blame
        /// @param begun parcels in the carrier's hands
        /// @return empty when a successor has taken over all parcels
        Optional<List<Parcel>> farewell(Carrier carrier, boolean stale, List<Parcel> begun);

        /// Nothing more will come from it.
        void ended(Carrier carrier);
    }

    Carrier(long number, Route route, Role role, boolean plainly, ClientConfig config, Opener opener,
            Watchdog watchdog, CarrierEvents events, Registry registry) {
        this.number = number;
        this.route = route;
        this.role = role;
        this.plainly = plainly;
        this.config = config;
        this.opener = opener;
        this.mailbox = new Mailbox(watchdog);
        this.answers = new Answers(number, events, role != Role.ORDERED);
        this.registry = registry;
    }

    long number() {
        return number;
    }

    Route route() {
        return route;
    }

    boolean isPlain() {
        return plainly;
    }

    /// False when this carrier has ended.
    boolean deliver(Parcel parcel) {
        answers.owe(parcel);
        boolean posted = mailbox.post(new Mailbox.Deliver(parcel));
        if (!posted) {
            answers.forget(parcel);
        }
        return posted;
    }

    /// Finishes what it is doing, then ends. A connection that is still being opened has nothing to finish.
    void close() {
        mailbox.post(new Mailbox.Close());
        synchronized (this) {
            if (opening) {
                cut();
            }
        }
    }

    /// A successor has taken over.
    void forgetAll() {
        answers.forgetAll();
    }

    /// Called with the registry locked. Returns the parcels that nobody took.
    List<Parcel> endMailbox() {
        return mailbox.end();
    }

    /// Like [#close]; what is answered from now on is our own doing.
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

    /// Answers in the carrier's place whatever it still owes, when it hangs where nothing can reach it.
    void giveUp() {
        mailbox.end();
        answers.giveUp(Troubles.stopping());
    }

    @Override
    public void run() {
        Ending ending = new Ending(Troubles.internal(), Troubles.LOCAL, Kind.OURS, List.of());
        try {
            ending = live();
        } catch (Throwable e) {
            log.warn("msg=\"a connection ends by a defect of this server\" conn={}", number, e);
        } finally {
            end(ending);
        }
    }

    private Ending live() {
        return switch (open()) {
            case Opener.Result.Opened(Session opened) -> {
                answers.ready();
                boolean plain = plainly || registry.isPlain(opened.remote());
                Traffic running = new Traffic(number, config, opened, answers, plain, role == Role.ONCE,
                        registry::breaksUnderPipelining, now -> phase = now);
                traffic = Optional.of(running);
                yield serve(running);
            }
            case Opener.Result.Failed(Reply reason, String remote) -> {
                answers.failed(reason, remote);
                yield new Ending(reason, remote, isStopping() ? Kind.OURS : Kind.TOLD, List.of());
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
                    heard -> mailbox.post(heard.stream().map(Mailbox.FromWire::new).toList()));
        }
        return result;
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
        return running.ending().orElseGet(this::ordered);
    }

    private Ending ordered() {
        return new Ending(Troubles.noSuchConnection(), Troubles.LOCAL, Kind.TOLD, List.of());
    }

    private void take(Mailbox.Item item, Traffic running) {
        switch (item) {
            case Mailbox.Deliver(Parcel parcel) -> waiting.addAll(answers.divided(parcel, running.portions(parcel)));
            case Mailbox.Close _ -> closing = true;
            case Mailbox.FromWire(Heard heard) -> {
                if (running.ending().isEmpty()) {
                    running.heard(heard);
                }
            }
        }
    }

    // ---- the end

    private void end(Ending ending) {
        try {
            if (ending.kind() == Kind.TOLD) {
                quit();
            }
            session.ifPresent(s -> s.abort("ended"));
            traffic.ifPresent(Traffic::close);
            settle(ending);
        } finally {
            mailbox.close();
            answers.giveUp(Troubles.internal());
            registry.ended(this);
        }
    }

    private void settle(Ending ending) {
        List<Parcel> begun = Stream.concat(ending.left().stream().map(Left::parcel), waiting.stream()).toList();
        boolean passesOn = ending.kind() == Kind.STALE && !answers.reseats();
        Optional<List<Parcel>> unread = registry.farewell(this, passesOn,
                passesOn ? answers.rejoined(begun, ending.reason(), ending.remote()) : begun);
        if (unread.isEmpty()) {
            return;
        }
        List<Parcel> untouched = new ArrayList<>(waiting);
        untouched.addAll(unread.get());
        boolean broken = ending.kind() == Kind.BROKEN;
        if (ending.kind() == Kind.STALE || broken && ending.left().isEmpty()) {
            log.debug("msg=\"connection lost\" conn={} reason=\"{}\"", number,
                    LogText.text(ending.reason().toString()));
            answers.lost(ending.reason().toString());
        }
        for (Left left : ending.left()) {
            giveBack(left.parcel(), ending, left.mayHaveArrived(), broken);
        }
        boolean shut = traffic.isEmpty();
        for (Parcel parcel : untouched) {
            if (shut) {
                giveBack(parcel, ending, false, role != Role.ORDERED);
            } else {
                giveBack(parcel, new Ending(Troubles.noSuchConnection(), Troubles.LOCAL, ending.kind(), List.of()),
                        false, false);
            }
        }
    }

    private void giveBack(Parcel parcel, Ending ending, boolean mayHaveArrived, boolean siteTrouble) {
        if (ending.kind() == Kind.OURS) {
            answers.deferred(parcel, ending.reason(), ending.remote(), false);
        } else {
            answers.returned(parcel, ending.reason(), ending.remote(), mayHaveArrived, siteTrouble);
        }
    }

    /// The peer is told goodbye when it is still there. The house does not wait for that.
    private void quit() {
        if (traffic.filter(Traffic::isIdle).isEmpty()) {
            return;
        }
        Session s = session.orElseThrow();
        s.wire().send("QUIT\r\n", config.quitMillis());
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.quitMillis());
        boolean over = s.wire().mute().isPresent();
        while (!over) {
            Optional<Mailbox.Item> item = mailbox.take(deadline - System.nanoTime());
            over = item.isEmpty() || item.get() instanceof Mailbox.FromWire;
            item.ifPresent(i -> {
                if (i instanceof Mailbox.Deliver(Parcel parcel)) {
                    waiting.add(parcel);
                }
            });
        }
        s.close(config.quitMillis());
    }

    private synchronized boolean isStopping() {
        return stopping;
    }
}
