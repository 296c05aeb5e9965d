import org.jspecify.annotations.NullMarked;

/// Mail for this machine: its addresses and aliases, its mailboxes, and the folder in which programs
/// leave mail.
@NullMarked module org.slipstream.local {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires transitive org.slipstream.settings;
    requires jakarta.mail;
    requires org.slf4j;

    exports org.slipstream.local.address;
    exports org.slipstream.local.maildir;
    exports org.slipstream.local.maildrop;
    exports org.slipstream.local.program;
}
