package org.slipstream.smtpout.dialog;

import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.text.Controls;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// One mail transaction (RFC 5321 section 3.3): the commands still to be sent, and the outcomes so
/// far.
///
/// Each recipient is undecided until a reply decides it:
///
/// - A refusal of MAIL decides all; replies to commands already in flight are counted but not
///   trusted.
/// - A refusal of RCPT decides that recipient; the others continue.
/// - A refusal of DATA or of a chunk, and the final reply (RFC 5321 section 4.2.5), decide the
///   recipients accepted by RCPT. In LMTP each of them has its own final reply (RFC 2033 section 4.2).
/// - The loss of the connection defers undecided recipients. Decisions stay. Without any decision
///   the transaction is unanswered as a whole.
///
/// Pipelining has one trap: DATA is sent before it is known that no recipient was accepted, and the
/// peer may reply 354. It then waits for a message that must not be delivered. A lone dot ends it,
/// and any reply to it is the end of the transaction (RFC 2920 section 3.1). BDAT has no such trap:
/// the peer reads the content, discards it and replies so (RFC 3030 section 2).
///
/// A probe ends with the replies to RCPT, which are its outcomes; the peer's open transaction is
/// reset before the next one.
///
/// [Pipeline] decides when to write and which command a reply answers.
final class SendingTransaction {
    private final Transfer transfer;
    private final ClientProtocol protocol;
    private final String remote;
    private final boolean chunked;
    private final boolean ahead;
    private final boolean probe;

    private final Outcome[] decided;
    private final DialogPhase[] decidedIn;
    private DialogPhase reached = DialogPhase.MAIL;
    private final Deque<SentCommand> unsent = new ArrayDeque<>(4);
    private final Deque<Integer> accepted = new ArrayDeque<>(4);
    private int recipientsLeft;
    private int awaited;
    private boolean begun;
    private boolean dataSent;
    private boolean lost;
    private Optional<Reply> abandoned = Optional.empty();
    private Body body = Body.PLANNED;

    /// The state of the content. With DATA it is planned until 354, with BDAT until LAST is
    /// written.
    private enum Body {
        PLANNED, WANTED, LONE_DOT, DONE
    }

    /// @param recipient index into the delivery's recipients, of RCPT only
    record SentCommand(DialogPhase phase, int recipient, String line) {
        SentCommand {
            // A line end inside an address would begin a second command.
            if (Controls.in(line)) {
                throw new IllegalArgumentException("control character in command");
            }
        }
    }

    /// @param remote the peer's name in outcomes
    /// @param nowMillis for the remaining time of DELIVERBY
    /// @param chunked the content is sent by BDAT, otherwise by DATA
    /// @param ahead begun before an earlier transaction was answered
    SendingTransaction(Transfer transfer, ClientProtocol protocol, PeerExtensions extensions, String remote,
            long nowMillis,
            boolean chunked, boolean ahead) {
        this.transfer = transfer;
        this.protocol = protocol;
        this.remote = remote;
        this.chunked = chunked;
        this.ahead = ahead;
        this.probe = transfer.delivery().probe();
        this.decided = new Outcome[recipients().size()];
        this.decidedIn = new DialogPhase[decided.length];
        plan(new PeerMailParameters(extensions), nowMillis);
    }

    private void plan(PeerMailParameters parameters, long nowMillis) {
        parameters.refusal(transfer, nowMillis).ifPresent(this::decideAll);
        unsent.add(new SentCommand(DialogPhase.MAIL, -1, parameters.mail(transfer, nowMillis)));
        for (int i = 0; i < decided.length; i++) {
            Recipient recipient = recipients().get(i);
            Optional<Reply> refusal = parameters.refusal(recipient);
            if (decided[i] == null && refusal.isPresent()) {
                decide(i, refusal.get());
            }
            if (decided[i] == null) {
                unsent.add(new SentCommand(DialogPhase.RECIPIENT, i, parameters.recipient(recipient)));
            }
        }
        recipientsLeft = unsent.size() - 1;
        if (probe) {
            body = Body.DONE;
        } else if (!chunked) {
            unsent.add(new SentCommand(DialogPhase.DATA, -1, "DATA"));
        }
        dropUseless();
    }

    private List<Recipient> recipients() {
        return transfer.delivery().recipients();
    }

    long number() {
        return transfer.number();
    }

    // ---- commands

    /// True after its first command was taken for writing.
    boolean isBegun() {
        return begun;
    }

    boolean wasAhead() {
        return ahead;
    }

    boolean hasCommands() {
        return !unsent.isEmpty();
    }

    SentCommand nextCommand() {
        begun = true;
        SentCommand command = unsent.remove();
        dataSent |= command.phase() == DialogPhase.DATA;
        return command;
    }

    boolean wantsChunk() {
        return chunked && body == Body.PLANNED && unsent.isEmpty();
    }

    boolean wantsContent() {
        return body == Body.WANTED;
    }

