package org.slipstream.server.intake;

import org.slipstream.config.Config;
import org.slipstream.core.Address;
import org.slipstream.core.Reply;
import org.slipstream.core.text.Ascii;
import org.slipstream.guard.login.MailboxLookup;
import org.slipstream.local.address.AddressBook;
import org.slipstream.local.address.TooManyRecipientsException;
import org.slipstream.smtpin.MessageHandler;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.spool.NoSpaceException;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/// The policy at MAIL and RCPT, in two rules.
///
/// 1. Mail for local addresses is accepted from all clients: known mailboxes and aliases of local
///    domains.
/// 2. Mail for other domains is accepted from our own clients only: authenticated ones and those of
///    the listed networks. Other clients are refused (RFC 5321 section 7.8), whatever the address
///    looks like; see [AddressBook] for hidden source routes.
///
/// Mail for the relay domains is accepted from all clients. No local part may hide another domain there,
/// because the next hop may take this server for an own client.
///
/// Where another server has the mailboxes, it can be asked for each recipient ([RecipientVerification]). The
/// postmaster is always accepted.
///
/// The submission ports serve our own clients only (RFC 6409 section 4.3): authenticated ones and,
/// on `submission` if the settings permit it, the listed networks. Where all clients must
/// authenticate, the listener checks that first.
///
/// Called on session threads; immutable.
public final class RecipientPolicy implements MessageHandler {
    private static final Set<String> FOR_USERS = Set.of("submission", "submissions");

    private final Ingest ingest;
    private final AddressBook book;
    private final Config.Relay relay;
    private final InFlowDelay brake;
    private final Set<String> withoutTls;
    private final MailboxLookup mailboxes;
    private final Optional<RecipientVerification> verification;
    private final boolean storeIsElsewhere;

    /// Every mailbox of the book exists.
    ///
    /// @param withoutTls services that do not offer STARTTLS, so that no client can authenticate
    ///     there
    public RecipientPolicy(Ingest ingest, AddressBook book, Config.Relay relay, InFlowDelay brake,
            Set<String> withoutTls) {
        this(ingest, book, relay, brake, withoutTls, MailboxLookup.ALL, Optional.empty(), false);
    }

    /// @param mailboxes asked about each mailbox of the book
    /// @param verification empty: no recipient is verified
    /// @param storeIsElsewhere mailboxes of the book are verified too
    public RecipientPolicy(Ingest ingest, AddressBook book, Config.Relay relay, InFlowDelay brake,
            Set<String> withoutTls, MailboxLookup mailboxes, Optional<RecipientVerification> verification,
            boolean storeIsElsewhere) {
        this.verification = verification;
        this.storeIsElsewhere = storeIsElsewhere;
        this.ingest = ingest;
        this.book = book;
        this.relay = relay;
        this.brake = brake;
        this.withoutTls = Set.copyOf(withoutTls);
        this.mailboxes = mailboxes;
    }

    @Override
    public HandlerVerdict sender(Client client, Optional<Address> sender, long declaredBytes) {
        if (FOR_USERS.contains(client.service()) && !isOurs(client)) {
            return notOurs(client);
        }
        // Reports have the null sender; RFC 5321 section 4.5.5 requires that it is accepted.
        return sender.isPresent() && !Address.isDomain(sender.get().domain())
                ? HandlerVerdict.refuse(553, "5.1.7", "Sender address rejected: invalid domain")
                : HandlerVerdict.accept();
    }

    private HandlerVerdict notOurs(Client client) {
        if (withoutTls.contains(client.service())) {
            return HandlerVerdict.refuse(554, "5.7.1",
                    "Access denied: authentication requires TLS, which this port does not offer");
        }
        return HandlerVerdict.refuse(530, "5.7.0", client.tls().isEmpty()
                ? "Must issue a STARTTLS command first"
                : "Authentication required");
    }

    @Override
    public HandlerVerdict recipient(Client client, Optional<Address> sender, Address recipient) {
        return switch (book.decide(mayChange(client) ? book.rewriting().recipient(recipient) : recipient)) {
            case AddressBook.Decision.Mailbox(Address mailbox) -> switch (mailboxes.find(mailbox)) {
                case EXISTS -> storeIsElsewhere ? verified(client, mailbox) : HandlerVerdict.accept();
                case UNKNOWN -> unknown(recipient);
                case UNCERTAIN -> HandlerVerdict.refuse(451, "4.3.0",
                        "<" + recipient + ">: Temporary lookup failure");
            };
            case AddressBook.Decision.Alias _ -> HandlerVerdict.accept();
            case AddressBook.Decision.Unknown _ -> unknown(recipient);
            case AddressBook.Decision.Remote _ when isOurs(client) -> HandlerVerdict.accept();
            case AddressBook.Decision.Remote _ when isRelayed(recipient) -> verified(client, recipient);
            case AddressBook.Decision.Remote _ ->
                HandlerVerdict.refuse(554, "5.7.1", "<" + recipient + ">: Relay access denied");
        };
    }

    private boolean isRelayed(Address recipient) {
        return relay.domains().contains(recipient.domainKey()) && !AddressBook.routes(recipient);
    }

    private HandlerVerdict verified(Client client, Address recipient) {
        return Ascii.same(recipient.localPart(), "postmaster")
                ? HandlerVerdict.accept()
                : verification.flatMap(each -> each.refusal(client.address(), recipient))
                        .<HandlerVerdict>map(HandlerVerdict.Refuse::new).orElseGet(HandlerVerdict::accept);
    }

    private static HandlerVerdict unknown(Address recipient) {
        return HandlerVerdict.refuse(550, "5.1.1",
                "<" + recipient + ">: Recipient address rejected: User unknown in local recipient table");
    }

    private boolean isOurs(Client client) {
        return client.user().isPresent() || relay.contains(client.address());
    }

    /// Messages of our own clients may be corrected. Messages that a relay in front of us brings by
    /// LMTP may not: others wrote them.
    @Override
    public ContentRules rules(Client client) {
        return mayChange(client)
                ? new ContentRules(relay.normalizes(), true, book.rewriting()::header)
                : ContentRules.STRICT;
    }

    private boolean mayChange(Client client) {
        return isOurs(client) && !client.service().equals(Services.LMTP);
    }

    @Override
    public DraftContent draft(Client client) throws IOException {
        return draft(client, () -> {});
    }

    /// @param stored told when the message is durable, before the queue manager
    DraftContent draft(Client client, Runnable stored) throws IOException {
        brake.beforeAMessage();
        return ingest.begin(isOurs(client), mayChange(client), stored);
    }

    @Override
    public Reply troubleReply(IOException trouble) {
        return switch (trouble) {
            case NoSpaceException _ -> Reply.of(452, "4.3.1", "Insufficient system storage");
            case TooManyRecipientsException _ -> Reply.of(452, "4.5.3", "Too many recipients after alias expansion");
            default -> Reply.of(451, "4.3.0", "Temporary system problem");
        };
    }
}
