package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.smtpout.dialog.PeerExtensions.PeerExtension;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The transactions of one connection after the handshake, several at once.
///
/// **Pipelining.** Commands and replies are two sequences tied by their order: the n-th reply
/// answers the n-th command (RFC 2920). So a client may write without waiting as long as it
/// remembers what it has written. This class is that memory. It returns what to write next
/// ([#next]) and, for each reply, its command and the consequences ([#received]). The number of
/// round trips that a message costs depends on how far ahead the client writes:
///
/// ```
/// one by one   MAIL ⇄ RCPT ⇄ DATA ⇄ content ⇄          4 round trips and more
/// PIPELINING   MAIL RCPT DATA ⇄ content · MAIL RCPT DATA ⇄ content · …   1: the next envelope goes with the content
/// + CHUNKING   MAIL RCPT BDAT · RSET MAIL RCPT BDAT · RSET MAIL …        none: only the peer's rate counts
/// ```
///
/// With DATA one round trip remains, because the content must not be sent before 354. BDAT needs no
/// permission, so whole transactions follow each other. (RFC 3030 section 2 describes sending
/// chunks after the replies to MAIL and RCPT, and requires a peer to read a chunk even when it
/// refuses it. The second rule makes it safe not to wait for the first. Peers that fail are
/// detected, see below.)
///
/// **A refusal does not affect the neighbours.** DATA's final dot ends a transaction whatever the
/// reply (RFC 5321 section 4.1.1.4), and a refusal of DATA is known before the next MAIL is
/// written. BDAT differs: a peer that has refused every recipient may refuse the chunk and *keep
/// the transaction open*. A following MAIL is then refused ("nested"), but the next RCPT is
/// accepted into the wrong transaction, and the next message is sent under its predecessor's
/// sender. So any command after a BDAT without a reply is preceded by RSET: six bytes and one more
/// reply, and no round trip.
///
/// **Broken peers.** A peer that mixes up its replies cannot be trusted with anything that is still
/// open. The connection ends, deliveries without a reply are unanswered, and
/// [ReplyEffects.End#breach] reports that the peer needs one command at a time and DATA from then
/// on. The signs are: a reply to no command, a reply of a kind that cannot answer the command, 500,
/// 502 or 503 to a command in its right place, and a disconnect during the first attempt to write
/// ahead. A peer that replies to one command twice and is otherwise positive is detected only when
/// the extra reply is left over.
///
/// LMTP stays at one message at a time. Its peers are near, and the number of replies depends on
/// earlier ones.
///
/// No clock and no socket: the driver waits, writes and reads.
public final class Pipeline {
    /// The maximum of outstanding replies. The driver must have space for as many.
    static final int MOST_AWAITED = 800;
    /// More commands are written when fewer than this are outstanding, so that they are sent in
    /// groups.
    private static final int REFILL = MOST_AWAITED / 2;
    /// The size of one write, below the smallest socket buffers in use today.
    private static final int GROUP_CHARS = 16 * 1024;

    private static final PipelineStep WAIT = new PipelineStep.Wait();

    private final ClientProtocol protocol;
    private final PeerExtensions extensions;
    private final boolean piped;
    private final boolean chunked;

    private final Deque<Awaited> awaited = new ArrayDeque<>();
    private final Deque<SendingTransaction> open = new ArrayDeque<>();
    private Optional<SendingTransaction> writing = Optional.empty();
    /// True when the peer has no transaction open after everything that was written.
    private boolean clean = true;
    /// True after a valid reply to something that was written ahead.
    private boolean proven;
    private boolean mailTaken;
    private int begun;
    private boolean over;

    /// @param of empty for RSET
    private record Awaited(DialogPhase phase, Optional<SendingTransaction> of, int recipient) {}

