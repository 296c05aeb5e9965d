import org.jspecify.annotations.NullMarked;

/// The server and its commands: it reads the settings, connects the other modules and delivers
/// local mail.
@NullMarked module org.slipstream.server {
    requires static org.jspecify;
    requires org.slipstream.admin;
    requires org.slipstream.core;
    requires org.slipstream.lab;
    requires org.slipstream.qmgr;
    requires org.slipstream.sink;
    requires org.slipstream.smtpin;
    requires org.slipstream.smtpout;
    requires org.slipstream.spool;

    requires ch.qos.logback.classic;
    requires ch.qos.logback.core;
    requires info.picocli;
    requires java.net.http;
    requires jakarta.mail;
    requires jdk.unsupported;
    requires org.bouncycastle.pkix;
    requires org.bouncycastle.provider;
    requires org.bouncycastle.util;
    requires org.eclipse.angus.mail;
    requires org.simplejavamail;
    requires org.simplejavamail.core;
    requires org.slf4j;
    requires org.tomlj;
    requires tools.jackson.databind;
}
