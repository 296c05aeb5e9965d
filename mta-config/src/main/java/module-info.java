import org.jspecify.annotations.NullMarked;

/// The whole file of settings: its sections, what they are read into, and the checks between them; the
/// import of a configuration of Postfix.
@NullMarked module org.slipstream.config {
    requires static org.jspecify;
    requires transitive org.slipstream.cluster;
    requires transitive org.slipstream.core;
    requires transitive org.slipstream.events;
    requires transitive org.slipstream.guard;
    requires transitive org.slipstream.local;
    requires transitive org.slipstream.monitor;
    requires transitive org.slipstream.qmgr;
    requires transitive org.slipstream.settings;
    requires transitive org.slipstream.shaping;
    requires transitive org.slipstream.smtpin;
    requires transitive org.slipstream.smtpout;
    requires transitive org.slipstream.spool;

    exports org.slipstream.config;
    exports org.slipstream.config.postfix;
}
