/// The SMTP and LMTP client: MX lookup, connections, and the dialogue that transfers a message.
module org.slipstream.smtpout {
    requires transitive org.slipstream.core;
    requires transitive org.dnsjava;
    requires org.slf4j;

    exports org.slipstream.smtpout;
    exports org.slipstream.smtpout.auth;
    exports org.slipstream.smtpout.dialog;
    exports org.slipstream.smtpout.dns;
    exports org.slipstream.smtpout.host;
    exports org.slipstream.smtpout.wire;
}
