package org.slipstream.cli.frame;

import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.config.Config;
import org.slipstream.spool.Spool;
import org.slipstream.spool.tools.SpoolTools;

import java.io.IOException;
import java.util.List;
import java.util.SequencedMap;

/// The answers for commands about a server that does not run.
public interface StoppedServer {
    /// Reports a lost message to its sender.
    SpoolTools.CorruptOrder lostMailReports(Config config);

    /// The waiting mail of a spool, in rows.
    ///
    /// @param common the records of hosts and orders
    List<ShapeRow> shape(Spool spool, ShapeBy by, Spool.CommonRecords common) throws IOException;

    /// The templates of reports that come with the program, by name.
    SequencedMap<String, String> reportTemplates();
}
