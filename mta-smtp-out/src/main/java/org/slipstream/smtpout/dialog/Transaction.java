package org.slipstream.smtpout.dialog;

import org.slipstream.core.Outcome;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.smtpout.dialog.PeerExtensions.Extension;
import org.slipstream.smtpout.dialog.Step.Aftermath;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/// One mail transaction: MAIL, RCPT for each recipient, DATA, the content, the final reply (RFC 5321 section 3.3).
///
/// The commands form one list. They are sent in groups, and the replies come back in the order of the commands: that is
/// all that pipelining is (RFC 2920). A peer without PIPELINING gets groups of one. A peer with it gets everything up to
/// and with DATA in a single write; only a very long recipient list is cut, so that a group and its replies always fit
/// into the buffers of both sides and nobody waits for the other to read first (RFC 2920 section 3.1).
///
/// Each recipient is undecided until a reply decides it:
///
/// - MAIL refused decides all; the replies to what was already in flight are counted and not believed.
/// - RCPT refused decides that recipient, the others go on.
/// - DATA refused and the final reply decide those whom RCPT accepted. In LMTP each of them has a final reply of its own.
/// - 421 at any point, or the loss of the connection, defers whoever is still undecided. What was decided stays so.
///
/// The trap of pipelining: DATA is on its way before it is known that nobody was accepted, and the peer may answer 354. It
/// then waits for a message that must not be delivered to anybody. A lone dot ends it, and whatever the peer thinks of that
/// is the end of the transaction (RFC 2920 section 3.1).
final class Transaction {
    /// Below the smallest socket buffers in use today.
    private static final int GROUP_CHARS = 16 * 1024;
    private static final int GROUP_COMMANDS = 200;

    private final Protocol protocol;
    private final PeerExtensions extensions;
    private final String remote;
    private final Errand errand;

    private final Outcome[] decided;
    private final List<Command> commands = new ArrayList<>();
    private int sent;
    private final Deque<Command> awaited = new ArrayDeque<>();
    private final Deque<Integer> accepted = new ArrayDeque<>();
    private boolean senderRefused;
    private boolean answered;
    private State state = State.COMMANDS;

    private enum State {
        COMMANDS, CONTENT, LONE_DOT, OVER
    }

    /// @param recipient index into the errand's recipients, of RCPT only
    private record Command(Phase phase, int recipient, String line) {
        Command {
            // An address that smuggles a line end would be a second command. Whoever let it in has a bug.
            if (line.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException("control character in a command");
            }
        }
    }

    Transaction(Protocol protocol, PeerExtensions extensions, String remote, Errand errand) {
        this.protocol = protocol;
        this.extensions = extensions;
        this.remote = remote;
        this.errand = errand;
        this.decided = new Outcome[errand.recipients().size()];
    }

    Step begin() {
        MailParameters parameters = new MailParameters(extensions);
        parameters.refusal(errand).ifPresent(this::decideAll);
        commands.add(new Command(Phase.MAIL, -1, parameters.mail(errand)));
        for (int i = 0; i < decided.length; i++) {
            Recipient recipient = errand.recipients().get(i);
            Optional<Reply> refusal = parameters.refusal(recipient);
            if (decided[i] == null && refusal.isPresent()) {
                decide(i, refusal.get());
            }
            if (decided[i] == null) {
                commands.add(new Command(Phase.RECIPIENT, i, parameters.recipient(recipient)));
            }
        }
        if (commands.size() == 1) {
            return finished(Aftermath.REUSE, false);
        }
        commands.add(new Command(Phase.DATA, -1, "DATA"));
        return nextGroup();
    }

    Step heard(Reply reply) {
        answered = true;
        if (reply.code() == 421) {
            return hungUp(reply);
        }
        return switch (state) {
            case COMMANDS -> commandAnswered(awaited.removeFirst(), reply);
            case CONTENT -> contentAnswered(reply);
            case LONE_DOT -> finished(Aftermath.REUSE, false);
            case OVER -> throw new IllegalStateException("the transaction is over: " + reply);
        };
    }

