package org.slipstream.smtpout;

import org.slipstream.core.Route;

/// CONTRACT STUB, replaced in this issue. All outbound SMTP and LMTP connections; each lives on a virtual thread of its own
/// with a mailbox. Callers never block.
public final class Carriers implements AutoCloseable {
    public Carriers(ClientConfig config, CarrierEvents events) {}

    /// Answered by [CarrierEvents#ready] or [CarrierEvents#failed].
    public void open(long connection, Route route) {}

    /// Answered by [CarrierEvents#done], whatever happens.
    public void deliver(long connection, Parcel parcel) {}

    /// QUIT, not awaited by the caller.
    public void close(long connection) {}

    /// Lets transfers in progress finish for up to 10 s, then closes.
    @Override
    public void close() {}
}
