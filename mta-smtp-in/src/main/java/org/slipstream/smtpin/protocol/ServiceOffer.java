package org.slipstream.smtpin.protocol;

import org.slipstream.core.Reply;
import org.slipstream.smtpin.command.Extension;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The extensions that a service offers to a client in a state, and the EHLO reply that announces
/// them. One method decides both, so every announced extension works.
public final class ServiceOffer {
    private final ServicePolicy service;
    private final Limits limits;
    private final String hostname;
    private final boolean certified;
    private final List<String> mechanisms;
    private final List<String> mechanismsInTls;

    /// @param certified true when a certificate for STARTTLS is configured
    /// @param mechanisms of AUTH, without channel binding
    /// @param mechanismsInTls with channel binding
    public ServiceOffer(ServicePolicy service, Limits limits, String hostname, boolean certified,
            List<String> mechanisms,
            List<String> mechanismsInTls) {
        this.service = service;
        this.limits = limits;
        this.hostname = hostname;
        this.certified = certified;
        this.mechanisms = List.copyOf(mechanisms);
        this.mechanismsInTls = List.copyOf(mechanismsInTls);
    }

    /// True when the client may use the extension in this state.
    public boolean has(Extension extension, SessionState state) {
        return service.extensions().contains(extension) && switch (extension) {
            case STARTTLS -> certified && !state.tls();
            // RFC 8689 section 2: announced under TLS only.
            case REQUIRETLS -> state.tls();
            case AUTH -> service.authentication() != ServicePolicy.Authentication.NONE && !mechanisms.isEmpty()
                    && (state.tls() || service.authenticationInClear());
            case XCLIENT -> state.xclientPermitted();
            case PIPELINING, SIZE, EIGHT_BIT_MIME, SMTPUTF8, CHUNKING, BINARY_MIME, DSN, ENHANCED_STATUS_CODES, LIMITS,
                    ETRN, FUTURE_RELEASE, DELIVER_BY, MT_PRIORITY ->
                true;
        };
    }

    public List<String> mechanisms(SessionState state) {
        return state.tls() ? mechanismsInTls : mechanisms;
    }

    /// The reply to EHLO and LHLO (RFC 5321 section 4.1.1.1).
    Reply ehlo(SessionState state, Instant now) {
        List<String> lines = new ArrayList<>(List.of(hostname));
        for (Extension extension : Extension.values()) {
            // RFC 4954 section 4: AUTH is permitted once.
            boolean loggedIn = extension == Extension.AUTH && state.user().isPresent();
            if (has(extension, state) && !loggedIn) {
                lines.add(line(extension, state, now));
            }
        }
        return new Reply(250, Optional.empty(), lines);
    }

    private String line(Extension extension, SessionState state, Instant now) {
        String keyword = extension.keyword();
        return switch (extension) {
            case SIZE -> keyword + " " + limits.messageSize().bytes();
            // RFC 9422 section 4: MAILMAX transactions in a session, RCPTMAX recipients in a
            // transaction.
            case LIMITS -> keyword + " MAILMAX=" + limits.messagesPerConnection() + " RCPTMAX=" + limits.recipients();
            case AUTH -> keyword + " " + String.join(" ", mechanisms(state));
            // RFC 4865 section 3: the longest interval, and the latest time.
            case FUTURE_RELEASE -> keyword + " " + service.holdSeconds() + " " + latest(now);
            case DELIVER_BY -> service.deliverBySeconds() > 0 ? keyword + " " + service.deliverBySeconds() : keyword;
            case XCLIENT -> keyword + " NAME ADDR PORT PROTO HELO LOGIN";
            case PIPELINING, EIGHT_BIT_MIME, SMTPUTF8, CHUNKING, BINARY_MIME, DSN, ENHANCED_STATUS_CODES, STARTTLS,
                    REQUIRETLS, ETRN, MT_PRIORITY ->
                keyword;
        };
    }

    private Instant latest(Instant now) {
        return now.plusSeconds(service.holdSeconds()).truncatedTo(ChronoUnit.SECONDS);
    }
}