    boolean wantsLoneDot() {
        return body == Body.LONE_DOT;
    }

    /// The final dot or BDAT LAST is written.
    void contentIsWritten() {
        body = Body.DONE;
    }

    boolean isWritten() {
        return unsent.isEmpty() && body == Body.DONE;
    }

    /// The content cannot be read. Not permitted between 354 and the final dot, where only the end
    /// of the connection helps.
    void abandon(Reply reason) {
        lost = true;
        abandoned = Optional.of(reason);
        dropUseless();
    }

    // ---- replies

    /// Adds to the number of outstanding replies.
    void await(int replies) {
        awaited += replies;
    }

    int acceptedCount() {
        return accepted.size();
    }

    boolean isLost() {
        return lost;
    }

    /// True when LMTP requests content without an accepted recipient: the protocol has no lone dot
    /// for that.
    boolean isStuck() {
        return body == Body.LONE_DOT && protocol == ClientProtocol.LMTP;
    }

    /// @param recipient of RCPT only
    void answered(DialogPhase phase, int recipient, Reply reply) {
        awaited--;
        reached = phase;
        switch (phase) {
            case MAIL, CHUNK -> {
                if (!reply.isPositive()) {
                    lost = true;
                    // Of a probe: the null sender is refused, and nothing is said about the recipient.
                    decideAll(probe && reply.isPermanent() ? Replies.asTransient(reply, 450) : reply);
                }
            }
            case RECIPIENT -> recipientAnswered(recipient, reply);
            case DATA -> dataAnswered(reply);
            case FINAL -> contentAnswered(reply);
            case GREETING, HELLO, STARTTLS, AUTH, RESET, QUIT ->
                throw new IllegalStateException("no transaction: " + phase);
        }
        dropUseless();
    }

    private void recipientAnswered(int recipient, Reply reply) {
        recipientsLeft--;
        if (decided[recipient] != null) {
            return;
        }
        if (reply.isPositive() && probe) {
            decide(recipient, reply);
        } else if (reply.isPositive()) {
            accepted.add(recipient);
        } else {
            // RFC 5321 section 4.5.3.1.10: 552 is an old code for "too many recipients", which is
            // temporary.
            decide(recipient, reply.code() == 552 ? Replies.asTransient(reply, 452) : reply);
        }
    }

    private void dataAnswered(Reply reply) {
        dataSent = false;
        if (!reply.isPositive()) {
            lost = true;
            decideAll(reply);
        } else {
            body = lost || accepted.isEmpty() ? Body.LONE_DOT : Body.WANTED;
        }
    }

    private void contentAnswered(Reply reply) {
        if (protocol == ClientProtocol.LMTP && !accepted.isEmpty()) {
            decideIfOpen(accepted.removeFirst(), reply);
        } else {
            decideAll(reply);
        }
    }

    /// Drops commands without any use. DATA that is already written may still be accepted.
    private void dropUseless() {
        boolean useless = lost || recipientsLeft == 0 && accepted.isEmpty();
        if (useless && (probe || body == Body.PLANNED && !dataSent)) {
            unsent.clear();
            body = Body.DONE;
        }
    }

    // ---- the end

    boolean isOver() {
        return awaited == 0 && isWritten();
    }

    /// The outcomes of a finished transaction, one for each recipient. Empty without any decision
    /// by the peer.
    Optional<List<RecipientOutcome>> outcomes() {
        abandoned.ifPresent(this::decideTheRest);
        return isAnyDecided() ? Optional.of(all()) : Optional.empty();
    }

    /// The same at the end of the connection; `reason` is for recipients without a reply.
    Optional<List<RecipientOutcome>> outcomes(Reply reason) {
        decideTheRest(reason);
        return outcomes();
    }

    private void decideTheRest(Reply reason) {
        if (isAnyDecided()) {
            decideAll(reason);
        }
    }

    private boolean isAnyDecided() {
        for (Outcome outcome : decided) {
            if (outcome != null) {
                return true;
            }
        }
        return false;
    }

    private List<RecipientOutcome> all() {
        List<RecipientOutcome> outcomes = new ArrayList<>(decided.length);
        for (Recipient recipient : recipients()) {
            int index = outcomes.size();
            outcomes.add(new RecipientOutcome(recipient.number(), Objects.requireNonNull(decided[index]),
                    new RecipientOutcome.Reached(Optional.of(decidedIn[index].code()), -1)));
        }
        return outcomes;
    }

    /// Sets the outcome of all undecided recipients.
    void decideAll(Reply reply) {
        for (int i = 0; i < decided.length; i++) {
            decideIfOpen(i, reply);
        }
    }

    private void decideIfOpen(int recipient, Reply reply) {
        if (decided[recipient] == null) {
            decide(recipient, reply);
        }
    }

    private void decide(int recipient, Reply reply) {
        decided[recipient] = Outcome.of(reply, remote);
        decidedIn[recipient] = reached;
    }
}
