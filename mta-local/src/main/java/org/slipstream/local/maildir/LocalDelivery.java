package org.slipstream.local.maildir;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NotDirectoryException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/// Delivers a message to mailboxes of this server, with an outcome for each recipient.
///
/// It prepends `Return-Path`, because this is the final delivery (RFC 5321 section 4.4), and
/// `Delivered-To`, which detects loops: a message that was delivered to this mailbox before is not
/// delivered again. A failure of our disk defers; only an unknown mailbox or a loop is permanent.
/// Blocking; used by many threads at once, which must not be interrupted.
public final class LocalDelivery {
    private static final Logger log = LoggerFactory.getLogger(LocalDelivery.class);

    private final MaildirDelivery maildirs;
    private final Function<Address, Optional<Address>> mailboxes;
    private final boolean junkFolder;

    /// @param mailboxes the mailbox of an address of a local domain; empty when unknown
    /// @param junkFolder mail that is marked as spam goes to a folder of its own
    public LocalDelivery(MaildirDelivery maildirs, Function<Address, Optional<Address>> mailboxes,
            boolean junkFolder) {
        this.maildirs = maildirs;
        this.mailboxes = mailboxes;
        this.junkFolder = junkFolder;
    }

    /// The result of a delivery.
    public sealed interface LocalResult {
        /// One outcome for each recipient, in their order.
        record Decided(List<RecipientOutcome> outcomes) implements LocalResult {}

        /// The message cannot be read. Nothing was delivered.
        record Unreadable(Reply reason) implements LocalResult {}

        /// No mailbox can be written. Nothing was delivered.
        record DiskGone(Reply reason) implements LocalResult {}
    }

    public LocalResult deliver(QueueId id, Envelope envelope, List<Recipient> recipients, Content content) {
        HeaderScan header;
        try {
            header = HeaderScan.of(content);
        } catch (IOException e) {
            log.warn("event=content-not-read queue={} error=\"{}\"", id,
                    LogText.text(FailureWords.of(e)));
            return new LocalResult.Unreadable(Reply.of(451, "4.3.0", "queue file read error"));
        }
        List<RecipientOutcome> outcomes = recipients.stream()
                .map(r -> new RecipientOutcome(r.number(), one(id, envelope, r, content, header))).toList();
        Optional<Reply> trouble = outcomes.stream().map(RecipientOutcome::outcome)
                .filter(Outcome.Deferred.class::isInstance).map(Outcome::reply).findFirst();
        boolean nothingDone = outcomes.stream().allMatch(each -> each.outcome() instanceof Outcome.Deferred);
        return trouble.isPresent() && nothingDone && maildirs.isOutOfOrder()
                ? new LocalResult.DiskGone(trouble.get())
                : new LocalResult.Decided(outcomes);
    }

    private Outcome one(QueueId id, Envelope envelope, Recipient recipient, Content content, HeaderScan header) {
        Address address = recipient.address();
        Optional<Address> mailbox = mailboxes.apply(address);
        if (mailbox.isEmpty()) {
            return new Outcome.Failed(Reply.of(550, "5.1.1", "unknown user: " + address), "local");
        }
        String remote = "maildir:" + mailbox.get();
        if (header.visited().contains(address.toString().toLowerCase(Locale.ROOT))) {
            return new Outcome.Failed(
                    Reply.of(554, "5.4.6", "mail forwarding loop for " + address),
                    remote);
        }
        try {
            maildirs.deliver(mailbox.get(), junkFolder && header.spam(), id, recipient.number(), top(envelope, address),
                    content);
            return new Outcome.Delivered(Reply.of(250, "2.0.0", "delivered to mailbox"), remote);
        } catch (IOException e) {
            log.warn("event=mailbox-not-written queue={} mailbox={} error=\"{}\"", id,
                    LogText.path(mailbox.get()), LogText.text(FailureWords.of(e)));
            return new Outcome.Deferred(reply(e), remote);
        }
    }

    private static byte[] top(Envelope envelope, Address address) {
        String sender = envelope.sender().map(Address::toString).orElse("");
        return ("Return-Path: <" + sender + ">\r\nDelivered-To: " + address + "\r\n").getBytes(StandardCharsets.UTF_8);
    }

    /// RFC 3463 sections 3.3 and 3.4: the disk is full, the mailbox is the cause, or the cause is
    /// unknown.
    private static Reply reply(IOException e) {
        String text = String.valueOf(e.getMessage());
        if (text.contains("No space left") || text.contains("quota exceeded")) {
            return Reply.of(452, "4.3.1", "mailbox disk is full");
        }
        if (e instanceof AccessDeniedException || e instanceof FileAlreadyExistsException
                || e instanceof NotDirectoryException) {
            return Reply.of(450, "4.2.0", "cannot update mailbox");
        }
        return Reply.of(451, "4.3.0", "temporary system problem: cannot update mailbox");
    }
}
