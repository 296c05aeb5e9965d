package org.slipstream.guard.login;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;
import org.slipstream.smtpin.auth.GuessGuard;

import java.time.Duration;
import java.util.Optional;

/// The section `[submission]`: how users log in and what they may do then.
///
/// @param networksWithoutLogin clients of `Config.Relay` need not log in
/// @param auth empty: the file of users; otherwise Dovecot's socket, `unix:/path` or `host:port`
/// @param longestHold how far ahead mail may be submitted; zero: not at all
@SettingsSection("submission")
public record SubmissionSettings(
        @Setting(value = "true",
                doc = "Clients of `relay.networks` may send without a login, and without TLS, on"
                        + " `listen.submission`. `false`: every client logs in.") boolean networksWithoutLogin,
        @Setting(value = "true",
                doc = "A user who has logged in may send only in the name of the addresses that belong to the"
                        + " user (`mta user list`).") boolean senderMustBelong,
        @Setting(value = "false", expert = true,
                doc = "Offer SCRAM-SHA-256-PLUS, which binds a login to its TLS connection: a relay between"
                        + " client and server cannot use it. Some clients, such as mutt, choose it and cannot"
                        + " bind.") boolean channelBinding,
        @Setting(value = "users", form = "login-source",
                doc = "Where logins are decided: `users`, the file of `mta user`, or a socket of Dovecot's"
                        + " authentication service, `dovecot:/run/dovecot/auth-client` or"
                        + " `dovecot:host:port`.") Optional<String> auth,
        GuessGuard.GuessSettings guesses,
        @Setting(value = "30d", max = "999999999s", expert = true,
                doc = "How far ahead a message may be submitted that is to be sent later (FUTURERELEASE, RFC"
                        + " 4865). `0s`: not offered.") Duration longestHold) {}
