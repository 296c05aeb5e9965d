package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.auth.dkim.KeyFailedException;
import org.slipstream.core.Content;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Delivery;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.smtpout.dialog.DialogPhase;
import org.slipstream.smtpout.dialog.PeerExtensions;
import org.slipstream.smtpout.dialog.Pipeline;
import org.slipstream.smtpout.dialog.PipelineStep;
import org.slipstream.smtpout.dialog.Portions;
import org.slipstream.smtpout.dialog.ReplyEffects;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.smtpout.wire.OnWire;
import org.slipstream.smtpout.wire.Wire;
import org.slipstream.smtpout.wire.WireInput;
import org.slipstream.smtpout.wire.WireInput.End;
import org.slipstream.smtpout.wire.WireInput.Ended;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/// The messages of one session, on the carrier's thread: connects the [Pipeline], which decides
/// what to write and what a reply means, with the [Wire], and gives each delivery its result.
///
/// Three rules keep mail safe after failures. A message that could not be read to its end never
/// gets its end written: with DATA the connection is aborted, with BDAT the transaction is reset. A
/// message that was not sent whole cannot have been accepted, whatever the peer replies. Once the
/// last byte may have left, a missing reply proves nothing: the delivery is unanswered and may have
/// arrived, and the log says so.
///
/// **After a pause** the first message is not written to its end before the peer has replied to
/// something. A peer may close an idle connection at that moment, and a whole message that is lost
/// with it may have arrived, as far as this side knows. One round trip after a pause
/// ([ClientConfig.Ahead#pause]) saves that message the wait for its next attempt.
final class Traffic {
    private static final Logger log = LoggerFactory.getLogger(Traffic.class);

    /// For a peer's last reply after writing has failed.
    private static final long LAST_REPLY_MILLIS = 2000;

    private final long connection;
    private final ClientConfig config;
    private final Session session;
    private final Wire wire;
    private final Pipeline pipeline;
    private final PipeDepth depth;
    private final PendingReplies pending;
    private final ContentSigner signer;
    private final Consumer<Optional<WirePhase>> phases;
    private Optional<QueuePhase.Code> reached = Optional.empty();

    private final Map<Long, Flight> flights = new LinkedHashMap<>();
    private Optional<Flight> loading = Optional.empty();
    private long bytesInFlight;
    private boolean awaiting;
    private long sinceNanos;
    /// True when the peer has replied since the connection was last idle.
    private boolean alive;
    private boolean used;
    private long idleSinceNanos;
    private boolean afterPause;
    private Optional<Ending> ending = Optional.empty();

    /// The end of the session.
    ///
    /// @param lost the reason, where the peer disconnected and no result reports it
    /// @param left results of deliveries without a reply
    record Ending(Optional<String> lost, List<DeliveryResult> left) {
        /// An end without an event.
        static final Ending QUIET = new Ending(Optional.empty(), List.of());
    }

    private enum Cause {
        /// The peer disconnected while nothing was under way, or before it replied to anything of
        /// it.
        STALE,
        /// The connection broke.
        BROKEN,
        /// This server ended it.
        OURS
    }

