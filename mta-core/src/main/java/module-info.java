import org.jspecify.annotations.NullMarked;

/// The terms that more than one module uses: addresses, replies, messages, results.
@NullMarked module org.slipstream.core {
    requires static org.jspecify;
    requires org.slf4j;

    exports org.slipstream.core;
    exports org.slipstream.core.dns;
    exports org.slipstream.core.order;
    exports org.slipstream.core.queue;
    exports org.slipstream.core.sasl;
    exports org.slipstream.core.text;
}
