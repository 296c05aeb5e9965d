package org.slipstream.server.intake;

import org.slipstream.core.Address;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.server.config.Config;
import org.slipstream.smtpin.EnvelopeExtras;
import org.slipstream.smtpin.MessageHandler;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.spool.Draft;
import org.slipstream.spool.NoSpaceException;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// The policy at MAIL and RCPT, in two rules.
///
/// 1. Mail to ourselves is taken from everybody: known mailboxes and aliases of local domains.
/// 2. Mail to others is taken from our own clients alone: authenticated ones and those of the listed networks. Everybody else is
/// refused (RFC 5321 section 7.8), whatever the address looks like; see [AddressBook] for the disguises.
///
/// The ports for users are for our own clients at all (RFC 6409 section 4.3): those who have logged in, and on `submission`, where the
/// operator lets them, the listed networks. Where a login is demanded of everybody the listener asks for it, before we are.
///
/// Called on session threads; immutable.
public final class RecipientPolicy implements MessageHandler {
    private static final Set<String> FOR_USERS = Set.of("submission", "submissions");

    private final Ingest ingest;
    private final AddressBook book;
    private final Config.Relay relay;
    private final Brake brake;
    private final Set<String> withoutTls;

    /// @param withoutTls services that do not offer STARTTLS, so that nobody can log in there
    public RecipientPolicy(Ingest ingest, AddressBook book, Config.Relay relay, Brake brake, Set<String> withoutTls) {
        this.ingest = ingest;
        this.book = book;
        this.relay = relay;
        this.brake = brake;
        this.withoutTls = Set.copyOf(withoutTls);
    }

    @Override
    public Verdict sender(Client client, Optional<Address> sender, long declaredBytes) {
        if (FOR_USERS.contains(client.service()) && !isOurs(client)) {
            return notOurs(client);
        }
        // The null sender is how reports travel; RFC 5321 section 4.5.5 wants it taken.
        return sender.isPresent() && !Address.isDomain(sender.get().domain())
                ? Verdict.refuse(553, "5.1.7", "The sender's domain is no domain")
                : Verdict.accept();
    }

    private Verdict notOurs(Client client) {
        if (withoutTls.contains(client.service())) {
            return Verdict.refuse(554, "5.7.1", "Access denied: no login without TLS, which this port does not offer");
        }
        return Verdict.refuse(530, "5.7.0", client.tls().isEmpty()
                ? "Must issue a STARTTLS command and log in first"
                : "Authentication required");
    }

    @Override
    public Verdict recipient(Client client, Optional<Address> sender, Address recipient) {
        return switch (book.decide(recipient)) {
            case AddressBook.Decision.Mailbox _,AddressBook.Decision.Alias _ -> Verdict.accept();
            case AddressBook.Decision.Unknown _ -> Verdict.refuse(550, "5.1.1", "<" + recipient + "> is unknown here");
            case AddressBook.Decision.Remote _ -> isOurs(client)
                    ? Verdict.accept()
                    : Verdict.refuse(554, "5.7.1", "<" + recipient + ">: relay access denied");
        };
    }

    private boolean isOurs(Client client) {
        return client.user().isPresent() || relay.contains(client.address());
    }

    /// What our own clients write may be mended. Not what a relay in front of us brings by LMTP: others wrote that.
    @Override
    public ContentRules rules(Client client) {
        boolean ours = isOurs(client) && !client.service().equals("lmtp");
        return new ContentRules(ours && relay.normalizes(), ours);
    }

    @Override
    public DraftContent draft(Client client) throws IOException {
        brake.beforeAMessage();
        return new Entering(ingest.begin(), isOurs(client));
    }

    @Override
    public Reply troubleReply(IOException trouble) {
        return switch (trouble) {
            case NoSpaceException _ -> Reply.of(452, "4.3.1", "Insufficient system storage, try again later");
            case TooManyRecipientsException _ -> Reply.of(452, "4.5.3", "Too many recipients behind these aliases");
            default -> Reply.of(451, "4.3.0", "Local trouble, try again later");
        };
    }

    private final class Entering implements DraftContent {
        private final Draft draft;
        private final boolean ours;

        private Entering(Draft draft, boolean ours) {
            this.draft = draft;
            this.ours = ours;
        }

        @Override
        public QueueId id() {
            return draft.id();
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            draft.write(bytes, offset, length);
        }

        @Override
        public void commit(Envelope envelope, EnvelopeExtras extras, Optional<ContentFacts> facts)
                throws IOException {
            ingest.commit(draft, envelope.withWishes(options(extras)), facts);
        }

        // RFC 6710 section 4.1: strangers' mail is not before that of others because they say so.
        private DeliveryOptions options(EnvelopeExtras extras) {
            OptionalLong hold = extras.holdUntil().map(until -> OptionalLong.of(until.toEpochMilli()))
                    .orElse(OptionalLong.empty());
            return new DeliveryOptions(hold, extras.deliverBy().map(
                    by -> new DeliveryOptions.DeliverBy(by.deadline().toEpochMilli(), by.returned(), by.traced())),
                    ours ? extras.priority().orElse(0) : 0, extras.requireTls());
        }

        @Override
        public void close() {
            draft.close();
        }
    }
}
