/// The terms that more than one module uses: addresses, replies, messages, results.
module org.slipstream.core {
    requires org.slf4j;

    exports org.slipstream.core;
}
