import org.jspecify.annotations.NullMarked;

/// The fate of mail, for programs: events, bounce classes, suppression.
@NullMarked module org.slipstream.events {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires org.slf4j;
    requires tools.jackson.core;

    exports org.slipstream.events.bounce;
    exports org.slipstream.events.stream;
}
