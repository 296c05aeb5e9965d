package org.slipstream.smtpout;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;
import org.slipstream.smtpout.dialog.DialogPhase;
import org.slipstream.smtpout.dialog.TlsPolicy;
import org.slipstream.smtpout.wire.Endpoint;
import org.slipstream.smtpout.wire.WireInput.Ended;

/// The replies that this server composes for failed or lost connections (codes of RFC 3463).
final class FailureReplies {
    /// The remote host in a failure of this server.
    static final String LOCAL = "local";

    private FailureReplies() {}

    static Reply noConnection(Endpoint endpoint, Ended gone) {
        return Reply.of(450, "4.4.1", "connect to " + endpoint + ": " + gone.reason());
    }

    static Reply noSocket(Endpoint endpoint, Ended gone) {
        return Reply.of(451, "4.3.0", "cannot connect to " + endpoint + ": " + gone.reason());
    }

    static Reply noSource(String source, Ended gone) {
        return Reply.of(451, "4.3.0", "source " + source + " cannot be used: " + gone.reason());
    }

    static Reply unreachableFrom(String source, String host) {
        return Reply.of(450, "4.4.4", "host " + host + " has no address of a family in which source " + source
                + " has one");
    }

    static Reply lostConnection(String remote, DialogPhase awaited, Ended gone) {
        String text = "lost connection with " + remote + " while waiting for " + awaited + ": " + gone.reason();
        return switch (gone.end()) {
            case CLOSED, BROKEN, TIMED_OUT -> Reply.of(450, "4.4.2", text);
            case GARBLED -> Reply.of(451, "4.5.0", text);
            case NO_SOCKET, NO_SOURCE, ABORTED -> stopping();
        };
    }

    static Reply idleLost(Ended gone) {
        return Reply.of(450, "4.4.2", gone.reason());
    }

    /// @param code 4xx or 5xx; may be milder than the peer's
    static Reply refused(Endpoint endpoint, int code, Reply reply) {
        EnhancedStatus said = reply.statusOrGeneral();
        EnhancedStatus status = new EnhancedStatus(code / 100, said.subject(), said.detail());
        return Reply.of(code, status.toString(), "host " + endpoint + " refused to talk to us: " + reply);
    }

    /// The host does not offer what its policy requires, and may do so later.
    static Reply unfit(Endpoint endpoint, int code, Reply reply) {
        EnhancedStatus said = reply.statusOrGeneral();
        return Reply.of(code, new EnhancedStatus(code / 100, said.subject(), said.detail()).toString(),
                "host " + endpoint + ": " + (code == reply.code() ? reply.text() : reply.toString()));
    }

    static Reply noTls(Endpoint endpoint, TlsPolicy policy, Ended gone) {
        return Reply.of(450, "4.7.5",
                "TLS is required " + by(policy) + "for " + endpoint + ", but failed: " + gone.reason());
    }

    // The settings of this server, or the owner of the recipients' domain.
    private static String by(TlsPolicy policy) {
        return switch (policy) {
            case STS -> "by MTA-STS ";
            case DANE -> "by DANE ";
            case NONE, MAY, ENCRYPT, VERIFY -> "";
        };
    }

    static Reply unknownHost(String host, String reason, boolean configured) {
        return Reply.of(450, configured ? "4.4.3" : "4.4.4", host + ": " + reason);
    }

    static Reply lookupFailed(String host, String reason) {
        return Reply.of(451, "4.4.3", "DNS lookup for " + host + " failed: " + reason);
    }

    static Reply unreadable() {
        return Reply.of(451, "4.3.0", "queue file read error");
    }

    static Reply keyFailed() {
        return Reply.of(451, "4.7.5", "a DKIM key cannot sign the message; mta dkim list names the keys of its domain");
    }

    static Reply internal() {
        return Reply.of(451, "4.3.0", "internal error in mail delivery");
    }

    static Reply stopping() {
        return Reply.of(451, "4.3.2", "server is shutting down");
    }

    static Reply noSuchConnection() {
        return Reply.of(450, "4.4.2", "connection has ended");
    }

    static Reply closedByOrder() {
        return Reply.of(450, "4.4.1", "connection was closed before it was ready");
    }

    static Reply noSuchTransport(String transport) {
        return Reply.of(451, "4.3.5", "transport " + transport + " has no connections");
    }

    static Reply noSuchAddress(String nextHop) {
        return Reply.of(451, "4.3.5", "invalid host and port: " + nextHop);
    }
}
