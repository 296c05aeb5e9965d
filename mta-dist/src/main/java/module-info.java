import org.jspecify.annotations.NullMarked;

/// The server: it starts the parts, connects them, puts changed settings into force, and stops.
@NullMarked module org.slipstream.server {
    requires static org.jspecify;
    requires org.slipstream.admin;
    requires org.slipstream.auth;
    requires org.slipstream.cli;
    requires org.slipstream.cluster;
    requires org.slipstream.config;
    requires org.slipstream.console;
    requires org.slipstream.events;
    requires org.slipstream.core;
    requires org.slipstream.guard;
    requires org.slipstream.http;
    requires org.slipstream.inject;
    requires org.slipstream.lab;
    requires org.slipstream.local;
    requires org.slipstream.monitor;
    requires org.slipstream.qmgr;
    requires org.slipstream.settings;
    requires org.slipstream.shaping;
    requires org.slipstream.smtpin;
    requires org.slipstream.smtpout;
    requires org.slipstream.spool;
    requires jakarta.mail;
    requires org.slf4j;
    requires java.management;
    requires jdk.management;
}
