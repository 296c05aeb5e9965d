package org.slipstream.cli.sendmail;

import org.slipstream.core.BodyType;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/// One call of `sendmail`, understood.
///
/// @param sender of the envelope; empty text for the null sender; empty for the user who calls
/// @param recipientsInHeader in addition to `recipients`
/// @param dotEnds a line with a single dot ends the message
/// @param queue the argument of `-q`
/// @param remarks sentences for the caller about options that are ignored
public record SendmailCall(Mode mode, Optional<String> sender, Optional<String> fullName, boolean recipientsInHeader,
        boolean dotEnds, Set<DsnNotify> notifyOn, DsnReturn returns, Optional<String> envelopeId, BodyType body,
        List<String> recipients, String queue, List<String> remarks) {
    public SendmailCall {
        notifyOn = Set.copyOf(notifyOn);
        recipients = List.copyOf(recipients);
        remarks = List.copyOf(remarks);
    }

    public enum Mode {
        /// Take a message from standard input.
        MESSAGE, SMTP, LIST_QUEUE, CHECK_ALIASES, VERIFY, FLUSH
    }
}
