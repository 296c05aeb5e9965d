import org.jspecify.annotations.NullMarked;

/// The guard at the door: the policy, the filter Rspamd, logins, certificates, and the check of a
/// domain.
@NullMarked module org.slipstream.guard {
    requires static org.jspecify;
    requires transitive org.slipstream.admin;
    requires transitive org.slipstream.auth;
    requires transitive org.slipstream.core;
    requires transitive org.slipstream.settings;
    requires transitive org.slipstream.smtpin;
    requires transitive org.slipstream.smtpout;
    requires jakarta.mail;
    requires java.net.http;
    requires org.bouncycastle.pkix;
    requires org.bouncycastle.provider;
    requires org.bouncycastle.util;
    requires org.slf4j;

    exports org.slipstream.guard.login;
    exports org.slipstream.guard.policy;
    exports org.slipstream.guard.rspamd;
    exports org.slipstream.guard.sender;
    exports org.slipstream.guard.tls;
    exports org.slipstream.guard.zone;
}
