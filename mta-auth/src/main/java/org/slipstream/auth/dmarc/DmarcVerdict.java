package org.slipstream.auth.dmarc;

import java.util.Optional;

/// The verdict about the author of a message.
///
/// @param author the domain in From that decided; empty when From has none
/// @param policyDomain where the record was found; empty when there is none
/// @param record the record that applies
/// @param spfAligned SPF has authenticated the author's domain
/// @param dkimAligned a signature has
/// @param requested the policy of the record for this author
/// @param disposition what the owner wants for this message: `NONE` unless it fails, one level milder
/// while a policy is tested
/// @param reason as part of a sentence
public record DmarcVerdict(DmarcResult result, Optional<String> author, Optional<String> policyDomain,
        Optional<DmarcRecord> record, boolean spfAligned, boolean dkimAligned, DmarcPolicy requested,
        DmarcPolicy disposition, String reason) {
    static DmarcVerdict without(DmarcResult result, Optional<String> author, String reason) {
        return new DmarcVerdict(result, author, Optional.empty(), Optional.empty(), false, false, DmarcPolicy.NONE,
                DmarcPolicy.NONE, reason);
    }
}
