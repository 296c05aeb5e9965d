import org.jspecify.annotations.NullMarked;

/// The SMTP server: it reads a client's commands and content and hands a complete message to its
/// embedder.
@NullMarked module org.slipstream.smtpin {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires org.slf4j;
    requires subethasmtp;

    exports org.slipstream.smtpin;
    exports org.slipstream.smtpin.auth;
    exports org.slipstream.smtpin.command;
    exports org.slipstream.smtpin.policy;
    exports org.slipstream.smtpin.protocol;
}
