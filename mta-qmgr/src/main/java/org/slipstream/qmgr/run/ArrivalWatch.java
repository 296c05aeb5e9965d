package org.slipstream.qmgr.run;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.qmgr.QueueManager;

/// Logs new mail that only a scan found. There is at most one line per scan, because the finds of a
/// scan are counted at the same time.
final class ArrivalWatch {
    private static final Logger log = LoggerFactory.getLogger(ArrivalWatch.class);

    private long logged;

    /// To be called after each turn of the loop.
    ///
    /// @return the number of messages that this call logged
    long look(QueueManager manager) {
        long found = manager.queries().unannounced() - logged;
        if (found > 0) {
            logged += found;
            log.warn("event=unannounced-mail-found count={} queue={} total={} next=\"it is delivered; a fault of the"
                    + " program made it late\"", found,
                    manager.queries().latestUnannounced().map(Object::toString).orElse(""),
                    logged);
        }
        return found;
    }
}
