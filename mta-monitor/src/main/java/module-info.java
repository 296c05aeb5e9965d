import org.jspecify.annotations.NullMarked;

/// Metrics, health and alarms, for programs that watch the server.
@NullMarked module org.slipstream.monitor {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires org.slipstream.http;
    requires io.prometheus.metrics.core;
    requires io.prometheus.metrics.model;
    requires io.prometheus.writer.text;
    requires jdk.httpserver;
    requires org.slf4j;
    requires tools.jackson.databind;

    exports org.slipstream.monitor;
    exports org.slipstream.monitor.alarm;
}
