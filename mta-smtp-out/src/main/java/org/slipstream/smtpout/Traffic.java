package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.Letter;
import org.slipstream.core.LogText;
import org.slipstream.core.QueuePhase;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.smtpout.dialog.Errand;
import org.slipstream.smtpout.dialog.Fate;
import org.slipstream.smtpout.dialog.Move;
import org.slipstream.smtpout.dialog.PeerExtensions;
import org.slipstream.smtpout.dialog.Phase;
import org.slipstream.smtpout.dialog.Pipeline;
import org.slipstream.smtpout.dialog.Portions;
import org.slipstream.smtpout.dialog.Verdict;
import org.slipstream.smtpout.wire.Heard;
import org.slipstream.smtpout.wire.Heard.End;
import org.slipstream.smtpout.wire.Heard.Gone;
import org.slipstream.smtpout.wire.Wire;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// The messages of one session, on the carrier's thread: joins the [Pipeline], which says what to write and what a reply
/// means, with the [Wire], and tells the house what became of each parcel.
///
/// Three rules keep mail safe when things break. A message that could not be read to its end never gets its end written: with
/// DATA the wire is cut, with BDAT the transaction is reset. A message that did not go out whole cannot have been taken, whatever the
/// peer says. And once the last byte may have left, a missing reply is no proof of anything: the parcel comes back with the
/// word that the peer may have it already, and the log says so.
///
/// **After a pause** the first message is not written to its end before the peer has answered anything. A peer may close an idle
/// connection just then, and a whole message that is lost so may have arrived for all this side knows. One round trip after a
/// pause ([ClientConfig.Ahead#pauseMillis]) spares that message the wait for its next attempt.
final class Traffic {
    private static final Logger log = LoggerFactory.getLogger(Traffic.class);

    /// How long to listen for a peer's last words when writing to it has failed.
    private static final long LAST_WORDS_MILLIS = 2000;

    private final long connection;
    private final ClientConfig config;
    private final Session session;
    private final Wire wire;
    private final Pipeline pipeline;
    private final PipeDepth depth;
    private final Answers answers;
    private final boolean onceOnly;
    private final Consumer<String> badly;
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

    /// How it ended.
    ///
    /// @param reason 4xx
    /// @param kind what the house must hear
    /// @param left parcels that were begun and not answered
    record Ending(Reply reason, String remote, Kind kind, List<Left> left) {
        enum Kind {
            /// The peer left while nothing was under way, or before it did anything about what was and had all of a message.
            STALE,
            /// It broke.
            BROKEN,
            /// The house knows already, from the last parcel.
            TOLD,
            /// Our own doing or defect. Nobody is to blame.
            OURS
        }
    }

    /// @param mayHaveArrived its last byte was handed to the network
    record Left(Parcel parcel, boolean mayHaveArrived) {}

    /// @param plainly no pipelining, whatever the peer offers
    /// @param onceOnly the connection ends with the first parcel
    /// @param badly told when the peer breaks under pipelining, before the house is
    /// @param phases told what is done or awaited, and that it is nothing
    Traffic(long connection, ClientConfig config, Session session, Answers answers, boolean plainly, boolean onceOnly,
            Consumer<String> badly, Consumer<Optional<WirePhase>> phases) {
        this.connection = connection;
        this.config = config;
        this.session = session;
        this.wire = session.wire();
        this.pipeline = session.dialog().pipeline(plainly);
        this.depth = new PipeDepth(pipeline.reach(), config.ahead(), session.roundTripNanos());
        this.answers = answers;
        this.onceOnly = onceOnly;
        this.badly = badly;
        this.phases = phases;
        phases.accept(Optional.empty());
        answers.depth(depth.depth());
    }

    Optional<Ending> ending() {
        return ending;
    }

    boolean isIdle() {
        return pipeline.isIdle();
    }

    // ---- beginning

    /// True when this parcel may begin now.
    boolean hasRoomFor(Parcel parcel) {
        if (!pipeline.mayBegin() || ending.isPresent() || wire.mute().isPresent()) {
            return false;
        }
        return flights.isEmpty() || answers.reseats() && flights.size() < depth.depth()
                && bytesInFlight + parcel.letter().sizeBytes() <= config.ahead().bytes();
    }

    /// What of this parcel fits into one transaction each.
    List<List<Recipient>> portions(Parcel parcel) {
        return Portions.of(parcel.recipients(), session.dialog().extensions());
    }