    /// @param plainly one command at a time and no BDAT, whatever the peer offers
    Pipeline(ClientProtocol protocol, PeerExtensions extensions, boolean plainly) {
        this.protocol = protocol;
        this.extensions = extensions;
        this.piped = extensions.offers(PeerExtension.PIPELINING) && !plainly;
        this.chunked = piped && protocol == ClientProtocol.SMTP && extensions.offers(PeerExtension.CHUNKING);
    }

    /// How far ahead this peer can be served.
    public Reach reach() {
        return chunked
                ? Reach.ANY
                : piped && protocol == ClientProtocol.SMTP ? Reach.NEXT : Reach.ONE;
    }

    /// The number of transactions that are useful at once.
    public enum Reach {
        /// One message after the other.
        ONE,
        /// The next envelope with this content.
        NEXT,
        /// Whole messages, as many as `PipeDepth` permits.
        ANY
    }

    // ---- beginning

    /// True when another transaction may begin now.
    public boolean mayBegin() {
        return !over && !isExhausted() && writing.isEmpty()
                && (reach() == Reach.ONE ? open.isEmpty() : awaited.size() < REFILL);
    }

    /// True when the peer accepts no more transactions on this connection (RFC 9422 section 4.1).
    public boolean isExhausted() {
        return extensions.mailMax().isPresent() && begun >= extensions.mailMax().getAsInt();
    }

    /// Begins a transaction. Refusals that follow from the peer's extensions are decided at once.
    ///
    /// @param remote the peer's name in outcomes
    /// @param nowMillis for the remaining time of DELIVERBY
    public ReplyEffects begin(Transfer transfer, String remote, long nowMillis) {
        if (!mayBegin()) {
            throw new IllegalStateException("no transaction can begin");
        }
        SendingTransaction next = new SendingTransaction(transfer, protocol, extensions, remote, nowMillis, chunked,
                !open.isEmpty());
        if (next.isOver()) {
            return new ReplyEffects(Map.of(next.number(), next.outcomes().orElseThrow()), List.of(), Optional.empty());
        }
        begun++;
        open.add(next);
        writing = Optional.of(next);
        return ReplyEffects.NONE;
    }

    // ---- writing

    /// The next output. The caller must write it: each output is returned once.
    public PipelineStep next() {
        if (over) {
            return WAIT;
        }
        boolean resetFirst = !clean && writing.map(t -> !t.isBegun()).orElse(open.isEmpty());
        if (resetFirst && mayWrite()) {
            clean = true;
            return write("RSET\r\n", new Awaited(DialogPhase.RESET, Optional.empty(), -1));
        }
        return resetFirst || writing.isEmpty() ? WAIT : next(writing.get());
    }

    private boolean mayWrite() {
        return piped ? awaited.size() < REFILL : awaited.isEmpty();
    }

    private PipelineStep next(SendingTransaction transaction) {
        if (transaction.wantsContent()) {
            await(transaction, DialogPhase.FINAL, protocol == ClientProtocol.LMTP ? transaction.acceptedCount() : 1);
            return new PipelineStep.WriteContent(transaction.number());
        }
        if (transaction.wantsLoneDot()) {
            await(transaction, DialogPhase.FINAL, 1);
            contentWritten();
            return new PipelineStep.Write(".\r\n");
        }
        if (!mayWrite()) {
            return WAIT;
        }
        if (transaction.hasCommands()) {
            return group(transaction);
        }
        return transaction.wantsChunk() ? new PipelineStep.WriteChunk(transaction.number()) : WAIT;
    }

    private PipelineStep group(SendingTransaction transaction) {
        clean = false;
        StringBuilder group = new StringBuilder();
        int limit = piped ? MOST_AWAITED : 1;
        while (transaction.hasCommands() && awaited.size() < limit && group.length() < GROUP_CHARS) {
            SendingTransaction.SentCommand command = transaction.nextCommand();
            group.append(command.line()).append("\r\n");
            transaction.await(1);
            awaited.add(new Awaited(command.phase(), Optional.of(transaction), command.recipient()));
        }
        return new PipelineStep.Write(group.toString());
    }

