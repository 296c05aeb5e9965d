package org.slipstream.smtpout.dialog;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;

import java.util.Set;
import java.util.TreeSet;

/// Replies that the client composes, or reads differently from how they were written.
final class Replies {
    private Replies() {}

    /// For a reply that does not belong where it came. Whoever sent it may have lost count, so nothing is believed.
    static Reply unexpected(Reply reply, DialogPhase phase) {
        return Reply.of(451, "4.5.0", phase + " makes no sense: " + reply);
    }

    /// For a reply to nothing.
    static Reply unasked(Reply reply) {
        return Reply.of(451, "4.5.0", "unasked for: " + reply);
    }

    /// The same words as a refusal for now.
    static Reply asTransient(Reply reply, int code) {
        return new Reply(code, reply.status().map(s -> new EnhancedStatus(4, s.subject(), s.detail())), reply.lines());
    }

    static Reply tooLarge(long sizeBytes, long limitBytes) {
        return Reply.of(552, "5.3.4",
                "message of " + sizeBytes + " bytes exceeds the size limit " + limitBytes + " of the next hop");
    }

    static Reply needsUtf8() {
        return Reply.of(553, "5.6.7", "the address needs SMTPUTF8, which the next hop does not offer");
    }

    static Reply tooLate() {
        return Reply.of(554, "5.4.7", "not delivered by the time its sender named");
    }

    static Reply noTlsOffered() {
        return Reply.of(450, "4.7.4", "TLS is required here and not offered");
    }

    /// @param openly PLAIN and LOGIN would have been good enough
    static Reply noLoginOffered(Set<String> offered, boolean openly) {
        String what = offered.isEmpty() ? "no login is offered" : "the logins offered are " + new TreeSet<>(offered);
        boolean forWantOfTls = !openly && (offered.contains("PLAIN") || offered.contains("LOGIN"));
        return Reply.of(450, "4.7.4", what + (forWantOfTls ? ", and the password is not shown without TLS" : ""));
    }

    static Reply loginGivenUp(String mechanism, String reason) {
        return Reply.of(450, "4.7.8", "login with " + mechanism + " given up: " + reason);
    }
}
