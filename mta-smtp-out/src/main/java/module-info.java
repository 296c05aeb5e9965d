import org.jspecify.annotations.NullMarked;

/// The SMTP and LMTP client: MX lookup, connections, and the dialogue that transfers a message.
@NullMarked module org.slipstream.smtpout {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires transitive org.slipstream.auth;
    requires transitive org.dnsjava;
    requires java.net.http;
    requires org.slf4j;

    exports org.slipstream.smtpout;
    exports org.slipstream.smtpout.auth;
    exports org.slipstream.smtpout.demand;
    exports org.slipstream.smtpout.dialog;
    exports org.slipstream.smtpout.dns;
    exports org.slipstream.smtpout.host;
    exports org.slipstream.smtpout.source;
    exports org.slipstream.smtpout.wire;
}
