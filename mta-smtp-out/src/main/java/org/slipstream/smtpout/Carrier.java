package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.smtpout.dialog.Phase;
import org.slipstream.smtpout.dialog.Step;
import org.slipstream.smtpout.wire.Heard;
import org.slipstream.smtpout.wire.Heard.End;
import org.slipstream.smtpout.wire.Wire;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;

/// One connection, on a virtual thread of its own, `out-<n>`: opens it, carries one parcel after the other, closes it.
///
/// The owner of the connection's life is the queue manager; the carrier owns the socket and obeys. What it promises in
/// return, whatever happens on the network or in here: every open is answered once, by ready or failed, and every parcel
/// once, by done.
///
/// **Stale connections.** A peer may close an idle connection at any time, also in the moment in which the next parcel comes.
/// When it went away before it reacted to anything of a transaction, nothing was transferred and nobody is to blame: the
/// carrier connects again by the same route and starts over, once. That is tried only on a connection that has been idle or
/// has carried something; a fresh one that breaks is the peer's trouble and is reported.
///
/// **Stopping.** Nothing here is interrupted, because the thread may be reading a letter and an interrupt would close the
/// spool's file under it. Who wants a carrier to stop cuts the wire.
final class Carrier implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Carrier.class);

    private final long number;
    private final Route route;
    private final boolean onceMore;
    private final ClientConfig config;
    private final Opener opener;
    private final Answers answers;
    private final Burial burial;
    private final Mailbox mailbox = new Mailbox();

    private Optional<Session> session = Optional.empty();

    // For those who cut: the wire in use, whether it is still being opened, and whether there may be another one.
    private Optional<Wire> wire = Optional.empty();
    private boolean opening = true;
    private boolean cut;
    private boolean stopping;

    /// Told when a carrier is about to end.
    interface Burial {
        /// The peer took an idle connection away. Called before the house is told.
        void lost(Carrier carrier);

        /// Nothing more will come from it.
        void ended(Carrier carrier);
    }

    /// @param onceMore for a parcel that crossed the news of the connection's loss: the house counts the connection as gone,
    /// so it is not told of the new one, which ends with the parcel
    Carrier(long number, Route route, boolean onceMore, ClientConfig config, Opener opener, CarrierEvents events,
            Burial burial) {
        this.number = number;
        this.route = route;
        this.onceMore = onceMore;
        this.config = config;
        this.opener = opener;
        this.answers = new Answers(number, events, onceMore);
        this.burial = burial;
    }

    long number() {
        return number;
    }

    Route route() {
        return route;
    }

    /// False when this carrier has ended.
    boolean post(Mailbox.Order order) {
        return mailbox.post(order);
    }

    /// Finishes what it is doing, then ends. A connection that is still being opened has nothing to finish.
    void stop() {
        mailbox.post(new Mailbox.Close());
        synchronized (this) {
            stopping = true;
            if (opening) {
                cut();
            }
        }
    }

    /// Ends what it is doing.
    synchronized void cut() {
        cut = true;
        wire.ifPresent(w -> w.abort(End.ABORTED, "this server is stopping"));
    }

    /// Answers in the carrier's place whatever it still owes, when it hangs where nothing can reach it.
    void giveUp() {
        List<Parcel> left = mailbox.end();
        answers.giveUp(Troubles.stopping());
        left.forEach(parcel -> answers.undelivered(parcel, Troubles.stopping(), Troubles.LOCAL));
    }

    @Override
    public void run() {
        Reply reason = Troubles.noSuchConnection();
        String remote = Troubles.LOCAL;
        try {
            switch (open()) {
                case Opener.Result.Opened _ -> {
                    answers.ready();
                    serve();
                }
                case Opener.Result.Failed failed -> {
                    reason = failed.reason();
                    remote = failed.remote();
                    answers.failed(reason, remote);
                }
            }
        } catch (Throwable e) {
            log.warn("msg=\"a connection ends by a defect of this server\" conn={}", number, e);
            reason = Troubles.internal();
        } finally {
            end(reason, remote);
        }
    }

    private void end(Reply reason, String remote) {
        session.ifPresent(s -> s.abort("ended"));
        List<Parcel> left = mailbox.end();
        answers.giveUp(reason);
        for (Parcel parcel : left) {
            answers.undelivered(parcel, reason, remote);
        }
        burial.ended(this);
    }

    private Opener.Result open() {
        synchronized (this) {
            opening = true;
        }
        Opener.Result result = opener.open(route, number, this::adopt);
        synchronized (this) {
            opening = false;
        }
        if (result instanceof Opener.Result.Opened(Session opened)) {
            session = Optional.of(opened);
            opened.listen("out-" + number + "-in", heard -> mailbox.post(new Mailbox.FromWire(opened, heard)));
        }
        return result;
    }

    private synchronized boolean adopt(Wire next) {
        wire = Optional.of(next);
        return !cut;
    }

    private void serve() {
        while (true) {
            switch (mailbox.take()) {
                case Mailbox.Deliver(Parcel parcel) -> {
                    if (!deliver(parcel)) {
                        return;
                    }
                }
                case Mailbox.Close _ -> {
                    quit();
                    return;
                }
                case Mailbox.FromWire(Session from, Heard heard) -> {
                    if (isCurrent(from) && !stillWanted(heard)) {
                        return;
                    }
                }
            }
        }
    }

    private boolean isCurrent(Session from) {
        return session.isPresent() && session.get() == from;
    }

    /// An idle peer said something, which can only be goodbye. True when an order is already here:
    /// a parcel, which wants a new wire, or a close, to which the loss is no news.
    private boolean stillWanted(Heard heard) {
        String reason = switch (heard) {
            case Heard.Gone gone -> gone.reason();
            case Heard.Said(Reply reply) -> reply.toString();
        };
        dropSession(reason);
        // Remembered before the mailbox ends, so that a parcel finds the one or the other.
        burial.lost(this);
        if (!mailbox.endUnlessOrdered()) {
            return true;
        }
        log.debug("msg=\"idle connection lost\" conn={} reason=\"{}\"", number, reason);
        answers.lost(reason);
        return false;
    }

    private void dropSession(String reason) {
        session.ifPresent(s -> s.abort(reason));
        session = Optional.empty();
    }

    /// True when the connection lives on.
    private boolean deliver(Parcel parcel) {
        answers.owe(parcel);
        InputStream letter;
        try {
            letter = parcel.letter().open();
        } catch (IOException e) {
            log.warn("queue={} msg=\"message cannot be opened\" reason=\"{}\"", parcel.id(), e.toString());
            answers.done(parcel, Answers.same(parcel, Troubles.unreadable(), Troubles.LOCAL), !onceMore, false);
            return !onceMore;
        }
        try (letter) {
            return deliver(parcel, letter);
        } catch (IOException e) {
            // Only close can end up here. The letter has been read or is not needed any more.
            log.warn("msg=\"message cannot be closed\" queue={}", parcel.id(), e);
            return session.isPresent();
        }
    }

    private boolean deliver(Parcel parcel, InputStream letter) throws IOException {
        Optional<Transfer.Result> first = session.map(s -> transfer(s, parcel, letter));
        if (first.isPresent() && first.get() instanceof Transfer.Result.Ended(Step.Finished finished)) {
            return settle(parcel, finished);
        }
        log.debug("msg=\"stale connection, connecting again\" conn={} queue={}", number, parcel.id());
        dropSession("stale");
        return switch (open()) {
            case Opener.Result.Opened(Session fresh) -> switch (transfer(fresh, parcel, letter)) {
                case Transfer.Result.Ended(Step.Finished finished) -> settle(parcel, finished);
                case Transfer.Result.Stale(Step.Finished finished) -> settle(parcel, finished);
            };
            case Opener.Result.Failed(Reply reason, String remote) -> {
                answers.done(parcel, Answers.same(parcel, reason, remote), false, !isStopping());
                yield false;
            }
        };
    }

    private Transfer.Result transfer(Session on, Parcel parcel, InputStream letter) {
        Transfer.Result result = new Transfer(config, mailbox, on, parcel).run(letter);
        on.use();
        return result;
    }

    private boolean settle(Parcel parcel, Step.Finished finished) {
        boolean usable = finished.aftermath() != Step.Aftermath.CLOSE && !onceMore;
        answers.done(parcel, finished.outcomes(), usable, finished.siteTrouble());
        if (usable && finished.aftermath() == Step.Aftermath.RESET) {
            return reset();
        }
        if (onceMore && finished.aftermath() != Step.Aftermath.CLOSE) {
            quit();
        }
        return usable;
    }

    /// Not awaited by the house: it has its answer and may already send the next parcel, which then waits for this.
    private boolean reset() {
        Session on = session.orElseThrow();
        if (!(on.dialog().reset() instanceof Step.Send(String command, Phase awaited))) {
            throw new IllegalStateException("RSET is a command");
        }
        on.wire().send(command, config.patienceMillis(awaited));
        Heard heard = mailbox.hear(on, config.patienceMillis(awaited))
                .orElseGet(() -> new Heard.Gone(End.TIMED_OUT, "no answer to RSET"));
        if (heard instanceof Heard.Said(Reply reply) && on.dialog().heard(reply) instanceof Step.Ready) {
            return true;
        }
        return stillWanted(heard);
    }

    private void quit() {
        session.ifPresent(s -> {
            if (s.wire().send("QUIT\r\n", config.quitMillis()).isEmpty()) {
                mailbox.hear(s, config.quitMillis());
            }
            s.close(config.quitMillis());
        });
        session = Optional.empty();
    }

    private synchronized boolean isStopping() {
        return stopping;
    }
}
