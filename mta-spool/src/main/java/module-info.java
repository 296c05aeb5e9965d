import org.jspecify.annotations.NullMarked;

/// The spool: a log that every accepted message is synced to, and an index of it in a database.
@NullMarked module org.slipstream.spool {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires com.h2database;
    requires com.zaxxer.hikari;
    requires java.logging;
    requires transitive java.sql;
    requires org.slf4j;
    requires tools.jackson.core;

    exports org.slipstream.spool;
    exports org.slipstream.spool.follow;
    exports org.slipstream.spool.history;
    exports org.slipstream.spool.index;
    exports org.slipstream.spool.log;
    exports org.slipstream.spool.postgres;
    exports org.slipstream.spool.tools;
}
