import org.jspecify.annotations.NullMarked;

/// Several servers as one: which of them owns a shard.
@NullMarked module org.slipstream.cluster {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires transitive org.slipstream.spool;
    requires org.slf4j;

    exports org.slipstream.cluster;
}
