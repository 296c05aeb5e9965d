package org.slipstream.events.bounce;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The cause of a refusal, as one word for programs. The names are those of KumoMTA's classifier, in
/// the spelling of this server's words.
public enum BounceClass {
    /// There is no such mailbox.
    INVALID_RECIPIENT,
    /// The mailbox was disabled, or has moved.
    INACTIVE_MAILBOX,
    /// The domain does not exist, or takes no mail.
    BAD_DOMAIN,
    /// The mailbox or the host has no room, or not for a message of this size.
    QUOTA_ISSUES,
    /// The address or the network of this server is refused.
    SPAM_BLOCK,
    /// The content looks like spam.
    SPAM_CONTENT, VIRUS_RELATED, PROHIBITED_ATTACHMENT,
    /// Another reason in the content.
    CONTENT_RELATED,
    /// SPF, DKIM, DMARC, the reverse name, TLS or a login that the host wants.
    AUTHENTICATION_FAILED,
    /// The sender's address or domain is refused.
    INVALID_SENDER,
    /// The host does not relay to this domain.
    RELAYING_ISSUES,
    /// Too much mail at once, greylisting, or another rule of the host.
    POLICY_RELATED, TOO_MANY_RECIPIENTS,
    /// DNS gave no answer.
    DNS_FAILURE,
    /// No host took the connection.
    NO_ANSWER_FROM_HOST,
    /// The connection ended, or TLS failed.
    BAD_CONNECTION,
    /// Mail goes in a circle, or the host knows no way.
    ROUTING_ERRORS,
    /// The host is not set up as it should be.
    BAD_CONFIGURATION, PROTOCOL_ERRORS,
    /// The host asks to try later, and says nothing more.
    TRANSIENT_FAILURE,
    /// The message was older than the limit of the queue.
    MESSAGE_EXPIRED, UNCATEGORIZED;

    /// The word in events, files and commands.
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static List<String> words() {
        return Arrays.stream(values()).map(BounceClass::word).toList();
    }

    static Optional<BounceClass> of(String word) {
        return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst();
    }

    /// Whether further mail to the address will fail, too.
    public boolean isOfDeadAddress() {
        return this == INVALID_RECIPIENT || this == INACTIVE_MAILBOX || this == BAD_DOMAIN;
    }
}
