package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Content;
import org.slipstream.core.Delivery;
import org.slipstream.core.DeliveryResult;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueuePhase;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.smtpout.dialog.DialogPhase;
import org.slipstream.smtpout.dialog.Move;
import org.slipstream.smtpout.dialog.PeerExtensions;
import org.slipstream.smtpout.dialog.Pipeline;
import org.slipstream.smtpout.dialog.Portions;
import org.slipstream.smtpout.dialog.ReplyEffects;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.smtpout.wire.Heard;
import org.slipstream.smtpout.wire.Heard.End;
import org.slipstream.smtpout.wire.Heard.Gone;
import org.slipstream.smtpout.wire.Wire;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// The messages of one session, on the carrier's thread: joins the [Pipeline], which says what to write and what a reply
/// means, with the [Wire], and gives each delivery its result.
///
/// Three rules keep mail safe when things break. A message that could not be read to its end never gets its end written: with
/// DATA the wire is cut, with BDAT the transaction is reset. A message that did not go out whole cannot have been taken, whatever the
/// peer says. And once the last byte may have left, a missing reply is no proof of anything: the delivery is
/// unanswered and may have arrived, and the log says so.
///
/// **After a pause** the first message is not written to its end before the peer has answered anything. A peer may close an idle
/// connection just then, and a whole message that is lost so may have arrived for all this side knows. One round trip after a
/// pause ([ClientConfig.Ahead#pauseMillis]) spares that message the wait for its next attempt.
final class Traffic {
    private static final Logger log = LoggerFactory.getLogger(Traffic.class);

    /// For a peer's last reply when writing to it has failed.
    private static final long LAST_REPLY_MILLIS = 2000;

    private final long connection;
    private final ClientConfig config;
    private final Session session;
    private final Wire wire;
    private final Pipeline pipeline;
    private final PipeDepth depth;
    private final PendingReplies pending;
    private final Consumer<Optional<WirePhase>> phases;

    private final Map<Long, Flight> flights = new LinkedHashMap<>();
    private Optional<Flight> loading = Optional.empty();
    private long bytesInFlight;
    private boolean awaiting;
    private long sinceNanos;
    /// The peer has done something since nothing was under way.
    private boolean alive;
    private boolean used;
    private long idleSinceNanos;
    private boolean afterPause;
    private Optional<Ending> ending = Optional.empty();

    /// The end of the session.
    ///
    /// @param lost the reason, where the peer took the connection away and no result says so
    /// @param left results of deliveries that were begun and not answered
    record Ending(Optional<String> lost, List<DeliveryResult> left) {
        /// No event follows.
        static final Ending QUIET = new Ending(Optional.empty(), List.of());
    }

    private enum Cause {
        /// The peer left while nothing was under way, or before it reacted to anything of it.
        STALE,
        /// The connection broke.
        BROKEN,
        /// This server ended it.
        OURS
    }

    /// @param plainly no pipelining, whatever the peer offers
    /// @param phases receives each change of what is done or awaited, and that it is nothing
    Traffic(long connection, ClientConfig config, Session session, PendingReplies pending, boolean plainly,
            Consumer<Optional<WirePhase>> phases) {
        this.connection = connection;
        this.config = config;
        this.session = session;
        this.wire = session.wire();
        this.pipeline = session.dialog().pipeline(plainly);
        this.depth = new PipeDepth(pipeline.reach(), config.ahead(), session.roundTripNanos());
        this.pending = pending;
        this.phases = phases;
        phases.accept(Optional.empty());
        pending.depth(depth.depth());
    }

    Optional<Ending> ending() {
        return ending;
    }

    boolean isIdle() {
        return pipeline.isIdle();
    }

    // ---- beginning

    /// True when this transfer may begin now.
    boolean hasRoomFor(Transfer transfer) {
        if (!pipeline.mayBegin() || ending.isPresent() || wire.mute().isPresent()) {
            return false;
        }
        return flights.isEmpty() || flights.size() < depth.depth()
                && bytesInFlight + transfer.sizeBytes() <= config.ahead().bytes().bytes();
    }

