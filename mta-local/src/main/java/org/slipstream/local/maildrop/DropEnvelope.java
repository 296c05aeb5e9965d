package org.slipstream.local.maildrop;

import org.slipstream.core.BodyType;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The envelope of a file in the maildrop, as the program gave it. Addresses may lack a domain,
/// because only the server knows the default one.
///
/// @param sender empty for the null sender
/// @param fullName of the sender, for the From of a message that has none; may be empty
/// @param recipients at least one
public record DropEnvelope(String sender, String fullName, List<String> recipients, Set<DsnNotify> notifyOn,
        DsnReturn returns, Optional<String> envelopeId, BodyType body) {
    public DropEnvelope {
        recipients = List.copyOf(recipients);
        notifyOn = Set.copyOf(notifyOn);
    }
}
