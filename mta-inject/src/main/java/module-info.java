import org.jspecify.annotations.NullMarked;

/// Mail that programs hand in by HTTP.
@NullMarked module org.slipstream.inject {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires transitive org.slipstream.http;
    requires jakarta.mail;
    requires org.slf4j;
    requires tools.jackson.core;

    exports org.slipstream.inject;
}
