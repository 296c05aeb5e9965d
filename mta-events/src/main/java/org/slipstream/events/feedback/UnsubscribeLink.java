package org.slipstream.events.feedback;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/// The link that ends the mail of a sender's domain to a recipient (RFC 8058). It is sealed, so a stranger can neither
/// make one for another recipient nor read an address in it.
///
/// @param queue the message that the link stood in
/// @param senderDomain in lower case
public record UnsubscribeLink(QueueId queue, String senderDomain, Address recipient) {
    private static final String PURPOSE = "unsubscribe";
    /// RFC 5322 section 2.1.1. The address stands in one line, because a reader may not join folded ones.
    private static final int LONGEST_LINE = 998;

    /// The two fields with their ends, in lines of ASCII; empty when the link is too long for a line.
    ///
    /// @param page the address of the page, as receivers reach it
    public String fields(SealedText seal, URI page) {
        String base = page.toString();
        String list = "List-Unsubscribe: <" + base + (base.endsWith("/") ? "" : "/") + token(seal) + ">";
        return list.length() > LONGEST_LINE
                ? ""
                : list + "\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n";
    }

    String token(SealedText seal) {
        return seal.seal(PURPOSE, List.of(queue.toString(), senderDomain, recipient.toString()));
    }

    /// The link with this token; empty when this server did not write it.
    public static Optional<UnsubscribeLink> of(SealedText seal, String token) {
        return seal.open(PURPOSE, token).map(fields -> new UnsubscribeLink(QueueId.parse(fields.get(0)).orElseThrow(),
                fields.get(1), Address.of(fields.get(2))));
    }
}
