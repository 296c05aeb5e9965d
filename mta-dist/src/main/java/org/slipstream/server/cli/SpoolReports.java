package org.slipstream.server.cli;

import org.slipstream.server.config.Config;
import org.slipstream.spool.SpoolTools;

/// What `spool corrupt report` needs of the server: an order that tells the sender of a lost message.
@FunctionalInterface
public interface SpoolReports {
    SpoolTools.Order order(Config config);
}
