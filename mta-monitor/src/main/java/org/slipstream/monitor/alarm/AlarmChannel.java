package org.slipstream.monitor.alarm;

import java.io.IOException;

/// A way to tell an operator that needs no mail.
interface AlarmChannel {
    String name();

    /// Returns when the notice has been taken, within a bounded time.
    ///
    /// @throws IOException with the reason, when it was not
    void send(AlarmNotice notice) throws IOException, InterruptedException;
}
