package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.command.Command;
import org.slipstream.smtpin.command.MailParameters;
import org.slipstream.smtpin.command.RcptParameters;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.protocol.Limits;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/// Takes messages of authenticated programs that bring no SMTP session, such as those of the HTTP port. Each message
/// has the checks of a submission port: MAIL, RCPT for each recipient, the content with its limits and corrections,
/// and the end of the message. So a program has no right that its user would not have by SMTP.
///
/// Immutable; may be used by any thread.
public final class ProgramSubmission {
    private static final Logger log = LoggerFactory.getLogger(ProgramSubmission.class);

    private final Limits limits;
    private final String hostname;
    private final ListenerServices services;
    private final Clock clock;

    public ProgramSubmission(Limits limits, String hostname, ListenerServices services, Clock clock) {
        this.limits = limits;
        this.hostname = hostname;
        this.services = services;
        this.clock = clock;
    }

    /// The envelope that a program asks for.
    ///
    /// @param recipients at least one
    /// @param smtpUtf8 the header or an address is not ASCII
    /// @param data kept with the message
    public record ProgramMail(Address sender, List<Address> recipients, boolean smtpUtf8, Optional<String> envelopeId,
            String data) {}

    /// Writes the content, which need not have CRLF at each line end.
    @FunctionalInterface
    public interface ContentWriter {
        void writeTo(OutputStream out) throws IOException;
    }

    @FunctionalInterface
    public interface NewDraft {
        MessageHandler.DraftContent begin() throws IOException;
    }

    /// @param recipient that is not in the message
    public record RefusedRecipient(Address recipient, Reply reply) {}

    /// The end of a message, with the recipients that have no place in it.
    public sealed interface ProgramResult {
        List<RefusedRecipient> refused();

        /// The message is durable.
        record Committed(QueueId id, Optional<String> messageId, List<RefusedRecipient> refused)
                implements
                    ProgramResult {}

        /// Nothing was stored.
        record NotTaken(Reply reply, List<RefusedRecipient> refused) implements ProgramResult {}

        /// Nothing was stored, because of this server.
        record LocalFailure(Reply reply, List<RefusedRecipient> refused) implements ProgramResult {}
    }

    /// @param client has a user
    /// @param draft called after the recipients were accepted
    /// @throws IOException of the content
    public ProgramResult take(Client client, ProgramMail mail, NewDraft draft, ContentWriter content)
            throws IOException {
        PolicyGate gate = new PolicyGate(services);
        Command.Mail command = new Command.Mail(Optional.of(mail.sender()), new MailParameters(0, Optional.empty(),
                mail.smtpUtf8(), DsnReturn.UNSPECIFIED, mail.envelopeId(), false, Optional.empty(), Optional.empty(),
                OptionalInt.empty(), Optional.empty(), Map.of()));
        Instant now = clock.instant();
        try (ReceivingTransaction transaction = new ReceivingTransaction(command, now, services.memory(),
                mail.data())) {
            Optional<Reply> refusal = gate.sender(client, command, transaction);
            if (refusal.isPresent()) {
                return new ProgramResult.NotTaken(refusal.get(), List.of());
            }
            List<RefusedRecipient> refused = recipients(client, gate, mail, transaction);
            return transaction.recipients() == 0
                    ? new ProgramResult.NotTaken(refused.getFirst().reply(), refused)
                    : store(client, transaction, draft, content, refused, now);
        }
    }

    private List<RefusedRecipient> recipients(Client client, PolicyGate gate, ProgramMail mail,
            ReceivingTransaction transaction) {
        List<RefusedRecipient> refused = new ArrayList<>(0);
        for (Address recipient : mail.recipients()) {
            Command.Rcpt command = new Command.Rcpt(recipient, false, RcptParameters.NONE);
            Optional<Reply> refusal = transaction.recipients() >= limits.recipients()
                    ? Optional.of(Reply.of(452, "4.5.3", "Too many recipients"))
                    : gate.recipient(client, command, transaction);
            if (refusal.isEmpty() && !transaction.add(command)) {
                refusal = Optional.of(Reply.of(452, "4.3.1", "Insufficient system memory, try again later"));
            }
            refusal.ifPresent(reply -> refused.add(new RefusedRecipient(recipient, reply)));
        }
        return refused;
    }

    private ProgramResult store(Client client, ReceivingTransaction transaction, NewDraft draft, ContentWriter content,
            List<RefusedRecipient> refused, Instant now) throws IOException {
        IncomingMessage begun;
        try {
            begun = new IncomingMessage(limits, hostname, draft.begin(), services.handler()::troubleReply, false,
                    services.policy().readsHeader(), transaction::takeMemory, services.handler().rules(client), now,
                    Optional.empty());
        } catch (IOException trouble) {
            return failure(client, trouble, services.handler().troubleReply(trouble), refused);
        }
        try (IncomingMessage incoming = begun) {
            incoming.begin(ReceivedLine.composeHttp(client, hostname, incoming.id(), transaction.onlyRecipient(), now));
            content.writeTo(new ContentStream(incoming));
            incoming.endOfChunks();
            if (incoming.refusal().isEmpty()) {
                MessageEnd.checkAndCommit(services.policy(), client, incoming, transaction);
            }
            Optional<Reply> refusal = incoming.refusal();
            if (refusal.isEmpty()) {
                MessageEnd.logAccepted(client, incoming, transaction);
                return new ProgramResult.Committed(incoming.id(), incoming.messageId(), refused);
            }
            return incoming.trouble().<ProgramResult>map(
                    trouble -> failure(client, trouble, refusal.get(), refused))
                    .orElseGet(() -> new ProgramResult.NotTaken(refusal.get(), refused));
        }
    }

    private static ProgramResult failure(Client client, IOException trouble, Reply reply,
            List<RefusedRecipient> refused) {
        log.warn("event=message-not-stored session={} client={} reply=\"{}\" error=\"{}\"", client.session(),
                ReceivedLine.literal(client.address()), LogText.text(reply.toString()),
                LogText.text(trouble.toString()));
        return new ProgramResult.LocalFailure(reply, refused);
    }

    /// Octets behind a refusal are not kept.
    private static final class ContentStream extends OutputStream {
        private final IncomingMessage incoming;

        ContentStream(IncomingMessage incoming) {
            this.incoming = incoming;
        }

        @Override
        public void write(int octet) throws IOException {
            write(new byte[]{(byte) octet}, 0, 1);
        }

        @Override
        public void write(byte[] octets, int from, int length) throws IOException {
            if (length > 0 && incoming.refusal().isEmpty()) {
                incoming.takeChunk(octets, from, from + length);
            }
        }
    }
}
