package org.slipstream.server.cli;

import org.slipstream.server.config.Config;
import org.slipstream.spool.SpoolTools;

/// Orders of `spool corrupt report`: each reports a lost message to its sender.
@FunctionalInterface
public interface SpoolReports {
    SpoolTools.CorruptOrder order(Config config);
}
