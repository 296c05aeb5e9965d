package org.slipstream.inject;

import org.slipstream.core.Address;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A message as a program describes it. [MessageJson] has checked each part.
///
/// @param envelopeFrom the sender for reports; empty: the address of `from`
/// @param headers further fields, in order
/// @param data a flat JSON object, or empty
/// @param substitutions of a mailing: the values for recipients that bring none
record MailRequest(Mailbox from, Optional<Address> envelopeFrom, List<Mailbox> to, List<Mailbox> cc, List<Mailbox> bcc,
        List<Mailbox> replyTo, String subject, Optional<String> text, Optional<String> html,
        Map<String, String> headers, List<AttachedFile> attachments, String data, Optional<String> envelopeId,
        Map<String, String> substitutions) {
    /// @param name for people; may be empty
    record Mailbox(String name, Address address) {}

    /// @param name of the file
    /// @param type of the content, such as `image/png`
    /// @param inlineId of a part that the HTML shows as `cid:ID`
    record AttachedFile(String name, String type, byte[] content, Optional<String> inlineId) {}

    Address sender() {
        return envelopeFrom.orElse(from.address());
    }

    /// The message of one recipient of a mailing.
    MailRequest of(Mailbox author, Mailbox recipient, String ownSubject, Optional<String> ownText,
            Optional<String> ownHtml, Map<String, String> ownHeaders, String ownData, Optional<String> ownId) {
        return new MailRequest(author, envelopeFrom, List.of(recipient), List.of(), List.of(), replyTo, ownSubject,
                ownText, ownHtml, ownHeaders, attachments, ownData, ownId, Map.of());
    }
}
