package org.slipstream.smtpout.dialog;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;

import java.util.Set;
import java.util.TreeSet;

/// Replies that the client composes, or rewrites.
final class Replies {
    private Replies() {}

    /// For a reply that does not fit its command. The peer may have lost count, so the reply is not
    /// trusted.
    static Reply unexpected(Reply reply, DialogPhase phase) {
        return Reply.of(451, "4.5.0", "protocol error in " + phase + ": " + reply).shortened();
    }

    /// For a reply without a command.
    static Reply unsolicited(Reply reply) {
        return Reply.of(451, "4.5.0", "unsolicited response: " + reply).shortened();
    }

    /// The same text as a temporary failure.
    static Reply asTransient(Reply reply, int code) {
        return new Reply(code, reply.status().map(s -> new EnhancedStatus(4, s.subject(), s.detail())), reply.lines());
    }

    static Reply tooLarge(long sizeBytes, long limitBytes) {
        return Reply.of(552, "5.3.4",
                "message size " + sizeBytes + " exceeds size limit " + limitBytes + " of the next hop");
    }

    static Reply needsUtf8() {
        return Reply.of(553, "5.6.7", "SMTPUTF8 is required for the address, but was not offered by the next hop");
    }

    static Reply noTlsOffered() {
        return Reply.of(450, "4.7.4", "TLS is required, but was not offered");
    }

    /// @param clearTextPermitted PLAIN and LOGIN are permitted
    static Reply noLoginOffered(Set<String> offered, boolean clearTextPermitted) {
        String what = offered.isEmpty()
                ? "authentication is required, but was not offered"
                : "no supported authentication mechanism among " + new TreeSet<>(offered);
        boolean needsTls = !clearTextPermitted && (offered.contains("PLAIN") || offered.contains("LOGIN"));
        return Reply.of(450, "4.7.4", what + (needsTls ? "; the password is not sent without TLS" : ""));
    }

    static Reply loginAborted(String mechanism, String reason) {
        return Reply.of(450, "4.7.8", "SASL authentication with " + mechanism + " aborted: " + reason);
    }
}
