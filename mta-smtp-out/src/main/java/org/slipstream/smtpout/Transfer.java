package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Reply;
import org.slipstream.smtpout.dialog.Errand;
import org.slipstream.smtpout.dialog.Phase;
import org.slipstream.smtpout.dialog.Step;
import org.slipstream.smtpout.dialog.Step.Aftermath;
import org.slipstream.smtpout.wire.Heard;
import org.slipstream.smtpout.wire.Heard.End;
import org.slipstream.smtpout.wire.Heard.Gone;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/// One transaction on one session, on the carrier's thread.
///
/// Two rules keep mail safe when things break. A message that could not be read to its end never gets its final dot: the
/// wire is cut instead. And once the dot may have left, a missing reply is no proof of anything: the message is deferred
/// and the log says that the peer may have it already.
final class Transfer {
    private static final Logger log = LoggerFactory.getLogger(Transfer.class);

    /// How long to listen for a peer's last words when writing to it has failed.
    private static final long LAST_WORDS_MILLIS = 2000;

    private final ClientConfig config;
    private final Mailbox mailbox;
    private final Session session;
    private final Parcel parcel;
    private final AtomicBoolean dotting = new AtomicBoolean();
    private Optional<Gone> mute = Optional.empty();

    sealed interface Result {
        record Ended(Step.Finished finished) implements Result {}

        /// The peer had gone before this transaction began. Nothing has been transferred.
        record Stale(Step.Finished finished) implements Result {}
    }

    Transfer(ClientConfig config, Mailbox mailbox, Session session, Parcel parcel) {
        this.config = config;
        this.mailbox = mailbox;
        this.session = session;
        this.parcel = parcel;
    }

    Result run(InputStream letter) {
        Errand errand = new Errand(parcel.envelope(), parcel.recipients(), parcel.letter().sizeBytes());
        Step step = session.dialog().deliver(errand);
        if (!(step instanceof Step.Finished)) {
            // Whatever the peer said while nobody had asked, it was not a reply to what comes now.
            Optional<Heard> unasked = mailbox.hear(session, 0);
            if (unasked.isPresent()) {
                return stale(unasked.get());
            }
        }
        while (true) {
            switch (step) {
                case Step.Send(String commands, Phase awaited) -> {
                    mute = session.wire().send(commands, config.commandMillis());
                    step = new Step.Await(awaited);
                }
                case Step.SendContent _ -> {
                    try {
                        mute = session.wire().content(letter, parcel.letter().sizeBytes(), config.dataBlockMillis(),
                                dotting);
                    } catch (IOException e) {
                        return unreadable(e);
                    }
                    step = new Step.Await(Phase.FINAL);
                }
                case Step.Await(Phase awaited) -> {
                    switch (hear(awaited)) {
                        case Heard.Said(Reply reply) when tooEarly(awaited, reply) -> {
                            return gone(awaited, mute.orElseThrow());
                        }
                        case Heard.Said(Reply reply) -> step = session.dialog().heard(reply);
                        case Gone gone -> {
                            return gone(awaited, gone);
                        }
                    }
                }
                case Step.Finished finished -> {
                    return new Result.Ended(mute.isEmpty() ? finished : closed(finished));
                }
                case Step.StartTls _,Step.Ready _,Step.Refused _ -> throw new IllegalStateException(
                        "no transaction: " + step);
            }
        }
    }

    private Heard hear(Phase awaited) {
        long millis = mute.isEmpty() ? config.patienceMillis(awaited) : LAST_WORDS_MILLIS;
        return mailbox.hear(session, millis).orElseGet(() -> mute.orElseGet(
                () -> session.wire().abort(End.TIMED_OUT, "no answer within " + millis + " ms")));
    }

    // Content that did not go out whole cannot have been accepted, whatever the peer says.
    private boolean tooEarly(Phase awaited, Reply reply) {
        return awaited == Phase.FINAL && mute.isPresent() && reply.isPositive();
    }

    private Result stale(Heard unasked) {
        Gone gone = switch (unasked) {
            case Gone g -> g;
            case Heard.Said(Reply reply) -> session.wire().abort(End.CLOSED, "unasked for: " + reply);
        };
        Step.Finished finished = session.dialog()
                .broken(Troubles.cutOff(session.wire().endpoint(), Phase.MAIL, gone));
        return gone.end() == End.ABORTED ? new Result.Ended(blameless(finished)) : new Result.Stale(finished);
    }

    private Result gone(Phase awaited, Gone gone) {
        boolean answered = session.dialog().isAnswered();
        Step.Finished finished = session.dialog()
                .broken(Troubles.cutOff(session.wire().endpoint(), awaited, gone));
        if (dotting.getPlain()) {
            log.warn("msg=\"possible duplicate\" queue={} remote={} reason=\"{}\"", parcel.id(), session.remote(),
                    gone.reason());
        }
        return switch (gone.end()) {
            case CLOSED, BROKEN -> session.isUsed() && !answered
                    ? new Result.Stale(finished)
                    : new Result.Ended(finished);
            case TIMED_OUT, GARBLED -> new Result.Ended(finished);
            case ABORTED -> new Result.Ended(blameless(finished));
        };
    }

    private Result unreadable(IOException e) {
        log.warn("msg=\"message cannot be read\" queue={} remote={}", parcel.id(), session.remote(), e);
        session.abort("message cannot be read");
        return new Result.Ended(blameless(session.dialog().broken(Troubles.unreadable())));
    }

    private static Step.Finished blameless(Step.Finished finished) {
        return new Step.Finished(finished.outcomes(), finished.aftermath(), false);
    }

    private static Step.Finished closed(Step.Finished finished) {
        return new Step.Finished(finished.outcomes(), Aftermath.CLOSE, finished.siteTrouble());
    }
}
