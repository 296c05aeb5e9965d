/// The chaos sink: scripts that describe an SMTP server, the server that follows them, the mail that
/// it received, and the web page with that mail.
module org.slipstream.sink {
    requires transitive org.slipstream.core;
    requires jakarta.mail;
    requires jdk.httpserver;
    requires org.bouncycastle.pkix;
    requires org.bouncycastle.provider;
    requires transitive org.slipstream.settings;
    requires tools.jackson.databind;

    exports org.slipstream.sink.script;
    exports org.slipstream.sink.server;
    exports org.slipstream.sink.store;
    exports org.slipstream.sink.web;
}
