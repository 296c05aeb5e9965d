package org.slipstream.guard.login;

import org.slipstream.smtpin.auth.LoginService;

import java.util.Optional;

/// The connections to Dovecot that the settings ask for; without such settings, none.
public final class DovecotParts implements AutoCloseable {
    private final Optional<DovecotLogins> logins;
    private final Optional<DovecotMailboxes> mailboxes;

    /// @param auth the socket where logins are decided
    /// @param mailboxLookup the socket with the list of mailboxes
    public DovecotParts(Optional<String> auth, Optional<String> mailboxLookup) {
        this.logins = auth.map(DovecotLogins::new);
        this.mailboxes = mailboxLookup.map(socket -> new DovecotMailboxes(socket, System::nanoTime));
    }

    /// Empty: the file of users decides.
    public Optional<LoginService> logins() {
        return logins.map(each -> each);
    }

    /// Every mailbox exists where Dovecot is not asked.
    public MailboxLookup mailboxes() {
        return mailboxes.<MailboxLookup>map(each -> each).orElse(MailboxLookup.ALL);
    }

    @Override
    public void close() {
        logins.ifPresent(DovecotLogins::close);
        mailboxes.ifPresent(DovecotMailboxes::close);
    }
}
