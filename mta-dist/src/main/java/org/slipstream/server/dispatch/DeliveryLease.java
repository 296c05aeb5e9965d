package org.slipstream.server.dispatch;

/// The right of this node to deliver from a shard. It ends by itself when it is not renewed, because another
/// node may deliver from then on.
///
/// Both questions may be asked on any thread, and wait for nothing.
public interface DeliveryLease {
    /// A server that is alone.
    DeliveryLease ENDLESS = new DeliveryLease() {
        @Override
        public boolean mayStart() {
            return true;
        }

        @Override
        public boolean mayEnd() {
            return true;
        }
    };

    /// True while a delivery may begin.
    boolean mayStart();

    /// True while the last octets of a delivery may be sent.
    boolean mayEnd();
}