    /// The recipients of each transaction that this delivery takes.
    List<List<Recipient>> portions(Delivery delivery) {
        return Portions.of(delivery.recipients(), session.dialog().extensions());
    }

    void begin(Transfer transfer) {
        try {
            fitted(transfer).ifPresent(this::begin);
        } catch (IOException e) {
            log.warn("queue={} msg=\"message cannot be opened\" reason=\"{}\"", transfer.delivery().id(),
                    LogText.text(FailureWords.of(e)));
            pending.done(unreadable(transfer.number(), true));
        }
    }

    private void begin(Flight flight) {
        Transfer transfer = flight.transfer;
        afterPause = flights.isEmpty() ? isAfterPause() : afterPause;
        flights.put(transfer.number(), flight);
        bytesInFlight += transfer.sizeBytes();
        loading = Optional.of(flight);
        ReplyEffects effects = pipeline.begin(transfer, session.remote(transfer.delivery()),
                System.currentTimeMillis());
        flight.underWay = pipeline.openCount();
        flight.depthThen = depth.depth();
        tell(effects);
    }

    /// The transfer in a form that this peer can take. Empty when there is none, and the delivery has its result.
    private Optional<Flight> fitted(Transfer transfer) throws IOException {
        PeerExtensions peer = session.dialog().extensions();
        Optional<Flight> flight = open(transfer, Fitting.of(transfer, peer, session.assurance()));
        if (flight.isPresent() && flight.get().needsShorterLines()) {
            flight.get().close();
            return open(transfer, Fitting.withShortLines(transfer, peer));
        }
        return flight;
    }

    private Optional<Flight> open(Transfer transfer, Fitting fitting) throws IOException {
        return switch (fitting) {
            case Fitting.AsItIs _ -> Optional.of(flight(transfer));
            case Fitting.Converted(Content content) -> Optional.of(flight(transfer.with(content)));
            case Fitting.Impossible(Reply reason) -> {
                refuse(transfer.delivery(), reason);
                yield Optional.empty();
            }
        };
    }

    private Flight flight(Transfer transfer) throws IOException {
        return new Flight(transfer, pipeline.reach() == Pipeline.Reach.ANY, config.longLines());
    }

    /// The peer is not asked, because its extensions leave it one answer only.
    private void refuse(Delivery delivery, Reply reason) {
        pending.done(new DeliveryResult.Answered(delivery.number(), connection,
                delivery.all(Outcome.of(reason, session.remote(delivery))), true));
    }

    private DeliveryResult unreadable(long delivery, boolean usable) {
        return new DeliveryResult.OwnFailure(delivery, connection, FailureReplies.unreadable(),
                DeliveryResult.Scope.MESSAGE, usable);
    }

    private boolean isAfterPause() {
        return used && System.nanoTime() - idleSinceNanos >= config.ahead().pause().toNanos();
    }

    // ---- writing

    /// Puts one thing into the outbox. False when there is nothing to write now.
    boolean write() {
        if (ending.isPresent() || wire.mute().isPresent()) {
            return false;
        }
        switch (pipeline.next()) {
            case Move.Write(String commands) -> wire.put(commands, config.commandMillis());
            case Move.WriteContent(long delivery) -> {
                phases.accept(Optional.of(new WirePhase(QueuePhase.Code.CONTENT, session.remote(), delivery,
                        System.nanoTime(), 0)));
                content(loading.orElseThrow());
            }
            case Move.WriteChunk _ when afterPause && !alive -> {
                return false;
            }
            case Move.WriteChunk _ -> chunk(loading.orElseThrow());
            case Move.Wait _ -> {
                return false;
            }
        }
        return true;
    }

    private void content(Flight flight) {
        try {
            if (wire.putContent(flight.chunks(), config.dataBlockMillis())) {
                loaded(flight);
                pipeline.contentWritten();
            }
        } catch (IOException e) {
            cutOff(flight, e);
        }
    }

    /// The peer waits in the middle of a content.
    private void cutOff(Flight flight, IOException e) {
        unreadable(flight, e);
        wire.abort(End.ABORTED, "message cannot be read");
        end(pipeline.cut(FailureReplies.unreadable()), Cause.OURS, true);
    }