    /// @param plainly no pipelining, whatever the peer offers
    /// @param phases receives each phase of the connection; empty when it is idle
    Traffic(long connection, ClientConfig config, Session session, PendingReplies pending, ContentSigner signer,
            boolean plainly, Consumer<Optional<WirePhase>> phases) {
        this.connection = connection;
        this.config = config;
        this.session = session;
        this.wire = session.wire();
        this.pipeline = session.dialog().pipeline(plainly);
        this.depth = new PipeDepth(pipeline.reach(), config.ahead(), session.roundTripNanos());
        this.pending = pending;
        this.signer = signer;
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
    boolean mayBegin(Transfer transfer) {
        if (!pipeline.mayBegin() || ending.isPresent() || wire.mute().isPresent()) {
            return false;
        }
        return flights.isEmpty() || flights.size() < depth.depth()
                && bytesInFlight + transfer.sizeBytes() <= config.ahead().bytes().bytes();
    }

    /// The recipients of each transaction of this delivery.
    List<List<Recipient>> portions(Delivery delivery) {
        return Portions.of(delivery.recipients(), session.dialog().extensions());
    }

    void begin(Transfer transfer) {
        try {
            fitted(transfer).ifPresent(this::begin);
        } catch (KeyFailedException e) {
            log.error("event=signing-failed queue={} next=\"the message waits\" error=\"{}\"",
                    transfer.delivery().id(), LogText.text(FailureWords.of(e)));
            pending.done(ownFailure(transfer.number(), FailureReplies.keyFailed(), true));
        } catch (IOException e) {
            log.warn("event=content-not-opened queue={} error=\"{}\"", transfer.delivery().id(),
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
        report(effects);
    }

    /// The transfer in a form that this peer supports. Empty when there is none; the delivery then
    /// has its result.
    private Optional<Flight> fitted(Transfer transfer) throws IOException {
        PeerExtensions peer = session.dialog().extensions();
        Optional<Flight> flight = open(transfer, PeerCompatibility.of(transfer, peer, session.assurance()));
        if (flight.isPresent() && flight.get().needsShorterLines()) {
            flight.get().close();
            flight = open(transfer, PeerCompatibility.withShortLines(transfer, peer));
        }
        return flight.isPresent() ? Optional.of(signed(flight.get())) : flight;
    }

    /// Mail for a mail store (LMTP) stays on this site and is not signed.
    private Flight signed(Flight flight) throws IOException {
        Transfer transfer = flight.transfer;
        if (!(transfer.delivery().route() instanceof Route.Smtp)) {
            return flight;
        }
        byte[] fields;
        try {
            String form = config.longLines() + " " + PeerCompatibility.form(transfer.content());
            fields = signer.fields(transfer.delivery(), transfer.envelope(), form,
                    new OnWire(transfer.content(), config.longLines()));
        } catch (IOException | RuntimeException failed) {
            flight.close();
            throw failed;
        }
        if (fields.length == 0) {
            return flight;
        }
        flight.close();
        return flight(transfer.with(new SignedContent(fields, transfer.content())));
    }

    private Optional<Flight> open(Transfer transfer, PeerCompatibility fitting) throws IOException {
        return switch (fitting) {
            case PeerCompatibility.Unchanged _ -> Optional.of(flight(transfer));
            case PeerCompatibility.Converted(Content content) -> Optional.of(flight(transfer.with(content)));
            case PeerCompatibility.Incompatible(Reply reason) -> {
                refuse(transfer.delivery(), reason);
                yield Optional.empty();
            }
        };
    }

    private Flight flight(Transfer transfer) throws IOException {
        return new Flight(transfer, pipeline.reach() == Pipeline.Reach.ANY, config.longLines());
    }

    /// Refuses without asking the peer, whose extensions exclude success.
    private void refuse(Delivery delivery, Reply reason) {
        pending.done(new DeliveryResult.Answered(delivery.number(), connection,
                delivery.all(Outcome.of(reason, session.remote(delivery))), true));
    }

    private DeliveryResult unreadable(long delivery, boolean usable) {
        return ownFailure(delivery, FailureReplies.unreadable(), usable);
    }

    private DeliveryResult ownFailure(long delivery, Reply reason, boolean usable) {
        return new DeliveryResult.OwnFailure(delivery, connection, reason, DeliveryResult.Scope.MESSAGE, usable);
    }

    private boolean isAfterPause() {
        return used && System.nanoTime() - idleSinceNanos >= config.ahead().pause().toNanos();
    }

    // ---- writing

    /// Queues one command or piece of content for writing. False when there is nothing to write
    /// now.
    boolean write() {
        if (ending.isPresent() || wire.mute().isPresent()) {
            return false;
        }
        switch (pipeline.next()) {
            case PipelineStep.Write(String commands) -> wire.put(commands, config.commandMillis());
            case PipelineStep.WriteContent(long delivery) -> {
                reached = Optional.of(QueuePhase.Code.CONTENT);
                phases.accept(Optional.of(new WirePhase(QueuePhase.Code.CONTENT, session.remote(), delivery,
                        System.nanoTime(), 0)));
                content(loading.orElseThrow());
            }
            case PipelineStep.WriteChunk _ when afterPause && !alive -> {
                return false;
            }
            case PipelineStep.WriteChunk _ -> chunk(loading.orElseThrow());
            case PipelineStep.Wait _ -> {
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
            abortContent(flight, e);
        }
    }

    /// Aborts the connection: the peer is in the middle of a content.
    private void abortContent(Flight flight, IOException e) {
        unreadable(flight, e);
        wire.abort(End.ABORTED, "queue file read error");
        end(pipeline.cut(FailureReplies.unreadable()), Cause.OURS, true);
    }

    private void chunk(Flight flight) {
        try {
            flight.chunks().read();
        } catch (IOException e) {
            unreadable(flight, e);
            report(pipeline.abandon(FailureReplies.unreadable()));
            return;
        }
        boolean last = flight.chunks().isLast();
        pipeline.chunk(last);
        try {
            wire.put(flight.chunks(), config.dataBlockMillis());
        } catch (IOException e) {
            abortContent(flight, e);
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
        log.warn("event=content-not-read queue={} connection={} host={}", flight.transfer.delivery().id(),
                connection, LogText.word(session.remote()), e);
    }

    void flush() {
        wire.flush(config.dataBlockMillis());
        if (!awaiting && (pipeline.awaited().isPresent() || wire.mute().isPresent())) {
            awaiting = true;
            sinceNanos = System.nanoTime();
        }
        reportPhase();
    }

    private void reportPhase() {
        reached = pipeline.awaited().map(DialogPhase::code);
        phases.accept(pipeline.awaited().map(awaited -> new WirePhase(awaited.code(), session.remote(),
                pipeline.awaitedOf().orElse(WirePhase.NONE), sinceNanos, config.timeoutMillis(awaited))));
    }

    // ---- replies

    /// The time left for the next reply.
    long timeoutNanos() {
        return awaiting ? sinceNanos + timeoutMillis() * 1_000_000 - System.nanoTime() : Long.MAX_VALUE;
    }

    private long timeoutMillis() {
        return wire.mute().isPresent()
                ? LAST_REPLY_MILLIS
                : config.timeoutMillis(pipeline.awaited().orElse(DialogPhase.MAIL));
    }

    void timedOut() {
        gone(wire.mute().orElseGet(() -> wire.abort(End.TIMED_OUT, "timed out after " + timeoutMillis() + " ms")));
    }

    void received(WireInput received) {
        session.consumed(received);
        switch (received) {
            case WireInput.Received(Reply reply) when isTooEarly(reply) -> gone(wire.mute().orElseThrow());
            case WireInput.Received(Reply reply) -> replied(reply);
            case Ended gone -> gone(gone);
        }
    }

    private boolean isTooEarly(Reply reply) {
        return wire.mute().isPresent() && reply.isPositive() && isFinal()
                && pipeline.awaitedOf().map(flights::get).filter(f -> f.endsAt > wire.writtenBytes()).isPresent();
    }

    /// True when the next reply is the final one of a message.
    private boolean isFinal() {
        return pipeline.awaited().filter(phase -> phase == DialogPhase.FINAL).isPresent();
    }

    private void replied(Reply reply) {
        boolean quiet = pipeline.openCount() == 0;
        alive |= !quiet;
        Optional<Long> whose = pipeline.awaitedOf();
        boolean wasFinal = isFinal();
        ReplyEffects effects = pipeline.received(reply);
        if (wasFinal && effects.end().isEmpty()) {
            whose.map(flights::get).ifPresent(this::measure);
        }
        sinceNanos = System.nanoTime();
        awaiting = pipeline.awaited().isPresent() || wire.mute().isPresent();
        reportPhase();
        if (effects.end().isPresent()) {
            end(effects, quiet ? Cause.STALE : Cause.BROKEN, effects.end().get().breach().isPresent());
        } else {
            report(effects);
        }
    }

    private void measure(Flight flight) {
        if (depth.answered(System.nanoTime() - flight.sentNanos, flight.underWay, flight.depthThen)) {
            pending.depth(depth.depth());
        }
    }

    private void gone(Ended gone) {
        // A reply that begins with 250 is a success even when its line is broken, and such a
        // message must not be sent again.
        gone.begun().filter(reply -> isFinal() && !isTooEarly(reply)).ifPresent(this::replied);
        if (ending.isPresent()) {
            return;
        }
        Cause cause = cause(gone);
        Reply reason = pipeline.openCount() == 0 && cause != Cause.OURS
                ? FailureReplies.idleLost(gone)
                : FailureReplies.lostConnection(session.remote(), pipeline.awaited().orElse(DialogPhase.MAIL), gone);
        end(cause == Cause.BROKEN ? pipeline.broken(reason) : pipeline.cut(reason), cause, true);
    }

    private Cause cause(Ended gone) {
        boolean left = gone.end() == End.CLOSED || gone.end() == End.BROKEN;
        return gone.end() == End.ABORTED
                ? Cause.OURS
                : pipeline.openCount() == 0 || left && used && !alive ? Cause.STALE : Cause.BROKEN;
    }

    // ---- results

    /// Reports results of deliveries while the connection continues.
    private void report(ReplyEffects effects) {
        if (!effects.anyOver()) {
            return;
        }
        boolean idle = pipeline.openCount() == 0;
        boolean last = idle && (pipeline.isExhausted() || wire.mute().isPresent());
        effects.outcomes().forEach((delivery, outcomes) -> answered(delivery, outcomes, !last));
        effects.unanswered().forEach(delivery -> pending.done(unreadable(finished(delivery).transfer.number(), !last)));
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
        finished(delivery);
        pending.done(new DeliveryResult.Answered(delivery, connection, outcomes, usable));
    }

    private Flight finished(long delivery) {
        Flight flight = Objects.requireNonNull(flights.remove(delivery));
        bytesInFlight -= flight.transfer.sizeBytes();
        flight.close();
        loading = loading.filter(l -> l != flight);
        return flight;
    }

    /// @param uncertain deliveries without a reply may have succeeded
    private void end(ReplyEffects effects, Cause cause, boolean uncertain) {
        ReplyEffects.End end = effects.end().orElseThrow();
        end.breach().ifPresent(this::pipelinesBadly);
        effects.outcomes().forEach((delivery, outcomes) -> answered(delivery, outcomes, false));
        List<DeliveryResult> left = effects.unanswered().stream()
                .map(delivery -> unanswered(finished(delivery), end.reason(), cause, uncertain)).toList();
        boolean replied = !effects.outcomes().isEmpty()
                || !left.isEmpty() && (cause == Cause.BROKEN || left.stream().anyMatch(Traffic::mayHaveArrived));
        ending = Optional.of(new Ending(replied || cause == Cause.OURS
                ? Optional.empty()
                : Optional.of(end.reason().toString()), left));
    }

    private DeliveryResult unanswered(Flight flight, Reply reason, Cause cause, boolean uncertain) {
        long delivery = flight.transfer.number();
        boolean mayHaveArrived = uncertain && mayHaveArrived(flight, reason);
        if (flight.unreadable) {
            return unreadable(delivery, false);
        }
        return cause == Cause.OURS
                ? new DeliveryResult.OwnFailure(delivery, connection, reason, DeliveryResult.Scope.MESSAGE, false)
                : new DeliveryResult.Unanswered(delivery, connection, reason,
                        session.remote(flight.transfer.delivery()), mayHaveArrived, reached);
    }

    private static boolean mayHaveArrived(DeliveryResult result) {
        return result instanceof DeliveryResult.Unanswered unanswered && unanswered.mayHaveArrived();
    }

    private void pipelinesBadly(String what) {
        log.info("event=pipelining-broken connection={} host={} reason=\"{}\"", connection,
                LogText.word(session.remote()), LogText.text(what));
        pending.pipelinesBadly(what);
    }

    private boolean mayHaveArrived(Flight flight, Reply reason) {
        boolean may = flight.endsAt <= wire.handedOverBytes();
        if (may) {
            log.warn("event=possible-duplicate queue={} connection={} host={} reason=\"{}\"",
                    flight.transfer.delivery().id(), connection, LogText.word(session.remote()),
                    LogText.text(reason.toString()));
        }
        return may;
    }

    /// Closes contents that are open.
    void close() {
        flights.values().forEach(Flight::close);
    }
}
