package org.slipstream.core;

import java.util.Objects;
import java.util.Optional;

/// The submitter of a message, as far as the server knows it. It is stored with the envelope, so it is
/// known as long as the message is in the queue. Unknown texts are empty.
///
/// @param service the port that accepted the message, such as `submission`; `report` for a message
/// that this server wrote
/// @param client address literal of the client, such as `[192.0.2.1]`
/// @param helo the name that the client gave
/// @param user the authenticated user
/// @param messageId the Message-ID, with angle brackets
/// @param about the message that a report is about
/// @param data of the submitter, which comes back in the events of the message: a flat JSON object
public record Origin(String service, String client, String helo, String user, String messageId,
        Optional<QueueId> about, String data) {
    /// The service of messages that this server wrote.
    public static final String REPORT = "report";
    /// The service of messages that programs of this machine left in the maildrop.
    public static final String MAILDROP = "maildrop";
    /// The service of messages that programs handed in by HTTP.
    public static final String HTTP = "http";
    public static final Origin UNKNOWN = new Origin("", "", "", "", "", Optional.empty());
    /// RFC 5322 section 2.1.1 limits a line to 998 octets; a longer text is no Message-ID.
    private static final int LONGEST = 998;

    public Origin {
        Objects.requireNonNull(service);
        Objects.requireNonNull(client);
        helo = cut(helo);
        user = cut(user);
        messageId = cut(messageId);
        Objects.requireNonNull(about);
        Objects.requireNonNull(data);
    }

    /// An origin without data.
    public Origin(String service, String client, String helo, String user, String messageId,
            Optional<QueueId> about) {
        this(service, client, helo, user, messageId, about, "");
    }

    public Origin withData(String other) {
        return new Origin(service, client, helo, user, messageId, about, other);
    }

    /// The origin of a report that this server wrote about a message.
    public static Origin ofReport(QueueId about, String messageId) {
        return new Origin(REPORT, "", "", "", messageId, Optional.of(about));
    }

    /// True for a message that came by no port: a report, or mail of a program of this machine. No port
    /// has the name of one of these services.
    public boolean isOfThisMachine() {
        return service.equals(REPORT) || service.equals(MAILDROP);
    }

    private static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST);
    }
}
