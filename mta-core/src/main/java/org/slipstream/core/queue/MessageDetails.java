package org.slipstream.core.queue;

import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;

import java.util.List;

/// One message with the state of each recipient.
///
/// @param nextAttemptMillis when it is due
public record MessageDetails(MessageSummary summary, Envelope envelope, long nextAttemptMillis,
        List<RecipientState> recipients) {
    /// Recipients that still wait for the message.
    public List<Recipient> openRecipients() {
        return recipients.stream().filter(each -> each.state() == RecipientStatus.OPEN).map(RecipientState::recipient)
                .toList();
    }
}
