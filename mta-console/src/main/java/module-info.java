import org.jspecify.annotations.NullMarked;

/// The console: pages of the server for people with a browser.
@NullMarked module org.slipstream.console {
    requires static org.jspecify;
    requires transitive org.slipstream.admin;
    requires org.slipstream.picture;
    requires jdk.httpserver;
    requires org.slf4j;

    exports org.slipstream.console;
}
