import org.jspecify.annotations.NullMarked;

/// The operator's API: HTTP on a UNIX domain socket.
@NullMarked module org.slipstream.admin {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires org.slipstream.http;
    requires transitive tools.jackson.databind;
    requires jdk.net;
    requires org.slf4j;

    exports org.slipstream.admin;
    exports org.slipstream.admin.operations;
}