    private PipelineStep write(String commands, Awaited reply) {
        awaited.add(reply);
        return new PipelineStep.Write(commands);
    }

    private void await(SendingTransaction transaction, DialogPhase phase, int replies) {
        transaction.await(replies);
        for (int i = 0; i < replies; i++) {
            awaited.add(new Awaited(phase, Optional.of(transaction), -1));
        }
    }

    /// The final dot of the content has been written.
    public void contentWritten() {
        writing.orElseThrow().contentIsWritten();
        writing = Optional.empty();
        clean = true;
    }

    /// A chunk is about to be written.
    public void chunk(boolean last) {
        SendingTransaction transaction = writing.orElseThrow();
        await(transaction, last ? DialogPhase.FINAL : DialogPhase.CHUNK, 1);
        if (last) {
            transaction.contentIsWritten();
            writing = Optional.empty();
        }
    }

    /// Abandons the transaction that is being written, because its content cannot be read; `reason`
    /// is 4xx. After [PipelineStep.WriteContent] this does not help: the peer is in the middle of a
    /// message, and the connection must be aborted.
    public ReplyEffects abandon(Reply reason) {
        writing.orElseThrow().abandon(reason);
        return settled();
    }

    // ---- replies

    /// The reply that is awaited, empty for none.
    public Optional<DialogPhase> awaited() {
        return awaited.isEmpty() ? Optional.empty() : Optional.of(awaited.element().phase());
    }

    /// The delivery whose reply is awaited; empty for none and for RSET.
    public Optional<Long> awaitedOf() {
        return awaited.isEmpty() ? Optional.empty() : awaited.element().of().map(SendingTransaction::number);
    }

    /// True when no transaction is open, the peer has been told, and the connection has not ended.
    public boolean isIdle() {
        return !over && open.isEmpty() && awaited.isEmpty() && clean;
    }

    /// The number of open transactions.
    public int openCount() {
        return open.size();
    }

    public ReplyEffects received(Reply reply) {
        if (over) {
            throw new IllegalStateException("the pipeline has ended: " + reply);
        }
        if (awaited.isEmpty()) {
            return unsolicited(reply);
        }
        Awaited command = awaited.remove();
        if (reply.code() == 421) {
            return closedByPeer(command, reply);
        }
        Optional<String> breach = breach(command, reply);
        if (breach.isPresent()) {
            return breached(command, reply, breach.get());
        }
        command.of().ifPresent(t -> answered(t, command, reply));
        if (command.of().isEmpty() && !reply.isPositive()) {
            return end(reply.isTransient() ? reply : Replies.asTransient(reply, 450), Optional.empty());
        }
        if (command.of().filter(SendingTransaction::isStuck).isPresent()) {
            return end(Replies.unexpected(reply, DialogPhase.DATA), Optional.empty());
        }
        return settled();
    }

    private void answered(SendingTransaction transaction, Awaited command, Reply reply) {
        transaction.answered(command.phase(), command.recipient(), reply);
        mailTaken |= command.phase() == DialogPhase.MAIL && reply.isPositive();
        if (command.phase() == DialogPhase.FINAL) {
            // With nothing written after it, an accepted message leaves nothing to reset.
            clean |= chunked && reply.isPositive() && writing.isEmpty() && open.peekLast() == transaction;
            proven |= transaction.wasAhead();
        }
    }

    private ReplyEffects settled() {
        if (writing.filter(SendingTransaction::isWritten).isPresent()) {
            writing = Optional.empty();
        }
        if (open.isEmpty() || !open.element().isOver()) {
            return ReplyEffects.NONE;
        }
        Map<Long, List<RecipientOutcome>> outcomes = new LinkedHashMap<>(2);
        List<Long> unanswered = new ArrayList<>(0);
        while (!open.isEmpty() && open.element().isOver()) {
            SendingTransaction over = open.remove();
            over.outcomes().ifPresentOrElse(all -> outcomes.put(over.number(), all),
                    () -> unanswered.add(over.number()));
        }
        return new ReplyEffects(outcomes, unanswered, Optional.empty());
    }

