package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;

/// What is said on one connection: a handshake, then transactions one after the other.
///
/// The driver performs the open [Step] and comes back with what it led to: [#heard] after anything that was awaited,
/// [#encrypted] after a TLS handshake, [#broken] when nothing more will be heard. It may [#deliver] after
/// [Step.Ready], and again after each [Step.Finished] whose aftermath is REUSE, or is RESET and was answered by
/// [#reset].
///
/// Commands and replies are matched by order alone, inside [Transaction]; that is what lets a later
/// transaction start before an earlier one is answered, once this class holds more than one.
public final class ClientDialog {
    private final Protocol protocol;
    private final String remote;
    private final Handshake handshake;

    private State state = State.HANDSHAKE;
    private PeerExtensions extensions = PeerExtensions.NONE;
    private Transaction transaction;

    private enum State {
        HANDSHAKE, IDLE, TRANSACTION, RESETTING, OVER
    }

    /// @param hostname our name
    /// @param wantsTls STARTTLS when the peer offers it
    /// @param remote the peer's name in outcomes
    public ClientDialog(Protocol protocol, String hostname, boolean wantsTls, String remote) {
        this.protocol = protocol;
        this.remote = remote;
        this.handshake = new Handshake(protocol, hostname, wantsTls);
    }

    public Step begin() {
        return handshake.begin();
    }

    public Step encrypted() {
        return handshake.encrypted();
    }

    public Step deliver(Errand errand) {
        if (state != State.IDLE) {
            throw new IllegalStateException("no transaction can begin in state " + state);
        }
        state = State.TRANSACTION;
        transaction = new Transaction(protocol, extensions, remote, errand);
        return settled(transaction.begin());
    }

    /// Makes the peer forget what is left of the last transaction.
    public Step reset() {
        state = State.RESETTING;
        return new Step.Send("RSET\r\n", Phase.RESET);
    }

    public Step heard(Reply reply) {
        return settled(switch (state) {
            case HANDSHAKE -> handshake.heard(reply);
            case TRANSACTION -> transaction.heard(reply);
            case RESETTING -> reply.code() < 300 ? new Step.Ready(extensions) : new Step.Refused(reply, Phase.RESET);
            case IDLE, OVER -> throw new IllegalStateException("nobody asked for " + reply + " in state " + state);
        });
    }

    /// Ends the transaction in progress. `reason` is 4xx.
    public Step.Finished broken(Reply reason) {
        if (state != State.TRANSACTION) {
            throw new IllegalStateException("no transaction to break in state " + state);
        }
        state = State.OVER;
        return transaction.broken(reason);
    }

    /// True when the transaction in progress has had any reply.
    public boolean isAnswered() {
        return transaction != null && transaction.isAnswered();
    }

    private Step settled(Step step) {
        switch (step) {
            case Step.Ready ready -> {
                extensions = ready.extensions();
                state = State.IDLE;
            }
            case Step.Finished finished -> state = finished.aftermath() == Step.Aftermath.CLOSE
                    ? State.OVER
                    : State.IDLE;
            case Step.Refused _ -> state = State.OVER;
            case Step.Send _,Step.Await _,Step.StartTls _,Step.SendContent _ -> {
            }
        }
        return step;
    }
}
