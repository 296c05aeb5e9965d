import org.jspecify.annotations.NullMarked;

/// Verdicts about a message and its sender, without sockets: SPF, DKIM, DMARC, their header field and
/// their reports.
@NullMarked module org.slipstream.auth {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires java.xml;
    requires org.bouncycastle.pkix;
    requires org.bouncycastle.provider;
    requires org.slf4j;
    requires tools.jackson.core;

    exports org.slipstream.auth.aggregate;
    exports org.slipstream.auth.arc;
    exports org.slipstream.auth.dane;
    exports org.slipstream.auth.dkim;
    exports org.slipstream.auth.dmarc;
    exports org.slipstream.auth.iprev;
    exports org.slipstream.auth.report;
    exports org.slipstream.auth.results;
    exports org.slipstream.auth.spf;
    exports org.slipstream.auth.sts;
    exports org.slipstream.auth.tlsreport;
}