    // ---- failures

    /// A reply to no command: the peer closes, or has lost count.
    private ReplyEffects unsolicited(Reply reply) {
        boolean goodbye = reply.code() == 421 || !piped || begun == 0;
        return end(reply.isTransient() ? reply : Replies.unsolicited(reply),
                goodbye ? Optional.empty() : Optional.of("unsolicited reply: " + reply));
    }

    /// RFC 5321 section 3.8: the peer closes with 421. It has read no further than the command of
    /// this reply, and the reply decides that command's message.
    ///
    /// The exception is MAIL after earlier messages on the same connection: servers limit the
    /// messages of a session in this way. The reply then concerns the session, and the message, of
    /// which the server knows only the sender, can use another connection at once.
    private ReplyEffects closedByPeer(Awaited command, Reply reply) {
        if (command.phase() != DialogPhase.MAIL || !mailTaken) {
            command.of().ifPresent(transaction -> transaction.decideAll(reply));
        }
        return end(reply, Optional.empty());
    }

    private ReplyEffects breached(Awaited command, Reply reply, String breach) {
        Reply reason = Replies.unexpected(reply, command.phase());
        if (!piped) {
            command.of().ifPresent(t -> t.decideAll(reason));
        }
        return end(reason, piped ? Optional.of(breach) : Optional.empty());
    }

    /// A reply that a server without pipelining errors never sends.
    private Optional<String> breach(Awaited command, Reply reply) {
        boolean nonsense = reply.isPositive() && reply.code() >= 300 != (command.phase() == DialogPhase.DATA);
        return nonsense || piped && isLost(command, reply)
                ? Optional.of("protocol error in " + command.phase() + ": " + reply)
                : Optional.empty();
    }

    /// True for "unknown command" and "bad sequence" to a command in its right place. The first
    /// MAIL may get a 503 that requires AUTH.
    private boolean isLost(Awaited command, Reply reply) {
        boolean unknownCommand = reply.code() == 500 || reply.code() == 502;
        boolean badSequence = reply.code() == 503;
        if (!unknownCommand && !badSequence) {
            return false;
        }
        boolean useless = command.of().map(SendingTransaction::isLost).orElse(false);
        boolean noRecipient = command.of().map(t -> t.acceptedCount() == 0).orElse(false);
        return switch (command.phase()) {
            case MAIL -> mailTaken;
            case RECIPIENT -> !useless;
            case DATA -> !useless && !noRecipient;
            // A peer without BDAT reads the content as commands.
            case CHUNK -> unknownCommand || !useless && !noRecipient;
            case FINAL -> chunked && (unknownCommand || !useless && !noRecipient);
            case RESET -> true;
            case GREETING, HELLO, STARTTLS, AUTH, QUIT -> false;
        };
    }

    /// The connection is broken. `reason` is 4xx.
    public ReplyEffects broken(Reply reason) {
        boolean suspicious = !proven && open.stream().anyMatch(SendingTransaction::wasAhead);
        return end(reason, suspicious
                ? Optional.of("connection ended during the first pipelined messages: " + reason)
                : Optional.empty());
    }

    /// This server ends the connection. `reason` is 4xx.
    public ReplyEffects cut(Reply reason) {
        return end(reason, Optional.empty());
    }

    private ReplyEffects end(Reply reason, Optional<String> breach) {
        over = true;
        Map<Long, List<RecipientOutcome>> outcomes = new LinkedHashMap<>();
        List<Long> unanswered = new ArrayList<>();
        for (SendingTransaction transaction : open) {
            transaction.outcomes(reason).ifPresentOrElse(all -> outcomes.put(transaction.number(), all),
                    () -> unanswered.add(transaction.number()));
        }
        open.clear();
        awaited.clear();
        writing = Optional.empty();
        return new ReplyEffects(outcomes, unanswered, Optional.of(new ReplyEffects.End(reason, breach)));
    }
}
