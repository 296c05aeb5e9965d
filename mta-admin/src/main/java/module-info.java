/// The operator's API: HTTP on a UNIX domain socket.
module org.slipstream.admin {
    requires transitive org.slipstream.core;
    requires transitive tools.jackson.databind;
    requires org.slf4j;

    exports org.slipstream.admin;
}
