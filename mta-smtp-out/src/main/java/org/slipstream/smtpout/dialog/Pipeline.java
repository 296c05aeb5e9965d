package org.slipstream.smtpout.dialog;

import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
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
/// **What pipelining is.** Commands and replies are two rows, and the one thing that ties them is their order: the n-th reply
/// answers the n-th command (RFC 2920). So a client may write without waiting as long as it remembers what it has written. This
/// class is that memory. It says what may be written next ([#next]) and, of each reply, whose it is and what follows
/// ([#heard]). How far ahead one writes decides how many round trips a message costs:
///
/// ```
/// one by one   MAIL ⇄ RCPT ⇄ DATA ⇄ content ⇄          4 round trips and more
/// PIPELINING   MAIL RCPT DATA ⇄ content · MAIL RCPT DATA ⇄ content · …   1: the next envelope rides with the content
/// + CHUNKING   MAIL RCPT BDAT · RSET MAIL RCPT BDAT · RSET MAIL …        none: the peer's pace alone counts
/// ```
///
/// With DATA one round trip remains, because the content must not leave before 354. BDAT needs no permission, so whole
/// transactions follow each other. (RFC 3030 section 2 tells how to send chunks after the replies to MAIL and RCPT are there, and
/// that a peer must read a chunk also when it refuses it. The second makes it safe to do without the first. Peers that
/// cannot bear it are found out, see below.)
///
/// **Why a refusal in the middle leaves the neighbours alone.** DATA's final dot ends a transaction whatever the reply
/// is (RFC 5321 section 4.1.1.4), and DATA that is refused is known to be before the next MAIL is written. After BDAT that is not so:
/// when the peer has refused every recipient it may refuse the chunk and *keep the transaction open*. A MAIL that follows is then
/// refused ("nested"), but the next RCPT is accepted, into the wrong transaction, and the next message goes out
/// under its predecessor's sender. So whatever comes after a BDAT whose fate is open begins with RSET: six bytes
/// and one more reply, and no round trip.
///
/// **What a peer may do to lose our confidence.** A peer that mixes up its replies cannot be believed in anything that
/// is still open: the connection ends, deliveries without an answer are handed back, and [ReplyEffects.End#breach] says that the
/// peer needs plain talk from then on, which means one command at a time and DATA. That is a reply nobody asked for, a reply of a kind
/// that cannot answer the command, 500, 502 or 503 to a command in its right place, and an end in the middle of the first
/// attempt to write ahead. What cannot be found out is a peer that answers one command twice and is otherwise positive
/// throughout; it is noticed when the extra reply is left over.
///
/// LMTP stays at one message at a time. Its peers are close, and the number of replies depends on earlier ones.
///
/// No time, no socket: whoever drives this waits, writes and reads.
public final class Pipeline {
    /// The replies to so many commands may be outstanding. Whoever reads them must have room for as many.
    static final int MOST_AWAITED = 800;
    /// Commands are written on when fewer than this are left, so that they go in groups.
    private static final int REFILL = MOST_AWAITED / 2;
    /// One write. Below the smallest socket buffers in use today.
    private static final int GROUP_CHARS = 16 * 1024;

    private static final Move WAIT = new Move.Wait();

    private final ClientProtocol protocol;
    private final PeerExtensions extensions;
    private final boolean piped;
    private final boolean chunked;

    private final Deque<Awaited> awaited = new ArrayDeque<>();
    private final Deque<SendingTransaction> open = new ArrayDeque<>();
    private Optional<SendingTransaction> writing = Optional.empty();
    /// The peer will have no transaction open when it has read all that was written.
    private boolean clean = true;
    /// Something that was written ahead was answered as it should.
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

    /// How many transactions are worth having at once, at the least and at the most.
    public Reach reach() {
        return chunked
                ? Reach.ANY
                : piped && protocol == ClientProtocol.SMTP ? Reach.NEXT : Reach.ONE;
    }

    /// How far ahead this peer can be served.
    public enum Reach {
        /// One message after the other.
        ONE,
        /// The next envelope with this content.
        NEXT,
        /// Whole messages, as many as the way is long.
        ANY
    }

    // ---- beginning

    /// True when another transaction may begin now.
    public boolean mayBegin() {
        return !over && !isExhausted() && writing.isEmpty()
                && (reach() == Reach.ONE ? open.isEmpty() : awaited.size() < REFILL);
    }

    /// The peer wants no more transactions on this connection (RFC 9422 section 4.1).
    public boolean isExhausted() {
        return extensions.mailMax().isPresent() && begun >= extensions.mailMax().getAsInt();
    }

    /// Begins a transaction. What the peer need not be asked is decided at once.
    ///
    /// @param remote the peer's name in outcomes
    /// @param nowMillis for the rest of the time that the sender gave (DELIVERBY)
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

