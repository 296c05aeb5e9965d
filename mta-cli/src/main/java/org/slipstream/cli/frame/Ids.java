package org.slipstream.cli.frame;

import org.slipstream.core.QueueId;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/// Parses queue ids that operators type.
public final class Ids {
    private Ids() {}

    public static QueueId of(CommandSpec spec, String text) {
        return QueueId.parse(text)
                .orElseThrow(() -> new ParameterException(spec.commandLine(), "\"" + text + "\" is not a queue id"));
    }
}
