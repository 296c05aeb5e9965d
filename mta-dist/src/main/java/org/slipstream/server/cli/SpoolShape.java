package org.slipstream.server.cli;

import org.slipstream.admin.ViewOperations.ShapeBy;
import org.slipstream.admin.ViewOperations.ShapeRow;
import org.slipstream.server.view.QueueShape;
import org.slipstream.spool.SpoolTools;

import java.util.ArrayList;
import java.util.List;

/// The shape of the queue of a stopped server, from its index.
final class SpoolShape {
    private SpoolShape() {}

    static List<ShapeRow> of(MtaCommand mta, ShapeBy by) {
        List<ShapeRow> rows = new ArrayList<>();
        SpoolCommand.use(mta, (_, spool) -> SpoolTools.view(spool, System::currentTimeMillis,
                open -> rows.addAll(QueueShape.of(open, by, System.currentTimeMillis()))));
        return rows;
    }
}
