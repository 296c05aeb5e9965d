package org.slipstream.server.local;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NotDirectoryException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Delivers a message to mailboxes of this server, each with an outcome of its own.
///
/// On top of the letter come `Return-Path`, because this is where the envelope ends (RFC 5321 section 4.4), and `Delivered-To`, by
/// which a loop is known: a letter that says it has been in this very mailbox is not put there again. Trouble with our disk defers;
/// only a mailbox that is not there, or a loop, is for good. Blocking; many threads at once, which nobody may interrupt.
public final class LocalDelivery {
    private static final Logger log = LoggerFactory.getLogger(LocalDelivery.class);

    private final MaildirDelivery maildirs;
    private final Function<Address, Optional<Address>> mailboxes;

    /// @param mailboxes whose mailbox an address of a local domain is, if anybody's
    public LocalDelivery(MaildirDelivery maildirs, Function<Address, Optional<Address>> mailboxes) {
        this.maildirs = maildirs;
        this.mailboxes = mailboxes;
    }

    /// What came of it.
    public sealed interface Result {
        /// One outcome for each recipient, in their order.
        record Decided(List<RecipientOutcome> outcomes) implements Result {}

        /// The message cannot be read. Nothing was delivered.
        record Unreadable(Reply reason) implements Result {}

        /// No mailbox can be written. Nothing was delivered.
        record DiskGone(Reply reason) implements Result {}
    }

    public Result deliver(QueueId id, Envelope envelope, List<Recipient> recipients, Content content) {
        Set<String> been;
        try {
            been = HeaderScan.deliveredTo(content);
        } catch (IOException e) {
            log.warn("queue={} msg=\"letter not readable\" reason=\"{}\"", id,
                    LogText.text(FailureWords.of(e)));
            return new Result.Unreadable(Reply.of(451, "4.3.0", "the message could not be read"));
        }
        List<RecipientOutcome> outcomes = recipients.stream()
                .map(r -> new RecipientOutcome(r.number(), one(id, envelope, r, content, been))).toList();
        Optional<Reply> trouble = outcomes.stream().map(RecipientOutcome::outcome)
                .filter(Outcome.Deferred.class::isInstance).map(Outcome::reply).findFirst();
        boolean nothingDone = outcomes.stream().allMatch(each -> each.outcome() instanceof Outcome.Deferred);
        return trouble.isPresent() && nothingDone && maildirs.isOutOfOrder()
                ? new Result.DiskGone(trouble.get())
                : new Result.Decided(outcomes);
    }

    private Outcome one(QueueId id, Envelope envelope, Recipient recipient, Content content, Set<String> been) {
        Address address = recipient.address();
        Optional<Address> mailbox = mailboxes.apply(address);
        if (mailbox.isEmpty()) {
            return new Outcome.Failed(Reply.of(550, "5.1.1", "no mailbox " + address + " here"), "local");
        }
        String remote = "maildir:" + mailbox.get();
        if (been.contains(address.toString().toLowerCase(Locale.ROOT))) {
            return new Outcome.Failed(
                    Reply.of(554, "5.4.6", "mail loop: the message has been delivered to " + address + " before"),
                    remote);
        }
        try {
            maildirs.deliver(mailbox.get(), id, recipient.number(), top(envelope, address), content);
            return new Outcome.Delivered(Reply.of(250, "2.0.0", "delivered to mailbox"), remote);
        } catch (IOException e) {
            log.warn("queue={} msg=\"mailbox trouble\" mailbox={} reason=\"{}\"", id,
                    LogText.path(mailbox.get()), LogText.text(FailureWords.of(e)));
            return new Outcome.Deferred(reply(e), remote);
        }
    }

    private static byte[] top(Envelope envelope, Address address) {
        String sender = envelope.sender().map(Address::toString).orElse("");
        return ("Return-Path: <" + sender + ">\r\nDelivered-To: " + address + "\r\n").getBytes(StandardCharsets.UTF_8);
    }

    /// RFC 3463 sections 3.3 and 3.4: the system is full, the mailbox is the trouble, or we cannot tell.
    private static Reply reply(IOException e) {
        String text = String.valueOf(e.getMessage());
        if (text.contains("No space left") || text.contains("quota exceeded")) {
            return Reply.of(452, "4.3.1", "the disk with the mailboxes is full");
        }
        if (e instanceof AccessDeniedException || e instanceof FileAlreadyExistsException
                || e instanceof NotDirectoryException) {
            return Reply.of(450, "4.2.0", "the mailbox cannot be written");
        }
        return Reply.of(451, "4.3.0", "local trouble writing the mailbox");
    }
}