    void begin(Parcel parcel) {
        Optional<Flight> fitted = fitted(parcel);
        if (fitted.isEmpty()) {
            return;
        }
        Flight flight = fitted.get();
        afterPause = flights.isEmpty() ? isAfterPause() : afterPause;
        flights.put(parcel.delivery(), flight);
        bytesInFlight += flight.sizeBytes();
        loading = Optional.of(flight);
        List<Fate> fates = pipeline.begin(parcel.delivery(),
                new Errand(parcel.envelope(), parcel.recipients(), flight.sizeBytes(), System.currentTimeMillis()));
        flight.underWay = pipeline.openCount();
        flight.depthThen = depth.depth();
        tell(fates);
    }

    /// The parcel in a form that this peer can take. Empty when there is none, and the parcel is answered.
    private Optional<Flight> fitted(Parcel parcel) {
        PeerExtensions peer = session.dialog().extensions();
        try {
            Fitting fitting = Fitting.of(parcel, peer, session.assurance());
            Optional<Flight> flight = open(parcel, fitting);
            if (flight.isPresent() && flight.get().needsShorterLines()) {
                flight.get().close();
                fitting = Fitting.withShortLines(parcel, peer);
                flight = open(parcel, fitting);
            }
            if (fitting instanceof Fitting.Impossible(Reply reason)) {
                refuse(parcel, reason);
            }
            return flight;
        } catch (IOException e) {
            log.warn("queue={} msg=\"message cannot be opened\" reason=\"{}\"", parcel.id(),
                    LogText.text(FailureWords.of(e)));
            refuse(parcel, Troubles.unreadable());
            return Optional.empty();
        }
    }

    private Optional<Flight> open(Parcel parcel, Fitting fitting) throws IOException {
        boolean chunked = pipeline.reach() == Pipeline.Reach.ANY;
        return switch (fitting) {
            case Fitting.AsItIs _ -> Optional.of(new Flight(parcel, parcel.letter(), chunked, config.longLines()));
            case Fitting.Converted(Letter letter) ->
                Optional.of(new Flight(parcel, letter, chunked, config.longLines()));
            case Fitting.Impossible _ -> Optional.empty();
        };
    }

    private boolean isAfterPause() {
        return used && System.nanoTime() - idleSinceNanos >= config.ahead().pauseMillis() * 1_000_000;
    }

