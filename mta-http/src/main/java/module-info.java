import org.jspecify.annotations.NullMarked;

/// HTTP/1.1 with peers that may be hostile, strict and bounded.
@NullMarked module org.slipstream.http {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires org.slf4j;

    exports org.slipstream.http;
}
