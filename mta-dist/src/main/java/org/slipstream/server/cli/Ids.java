package org.slipstream.server.cli;

import org.slipstream.core.QueueId;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/// Parses queue ids that operators type.
final class Ids {
    private Ids() {}

    static QueueId of(CommandSpec spec, String text) {
        return QueueId.parse(text)
                .orElseThrow(() -> new ParameterException(spec.commandLine(), "\"" + text + "\" is not a queue id"));
    }
}
