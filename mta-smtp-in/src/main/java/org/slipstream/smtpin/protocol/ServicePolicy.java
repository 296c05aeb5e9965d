package org.slipstream.smtpin.protocol;

import org.slipstream.smtpin.command.Extension;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/// The configuration of one port's service.
///
/// | | port | TLS | AUTH | clients |
/// |---|---|---|---|---|
/// | [#mx] | 25 | offered | – | any, for local recipients |
/// | [#submission] | 587 | STARTTLS required | required | users (RFC 6409) |
/// | [#submissions] | 465 | from the first byte | required | users (RFC 8314 section 3.3) |
/// | [#lmtp] | – | offered | – | a relay in front of this server (RFC 2033) |
///
/// The four are starting points; [#with], [#without] and the `with…` methods derive others.
///
/// @param name in logs: `smtp`, `submission`, `submissions`, `lmtp`
/// @param dialect SMTP, or LMTP, which replies once per recipient after the message
/// @param tlsFromStart implicit TLS
/// @param tlsRequired only EHLO, NOOP, RSET, HELP, QUIT and STARTTLS before TLS
/// @param authentication whether users may or must log in
/// @param authenticationInClear users may log in without TLS, which exposes their passwords
/// @param senderMustBelong the sender must be one of the user's addresses; checked by the policy
/// @param strictTurns end the session when the client sends more after EHLO, AUTH or DATA without
///     waiting for the reply (RFC 2920 section 3.1 wants these last in a group)
/// @param greetingDelayMillis delay of the greeting in which early talkers are detected
/// @param holdSeconds the longest FUTURERELEASE (RFC 4865)
/// @param deliverBySeconds the shortest BY with mode R (RFC 2852 section 4)
/// @param extensions that EHLO may announce; the message handler must support each
public record ServicePolicy(String name, Dialect dialect, boolean tlsFromStart, boolean tlsRequired,
        Authentication authentication, boolean authenticationInClear, boolean senderMustBelong, boolean strictTurns,
        long greetingDelayMillis, long holdSeconds, long deliverBySeconds, Set<Extension> extensions) {
    public enum Dialect {
        SMTP, LMTP
    }

    public enum Authentication {
        /// AUTH is not served.
        NONE,
        /// Users may log in.
        OFFERED,
        /// No mail without a login.
        REQUIRED
    }

    /// Extensions that the listener supports without a message handler's help.
    private static final Set<Extension> BUILT_IN = Collections.unmodifiableSet(EnumSet.of(Extension.PIPELINING,
            Extension.SIZE, Extension.EIGHT_BIT_MIME, Extension.ENHANCED_STATUS_CODES, Extension.STARTTLS));

    public ServicePolicy {
        extensions = Set.copyOf(extensions);
        if (extensions.contains(Extension.BINARY_MIME) && !extensions.contains(Extension.CHUNKING)) {
            throw new IllegalArgumentException("BINARYMIME comes with CHUNKING (RFC 3030 section 3)");
        }
    }

    public static ServicePolicy mx() {
        return plain("smtp", Dialect.SMTP).withTurns(true, 0);
    }

    public static ServicePolicy lmtp() {
        return plain("lmtp", Dialect.LMTP);
    }

    public static ServicePolicy submission() {
        return users("submission", false);
    }

    public static ServicePolicy submissions() {
        return users("submissions", true);
    }

    private static ServicePolicy plain(String name, Dialect dialect) {
        return new ServicePolicy(name, dialect, false, false, Authentication.NONE, false, false, false, 0, 0, 0,
                BUILT_IN);
    }

    private static ServicePolicy users(String name, boolean tlsFromStart) {
        return new ServicePolicy(name, Dialect.SMTP, tlsFromStart, true, Authentication.REQUIRED, false, true, false,
                0, 0, 0, BUILT_IN).with(Extension.AUTH);
    }

    public ServicePolicy with(Extension first, Extension... more) {
        EnumSet<Extension> all = EnumSet.of(first, more);
        all.addAll(extensions);
        return withExtensions(all);
    }

    public ServicePolicy without(Extension one) {
        EnumSet<Extension> all = EnumSet.copyOf(extensions);
        all.remove(one);
        return withExtensions(all);
    }

    public ServicePolicy withExtensions(Set<Extension> only) {
        return new ServicePolicy(name, dialect, tlsFromStart, tlsRequired, authentication, authenticationInClear,
                senderMustBelong, strictTurns, greetingDelayMillis, holdSeconds, deliverBySeconds, only);
    }

    public ServicePolicy withTls(boolean fromStart, boolean required) {
        return new ServicePolicy(name, dialect, fromStart, required, authentication, authenticationInClear,
                senderMustBelong, strictTurns, greetingDelayMillis, holdSeconds, deliverBySeconds, extensions);
    }

    public ServicePolicy withAuthentication(Authentication rule, boolean inClear) {
        return new ServicePolicy(name, dialect, tlsFromStart, tlsRequired, rule, inClear, senderMustBelong,
                strictTurns, greetingDelayMillis, holdSeconds, deliverBySeconds, extensions)
                .withExtensionIf(rule != Authentication.NONE, Extension.AUTH);
    }

    public ServicePolicy withSenderMustBelong(boolean must) {
        return new ServicePolicy(name, dialect, tlsFromStart, tlsRequired, authentication, authenticationInClear, must,
                strictTurns, greetingDelayMillis, holdSeconds, deliverBySeconds, extensions);
    }

    /// How strictly clients are checked that do not wait for replies.
    public ServicePolicy withTurns(boolean strict, long delayMillis) {
        return new ServicePolicy(name, dialect, tlsFromStart, tlsRequired, authentication, authenticationInClear,
                senderMustBelong, strict, delayMillis, holdSeconds, deliverBySeconds, extensions);
    }

    /// Offers FUTURERELEASE.
    public ServicePolicy withFutureRelease(long longestSeconds) {
        return new ServicePolicy(name, dialect, tlsFromStart, tlsRequired, authentication, authenticationInClear,
                senderMustBelong, strictTurns, greetingDelayMillis, longestSeconds, deliverBySeconds, extensions)
                .with(Extension.FUTURE_RELEASE);
    }

    /// Offers DELIVERBY.
    public ServicePolicy withDeliverBy(long shortestSeconds) {
        return new ServicePolicy(name, dialect, tlsFromStart, tlsRequired, authentication, authenticationInClear,
                senderMustBelong, strictTurns, greetingDelayMillis, holdSeconds, shortestSeconds, extensions)
                .with(Extension.DELIVER_BY);
    }

    private ServicePolicy withExtensionIf(boolean wanted, Extension extension) {
        return wanted ? with(extension) : without(extension);
    }
}
