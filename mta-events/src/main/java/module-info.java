import org.jspecify.annotations.NullMarked;

/// Events of mail for programs, bounce classes, suppression.
@NullMarked module org.slipstream.events {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires org.slipstream.http;
    requires transitive org.slipstream.settings;
    requires com.h2database;
    requires org.slf4j;
    requires tools.jackson.core;

    exports org.slipstream.events.account;
    exports org.slipstream.events.bounce;
    exports org.slipstream.events.feedback;
    exports org.slipstream.events.suppression;
    exports org.slipstream.events.stream;
    exports org.slipstream.events.webhook;
}