    private void chunk(Flight flight) {
        try {
            flight.chunks().read();
        } catch (IOException e) {
            unreadable(flight, e);
            tell(pipeline.abandon(FailureReplies.unreadable()));
            return;
        }
        boolean last = flight.chunks().isLast();
        pipeline.chunk(last);
        try {
            wire.put(flight.chunks(), config.dataBlockMillis());
        } catch (IOException e) {
            cutOff(flight, e);
            return;
        }
        if (last) {
            loaded(flight);
        }
    }

    private void loaded(Flight flight) {
        flight.endsAt = wire.putBytes();
        flight.sentNanos = System.nanoTime();
        flight.close();
        loading = Optional.empty();
    }

    private void unreadable(Flight flight, IOException e) {
        flight.unreadable = true;
        log.warn("msg=\"message cannot be read\" queue={} conn={} remote={}", flight.transfer.delivery().id(),
                connection, LogText.word(session.remote()), e);
    }

    void flush() {
        wire.flush(config.dataBlockMillis());
        if (!awaiting && (pipeline.awaited().isPresent() || wire.mute().isPresent())) {
            awaiting = true;
            sinceNanos = System.nanoTime();
        }
        tellPhase();
    }

    private void tellPhase() {
        phases.accept(pipeline.awaited().map(awaited -> new WirePhase(WirePhase.code(awaited), session.remote(),
                pipeline.awaitedOf().orElse(WirePhase.NONE), sinceNanos, config.patienceMillis(awaited))));
    }

    // ---- replies

    /// How long the next reply may take from now on.
    long patienceNanos() {
        return awaiting ? sinceNanos + patienceMillis() * 1_000_000 - System.nanoTime() : Long.MAX_VALUE;
    }

    private long patienceMillis() {
        return wire.mute().isPresent()
                ? LAST_REPLY_MILLIS
                : config.patienceMillis(pipeline.awaited().orElse(DialogPhase.MAIL));
    }

    void timedOut() {
        gone(wire.mute().orElseGet(() -> wire.abort(End.TIMED_OUT, "no answer within " + patienceMillis() + " ms")));
    }

    void heard(Heard heard) {
        session.consumed(heard);
        switch (heard) {
            case Heard.Said(Reply reply) when isTooEarly(reply) -> gone(wire.mute().orElseThrow());
            case Heard.Said(Reply reply) -> said(reply);
            case Gone gone -> gone(gone);
        }
    }

    private boolean isTooEarly(Reply reply) {
        return wire.mute().isPresent() && reply.isPositive() && isFinal()
                && pipeline.awaitedOf().map(flights::get).filter(f -> f.endsAt > wire.writtenBytes()).isPresent();
    }

    /// The next reply decides about a whole message.
    private boolean isFinal() {
        return pipeline.awaited().filter(phase -> phase == DialogPhase.FINAL).isPresent();
    }

    private void said(Reply reply) {
        boolean quiet = pipeline.openCount() == 0;
        alive |= !quiet;
        Optional<Long> whose = pipeline.awaitedOf();
        boolean wasFinal = isFinal();
        ReplyEffects effects = pipeline.heard(reply);
        if (wasFinal && effects.end().isEmpty()) {
            whose.map(flights::get).ifPresent(this::measure);
        }
        sinceNanos = System.nanoTime();
        awaiting = pipeline.awaited().isPresent() || wire.mute().isPresent();
        tellPhase();
        if (effects.end().isPresent()) {
            end(effects, quiet ? Cause.STALE : Cause.BROKEN, effects.end().get().breach().isPresent());
        } else {
            tell(effects);
        }
    }

    private void measure(Flight flight) {
        if (depth.answered(System.nanoTime() - flight.sentNanos, flight.underWay, flight.depthThen)) {
            pending.depth(depth.depth());
        }
    }

    private void gone(Gone gone) {
        // A reply that begins with 250 is a success, however the line goes on, and such a message must not be sent again.
        gone.begun().filter(reply -> isFinal() && !isTooEarly(reply)).ifPresent(this::said);
        if (ending.isPresent()) {
            return;
        }
        Cause cause = cause(gone);
        Reply reason = pipeline.openCount() == 0 && cause != Cause.OURS
                ? FailureReplies.idleLost(gone)
                : FailureReplies.cutOff(session.remote(), pipeline.awaited().orElse(DialogPhase.MAIL), gone);
        end(cause == Cause.BROKEN ? pipeline.broken(reason) : pipeline.cut(reason), cause, true);
    }