    /// What to write next. Asking is as good as writing: each answer is given once.
    public Move next() {
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

    private Move next(SendingTransaction transaction) {
        if (transaction.wantsContent()) {
            await(transaction, DialogPhase.FINAL, protocol == ClientProtocol.LMTP ? transaction.acceptedCount() : 1);
            return new Move.WriteContent(transaction.number());
        }
        if (transaction.wantsLoneDot()) {
            await(transaction, DialogPhase.FINAL, 1);
            contentWritten();
            return new Move.Write(".\r\n");
        }
        if (!mayWrite()) {
            return WAIT;
        }
        if (transaction.hasCommands()) {
            return group(transaction);
        }
        return transaction.wantsChunk() ? new Move.WriteChunk(transaction.number()) : WAIT;
    }

    private Move group(SendingTransaction transaction) {
        clean = false;
        StringBuilder group = new StringBuilder();
        int limit = piped ? MOST_AWAITED : 1;
        while (transaction.hasCommands() && awaited.size() < limit && group.length() < GROUP_CHARS) {
            SendingTransaction.SentCommand command = transaction.nextCommand();
            group.append(command.line()).append("\r\n");
            transaction.await(1);
            awaited.add(new Awaited(command.phase(), Optional.of(transaction), command.recipient()));
        }
        return new Move.Write(group.toString());
    }

    private Move write(String commands, Awaited reply) {
        awaited.add(reply);
        return new Move.Write(commands);
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

    /// The content of the transaction that is being written cannot be read on; `reason` is 4xx. After [Move.WriteContent]
    /// this does not help: the peer is in the middle of a message, and the wire must be cut.
    public ReplyEffects abandon(Reply reason) {
        writing.orElseThrow().abandon(reason);
        return settled();
    }

    // ---- hearing

    /// What is waited for, empty when nothing is.
    public Optional<DialogPhase> awaited() {
        return awaited.isEmpty() ? Optional.empty() : Optional.of(awaited.element().phase());
    }

    /// Whose reply is waited for; empty for none and for RSET.
    public Optional<Long> awaitedOf() {
        return awaited.isEmpty() ? Optional.empty() : awaited.element().of().map(SendingTransaction::number);
    }

    /// True when no transaction is open, the peer knows that too, and the connection has not ended.
    public boolean isIdle() {
        return !over && open.isEmpty() && awaited.isEmpty() && clean;
    }

    /// How many transactions are open.
    public int openCount() {
        return open.size();
    }

    public ReplyEffects heard(Reply reply) {
        if (over) {
            throw new IllegalStateException("it is over: " + reply);
        }
        if (awaited.isEmpty()) {
            return unasked(reply);
        }
        Awaited command = awaited.remove();
        if (reply.code() == 421) {
            return hungUp(command, reply);
        }
        Optional<String> breach = breach(command, reply);
        if (breach.isPresent()) {
            return outOfStep(command, reply, breach.get());
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
            // With nothing behind it, a message that was taken leaves nothing to reset.
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

    // ---- what goes wrong

    /// Nobody asked: a goodbye, or a peer that has lost count.
    private ReplyEffects unasked(Reply reply) {
        boolean goodbye = reply.code() == 421 || !piped || begun == 0;
        return end(reply.isTransient() ? reply : Replies.unasked(reply),
                goodbye ? Optional.empty() : Optional.of("a reply too many: " + reply));
    }

    /// RFC 5321 section 3.8: the peer closes. It has read no further than the command that it answers so, and this reply is an
    /// answer to that command's message.
    ///
    /// The exception is MAIL after earlier messages on the same connection. Servers end a session so after a number of
    /// messages. The reply is about the session then, and the message, of which the server knows nothing but the sender, can
    /// go over another connection at once.
    private ReplyEffects hungUp(Awaited command, Reply reply) {
        if (command.phase() != DialogPhase.MAIL || !mailTaken) {
            command.of().ifPresent(transaction -> transaction.decideAll(reply));
        }
        return end(reply, Optional.empty());
    }

    private ReplyEffects outOfStep(Awaited command, Reply reply, String breach) {
        Reply reason = Replies.unexpected(reply, command.phase());
        if (!piped) {
            command.of().ifPresent(t -> t.decideAll(reason));
        }
        return end(reason, piped ? Optional.of(breach) : Optional.empty());
    }

    /// What no server says that does one thing after the other.
    private Optional<String> breach(Awaited command, Reply reply) {
        boolean nonsense = reply.isPositive() && reply.code() >= 300 != (command.phase() == DialogPhase.DATA);
        return nonsense || piped && isLost(command, reply)
                ? Optional.of(command.phase() + " is " + reply)
                : Optional.empty();
    }

    /// True for "what?" and "not now" to a command in its right place. The first MAIL may be met by a 503 that wants AUTH.
    private boolean isLost(Awaited command, Reply reply) {
        boolean what = reply.code() == 500 || reply.code() == 502;
        boolean notNow = reply.code() == 503;
        if (!what && !notNow) {
            return false;
        }
        boolean hopeless = command.of().map(SendingTransaction::isLost).orElse(false);
        boolean nobody = command.of().map(t -> t.acceptedCount() == 0).orElse(false);
        return switch (command.phase()) {
            case MAIL -> mailTaken;
            case RECIPIENT -> !hopeless;
            case DATA -> !hopeless && !nobody;
            // A peer that does not know BDAT reads the letter as commands.
            case CHUNK -> what || !hopeless && !nobody;
            case FINAL -> chunked && (what || !hopeless && !nobody);
            case RESET -> true;
            case GREETING, HELLO, STARTTLS, AUTH, QUIT -> false;
        };
    }

    /// The connection is gone, or must go. `reason` is 4xx.
    public ReplyEffects broken(Reply reason) {
        boolean suspicious = !proven && open.stream().anyMatch(SendingTransaction::wasAhead);
        return end(reason, suspicious
                ? Optional.of("the connection ended in the first messages that were written ahead: " + reason)
                : Optional.empty());
    }

    /// We end the connection ourselves. `reason` is 4xx.
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