    /// The connection is gone; `reason` is 4xx.
    Step.Finished broken(Reply reason) {
        decideAll(reason);
        return finished(Aftermath.CLOSE, true);
    }

    /// True when the peer has reacted to this transaction in any way.
    boolean isAnswered() {
        return answered;
    }

    private Step nextGroup() {
        StringBuilder group = new StringBuilder();
        int limit = extensions.offers(Extension.PIPELINING) ? GROUP_COMMANDS : 1;
        while (sent < commands.size() && awaited.size() < limit && group.length() < GROUP_CHARS) {
            Command command = commands.get(sent++);
            group.append(command.line()).append("\r\n");
            awaited.add(command);
        }
        return new Step.Send(group.toString(), awaited.getFirst().phase());
    }

    private Step commandAnswered(Command command, Reply reply) {
        if (reply.isPositive() && reply.code() >= 300 != (command.phase() == Phase.DATA)) {
            return confused(reply, command.phase());
        }
        if (command.phase() == Phase.DATA) {
            return dataAnswered(reply);
        }
        if (command.phase() == Phase.MAIL) {
            if (!reply.isPositive()) {
                senderRefused = true;
                decideAll(reply);
            }
        } else if (!senderRefused) {
            recipientAnswered(command.recipient(), reply);
        }
        return afterCommand();
    }

    private void recipientAnswered(int recipient, Reply reply) {
        if (reply.isPositive()) {
            accepted.add(recipient);
        } else {
            // RFC 5321 section 4.5.3.1.10: an old way to say "too many recipients", which is true only for now.
            decide(recipient, reply.code() == 552 ? Replies.asTransient(reply, 452) : reply);
        }
    }

    private Step afterCommand() {
        if (!awaited.isEmpty()) {
            return new Step.Await(awaited.getFirst().phase());
        }
        boolean onlyDataLeft = sent == commands.size() - 1;
        return senderRefused || onlyDataLeft && accepted.isEmpty() ? finished(Aftermath.RESET, false) : nextGroup();
    }

    private Step dataAnswered(Reply reply) {
        if (!reply.isPositive()) {
            decideAll(reply);
            return finished(Aftermath.RESET, false);
        }
        if (!accepted.isEmpty()) {
            state = State.CONTENT;
            return new Step.SendContent();
        }
        if (protocol == Protocol.LMTP) {
            // RFC 2033 section 4.2 wants 503 here; a server that says 354 owes one final reply per recipient: none.
            return finished(Aftermath.CLOSE, false);
        }
        state = State.LONE_DOT;
        return new Step.Send(".\r\n", Phase.FINAL);
    }

    private Step contentAnswered(Reply reply) {
        if (reply.isPositive() && reply.code() >= 300) {
            return confused(reply, Phase.FINAL);
        }
        if (protocol == Protocol.SMTP) {
            decideAll(reply);
            return finished(Aftermath.REUSE, false);
        }
        decide(accepted.removeFirst(), reply);
        return accepted.isEmpty() ? finished(Aftermath.REUSE, false) : new Step.Await(Phase.FINAL);
    }

    private Step hungUp(Reply reply) {
        boolean beforeItBegan = state == State.COMMANDS && awaited.getFirst().phase() == Phase.MAIL;
        decideAll(reply);
        return finished(Aftermath.CLOSE, beforeItBegan);
    }

    private Step confused(Reply reply, Phase phase) {
        decideAll(Replies.unexpected(reply, phase));
        return finished(Aftermath.CLOSE, false);
    }

    private void decideAll(Reply reply) {
        for (int i = 0; i < decided.length; i++) {
            if (decided[i] == null) {
                decide(i, reply);
            }
        }
    }

    private void decide(int recipient, Reply reply) {
        decided[recipient] = Outcome.of(reply, remote);
    }

    private Step.Finished finished(Aftermath aftermath, boolean siteTrouble) {
        state = State.OVER;
        List<RecipientOutcome> outcomes = new ArrayList<>(decided.length);
        for (Recipient recipient : errand.recipients()) {
            outcomes.add(new RecipientOutcome(recipient.number(), decided[outcomes.size()]));
        }
        return new Step.Finished(outcomes, aftermath, siteTrouble);
    }
}
