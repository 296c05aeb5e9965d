package org.slipstream.cli.queue;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.config.Config;
import org.slipstream.config.ShardStore;
import org.slipstream.core.QueueId;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.tools.SpoolTools;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/// A message in the spool of a stopped server.
final class SpoolMessage {
    private SpoolMessage() {}

    /// Writes the content of a message.
    ///
    /// @return false when the queue has no such message
    static boolean write(MtaCommand mta, QueueId id, OutputStream out) {
        Config config = LoadedConfig.read(mta.settings(), List.of());
        try {
            for (SpoolConfig spool : ShardStore.spools(config, id)) {
                if (write(spool, id, out)) {
                    return true;
                }
            }
            return false;
        } catch (SpoolException refused) {
            throw new CommandFailure(Exit.CANNOT_START, String.valueOf(refused.getMessage()), refused);
        } catch (IOException trouble) {
            throw new CommandFailure(Exit.NO, "mta: message " + id + " cannot be read: " + trouble.getMessage(),
                    trouble);
        }
    }

    private static boolean write(SpoolConfig spool, QueueId id, OutputStream out) throws SpoolException, IOException {
        return SpoolTools.read(spool, System::currentTimeMillis, id, (_, content) -> {
            try (InputStream in = content.open()) {
                in.transferTo(out);
            }
        });
    }
}