    private Cause cause(Gone gone) {
        boolean left = gone.end() == End.CLOSED || gone.end() == End.BROKEN;
        return gone.end() == End.ABORTED
                ? Cause.OURS
                : pipeline.openCount() == 0 || left && used && !alive ? Cause.STALE : Cause.BROKEN;
    }

    // ---- results

    /// Results of deliveries while the connection lives on.
    private void tell(ReplyEffects effects) {
        if (!effects.anyOver()) {
            return;
        }
        boolean idle = pipeline.openCount() == 0;
        boolean last = idle && (pipeline.isExhausted() || wire.mute().isPresent());
        effects.outcomes().forEach((delivery, outcomes) -> answered(delivery, outcomes, !last));
        effects.unanswered().forEach(delivery -> pending.done(unreadable(landed(delivery).transfer.number(), !last)));
        if (idle) {
            used = true;
            alive = false;
            idleSinceNanos = System.nanoTime();
        }
        if (last) {
            ending = Optional.of(Ending.QUIET);
        }
    }

    private void answered(long delivery, List<RecipientOutcome> outcomes, boolean usable) {
        landed(delivery);
        pending.done(new DeliveryResult.Answered(delivery, connection, outcomes, usable));
    }

    private Flight landed(long delivery) {
        Flight flight = flights.remove(delivery);
        bytesInFlight -= flight.transfer.sizeBytes();
        flight.close();
        loading = loading.filter(l -> l != flight);
        return flight;
    }

    /// @param inTheDark what was not answered may have been done all the same
    private void end(ReplyEffects effects, Cause cause, boolean inTheDark) {
        ReplyEffects.End end = effects.end().orElseThrow();
        end.breach().ifPresent(this::pipelinesBadly);
        effects.outcomes().forEach((delivery, outcomes) -> answered(delivery, outcomes, false));
        List<DeliveryResult> left = effects.unanswered().stream()
                .map(delivery -> unanswered(landed(delivery), end.reason(), cause, inTheDark)).toList();
        boolean said = !effects.outcomes().isEmpty()
                || !left.isEmpty() && (cause == Cause.BROKEN || left.stream().anyMatch(Traffic::mayHaveArrived));
        ending = Optional.of(new Ending(said || cause == Cause.OURS
                ? Optional.empty()
                : Optional.of(end.reason().toString()), left));
    }

    private DeliveryResult unanswered(Flight flight, Reply reason, Cause cause, boolean inTheDark) {
        long delivery = flight.transfer.number();
        boolean mayHaveArrived = inTheDark && mayHaveArrived(flight, reason);
        if (flight.unreadable) {
            return unreadable(delivery, false);
        }
        return cause == Cause.OURS
                ? new DeliveryResult.OwnFailure(delivery, connection, reason, DeliveryResult.Scope.MESSAGE, false)
                : new DeliveryResult.Unanswered(delivery, connection, reason,
                        session.remote(flight.transfer.delivery()), mayHaveArrived);
    }

    private static boolean mayHaveArrived(DeliveryResult result) {
        return result instanceof DeliveryResult.Unanswered unanswered && unanswered.mayHaveArrived();
    }

    private void pipelinesBadly(String what) {
        log.info("msg=\"breaks under pipelining\" conn={} remote={} what=\"{}\"", connection,
                LogText.word(session.remote()), LogText.text(what));
        pending.pipelinesBadly(what);
    }

    private boolean mayHaveArrived(Flight flight, Reply reason) {
        boolean may = flight.endsAt <= wire.handedOverBytes();
        if (may) {
            log.warn("msg=\"possible duplicate\" queue={} conn={} remote={} reason=\"{}\"",
                    flight.transfer.delivery().id(),
                    connection, LogText.word(session.remote()), LogText.text(reason.toString()));
        }
        return may;
    }

    /// Closes contents that are open.
    void close() {
        flights.values().forEach(Flight::close);
    }
}
