import org.jspecify.annotations.NullMarked;

/// Several servers as one: which of them owns a shard.
@NullMarked module org.slipstream.cluster {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires transitive org.slipstream.spool;
    requires java.net.http;
    requires org.slf4j;
    requires org.slipstream.http;

    exports org.slipstream.cluster;
    exports org.slipstream.cluster.wire;
}