    /// Without asking the peer, who would not be able to say anything else.
    private void refuse(Parcel parcel, Reply reason) {
        answers.done(parcel, Answers.same(parcel, reason, reason.isPermanent() ? session.remote() : Troubles.LOCAL),
                !onceOnly);
        if (onceOnly) {
            houseKnows();
        }
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
            unreadable(flight, e);
            wire.abort(End.ABORTED, "message cannot be read");
            end(pipeline.cut(Troubles.unreadable()), Ending.Kind.OURS, true);
        }
    }

    private void chunk(Flight flight) {
        try {
            flight.chunks().read();
        } catch (IOException e) {
            unreadable(flight, e);
            tell(pipeline.abandon(Troubles.unreadable()));
            return;
        }
        boolean last = flight.chunks().isLast();
        pipeline.chunk(last);
        wire.put(flight.chunks(), config.dataBlockMillis());
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
        log.warn("msg=\"message cannot be read\" queue={} conn={} remote={}", flight.parcel.id(), connection,
                LogText.word(session.remote()), e);
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

    // ---- hearing

    /// How long the next reply may take from now on.
    long patienceNanos() {
        return awaiting ? sinceNanos + patienceMillis() * 1_000_000 - System.nanoTime() : Long.MAX_VALUE;
    }

    private long patienceMillis() {
        return wire.mute().isPresent()
                ? LAST_WORDS_MILLIS
                : config.patienceMillis(pipeline.awaited().orElse(Phase.MAIL));
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
        return pipeline.awaited().filter(phase -> phase == Phase.FINAL).isPresent();
    }

    private void said(Reply reply) {
        boolean quiet = pipeline.openCount() == 0;
        alive |= !quiet;
        Optional<Long> whose = pipeline.awaitedOf();
        boolean wasFinal = isFinal();
        Verdict verdict = pipeline.heard(reply);
        if (wasFinal && verdict.end().isEmpty()) {
            whose.map(flights::get).ifPresent(this::measure);
        }
        sinceNanos = System.nanoTime();
        awaiting = pipeline.awaited().isPresent() || wire.mute().isPresent();
        tellPhase();
        if (verdict.end().isPresent()) {
            end(verdict, quiet ? Ending.Kind.STALE : Ending.Kind.BROKEN, verdict.end().get().breach().isPresent());
        } else {
            tell(verdict.fates());
        }
    }

    private void measure(Flight flight) {
        if (depth.answered(System.nanoTime() - flight.sentNanos, flight.underWay, flight.depthThen)) {
            answers.depth(depth.depth());
        }
    }

    private void gone(Gone gone) {
        // What begins with 250 was taken, however the line goes on, and what was taken must not be sent again.
        gone.begun().filter(reply -> isFinal() && !isTooEarly(reply)).ifPresent(this::said);
        if (ending.isPresent()) {
            return;
        }
        boolean ours = gone.end() == End.ABORTED;
        boolean ended = gone.end() == End.CLOSED || gone.end() == End.BROKEN;
        boolean stale = pipeline.openCount() == 0 || ended && used && !alive;
        Reply reason = pipeline.openCount() == 0 && !ours
                ? Troubles.idleLost(gone)
                : Troubles.cutOff(wire.endpoint(), pipeline.awaited().orElse(Phase.MAIL), gone);
        Verdict verdict = ours || stale ? pipeline.cut(reason) : pipeline.broken(reason);
        end(verdict, stale ? Ending.Kind.STALE : ours ? Ending.Kind.OURS : Ending.Kind.BROKEN, true);
    }

    // ---- telling

    /// What became of parcels while the connection lives on.
    private void tell(List<Fate> fates) {
        for (Fate fate : fates) {
            if (fate instanceof Fate.Answered answered) {
                boolean last = pipeline.openCount() == 0
                        && (onceOnly || pipeline.isExhausted() || wire.mute().isPresent());
                answered(answered, !last);
                if (last) {
                    houseKnows();
                }
            }
        }
        if (pipeline.openCount() == 0 && !fates.isEmpty()) {
            used = true;
            alive = false;
            idleSinceNanos = System.nanoTime();
        }
    }

    private void houseKnows() {
        ending = Optional.of(new Ending(Troubles.noSuchConnection(), Troubles.LOCAL, Ending.Kind.TOLD, List.of()));
    }

    private void answered(Fate.Answered answered, boolean usable) {
        answers.done(landed(answered).parcel, answered.outcomes(), usable);
    }

    private Flight landed(Fate fate) {
        Flight flight = flights.remove(fate.delivery());
        bytesInFlight -= flight.sizeBytes();
        flight.close();
        loading = loading.filter(l -> l != flight);
        return flight;
    }

    /// @param inTheDark what was not answered may have been done all the same
    private void end(Verdict verdict, Ending.Kind kind, boolean inTheDark) {
        Verdict.End end = verdict.end().orElseThrow();
        end.breach().ifPresent(this::pipelinesBadly);
        Ending.Kind told = kind;
        List<Left> left = new ArrayList<>();
        for (Fate fate : verdict.fates()) {
            boolean mayHaveArrived = inTheDark && mayHaveArrived(flights.get(fate.delivery()), end.reason());
            switch (fate) {
                case Fate.Answered answered -> {
                    answered(answered, false);
                    told = Ending.Kind.TOLD;
                }
                case Fate.Unanswered _ -> left.add(new Left(landed(fate).parcel, mayHaveArrived));
            }
        }
        if (told == Ending.Kind.STALE && left.stream().anyMatch(Left::mayHaveArrived)) {
            told = Ending.Kind.BROKEN;
        }
        ending = Optional.of(new Ending(end.reason(), session.remote(), told, left));
    }

    private void pipelinesBadly(String what) {
        log.info("msg=\"breaks under pipelining\" conn={} remote={} what=\"{}\"", connection,
                LogText.word(session.remote()), LogText.text(what));
        badly.accept(session.remote());
        answers.pipelinesBadly(what);
    }

    private boolean mayHaveArrived(Flight flight, Reply reason) {
        boolean may = flight.endsAt <= wire.handedOverBytes();
        if (may) {
            log.warn("msg=\"possible duplicate\" queue={} conn={} remote={} reason=\"{}\"", flight.parcel.id(),
                    connection, LogText.word(session.remote()), LogText.text(reason.toString()));
        }
        return may;
    }

    /// Lets go of what was left open.
    void close() {
        flights.values().forEach(Flight::close);
    }
}
