package org.slipstream.server.intake;

import org.slipstream.config.Config;
import org.slipstream.core.Origin;
import org.slipstream.guard.login.TokenFile;
import org.slipstream.guard.login.Users;
import org.slipstream.inject.InjectionTarget;
import org.slipstream.smtpin.ListenerServices;
import org.slipstream.smtpin.MessageHandler.DraftContent;
import org.slipstream.smtpin.ProgramSubmission;
import org.slipstream.smtpin.ProgramSubmission.NewDraft;
import org.slipstream.smtpin.ProgramSubmission.ProgramMail;
import org.slipstream.smtpin.ProgramSubmission.ProgramResult;
import org.slipstream.smtpin.ProgramSubmission.RefusedRecipient;
import org.slipstream.smtpin.policy.Client;

import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// The way of messages that programs hand in by HTTP: that of a submission port, with the settings in force.
///
/// May be called by any thread.
public final class HttpIntake implements InjectionTarget {
    private final TokenFile tokens;
    private final Supplier<IntakeParts> now;
    private final AtomicLong requests = new AtomicLong();

    /// The parts of the settings in force.
    ///
    /// @param services with a [RecipientPolicy]
    /// @param users empty: Dovecot knows them
    public record IntakeParts(Config config, ListenerServices services, Optional<Users> users) {}

    public HttpIntake(TokenFile tokens, Supplier<IntakeParts> now) {
        this.tokens = tokens;
        this.now = now;
    }

    @Override
    public Optional<InjectingProgram> program(String token) throws IOException {
        Optional<TokenFile.SendToken> found = tokens.sender(token);
        Optional<Users> users = now.get().users();
        // The token of a user who was removed.
        if (found.isPresent() && users.isPresent() && !users.get().knows(found.get().user())) {
            return Optional.empty();
        }
        return found.map(each -> new InjectingProgram(each.name(), each.user()));
    }

    @Override
    public InjectionLimits limits() {
        Config config = now.get().config();
        return new InjectionLimits(config.limits().messageSize().bytes(), config.limits().recipients());
    }

    @Override
    public Submitted submit(InjectingProgram program, CallerAddress caller, MessageParts message, DurableMark mark)
            throws IOException {
        IntakeParts parts = now.get();
        Client client = new Client(requests.incrementAndGet(), caller.address(), Optional.of(program.name()), true,
                caller.tls() ? Optional.of("TLS") : Optional.empty(), Optional.of(program.user()), Origin.HTTP);
        ProgramSubmission submission = new ProgramSubmission(parts.config().limits(), parts.config().hostname(),
                parts.services(), Clock.systemUTC());
        RecipientPolicy policy = (RecipientPolicy) parts.services().handler();
        NewDraft draft = () -> {
            DraftContent begun = policy.draft(client, mark::isStored);
            try {
                mark.begins(begun.id());
                return begun;
            } catch (IOException | RuntimeException e) {
                begun.close();
                throw e;
            }
        };
        return answer(submission.take(client, new ProgramMail(message.sender(), message.recipients(),
                message.smtpUtf8(), message.envelopeId(), message.data()), draft, message.content()::writeTo));
    }

    private static Submitted answer(ProgramResult result) {
        List<RefusedAddress> refused = result.refused().stream().map(HttpIntake::address).toList();
        return switch (result) {
            case ProgramResult.Committed(var id, var messageId, var _) ->
                new Submitted.Stored(id, messageId, refused);
            case ProgramResult.NotTaken(var reply, var _) -> new Submitted.Rejected(reply, false, refused);
            case ProgramResult.LocalFailure(var reply, var _) -> new Submitted.Rejected(reply, true, refused);
        };
    }

    private static RefusedAddress address(RefusedRecipient each) {
        return new RefusedAddress(each.recipient(), each.reply());
    }
}
