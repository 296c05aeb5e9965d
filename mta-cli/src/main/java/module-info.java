import org.jspecify.annotations.NullMarked;

/// The commands of the program. They know the server by its settings, its files and its API.
@NullMarked module org.slipstream.cli {
    requires static org.jspecify;
    requires transitive org.slipstream.admin;
    requires transitive org.slipstream.config;
    requires transitive org.slipstream.core;
    requires transitive org.slipstream.spool;
    requires org.slipstream.auth;
    requires org.slipstream.guard;
    requires transitive org.slipstream.lab;
    requires org.slipstream.local;
    requires org.slipstream.qmgr;
    requires org.slipstream.settings;
    requires org.slipstream.shaping;
    requires org.slipstream.sink;
    requires org.slipstream.smtpin;
    requires ch.qos.logback.classic;
    requires ch.qos.logback.core;
    requires transitive info.picocli;
    requires jakarta.mail;
    requires java.net.http;
    requires jdk.unsupported;
    requires org.eclipse.angus.mail;
    requires org.simplejavamail;
    requires org.simplejavamail.core;
    requires org.slf4j;
    requires tools.jackson.databind;

    exports org.slipstream.cli;
    exports org.slipstream.cli.frame;
    exports org.slipstream.cli.lab;
    exports org.slipstream.cli.run;
}
