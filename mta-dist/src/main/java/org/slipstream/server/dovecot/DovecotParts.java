package org.slipstream.server.dovecot;

import org.slipstream.server.config.Config;
import org.slipstream.server.intake.MailboxLookup;
import org.slipstream.smtpin.auth.LoginService;

import java.util.Optional;

/// The connections to Dovecot that the settings ask for; without such settings, none.
public final class DovecotParts implements AutoCloseable {
    private final Optional<DovecotLogins> logins;
    private final Optional<DovecotMailboxes> mailboxes;

    public DovecotParts(Config config) {
        this.logins = config.submission().auth().map(DovecotLogins::new);
        this.mailboxes = config.operation().store().mailboxLookup()
                .map(socket -> new DovecotMailboxes(socket, System::nanoTime));
    }

    /// True when two configurations need the same connections.
    public static boolean areSame(Config one, Config other) {
        return one.submission().auth().equals(other.submission().auth())
                && one.operation().store().mailboxLookup().equals(other.operation().store().mailboxLookup());
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
