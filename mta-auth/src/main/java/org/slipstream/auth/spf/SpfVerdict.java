package org.slipstream.auth.spf;

import java.util.Optional;

/// The verdict about one identity, for header fields, logs and reports. Texts come from records of
/// strangers: a writer quotes or cleans them.
///
/// @param domain of the identity, as it was claimed
/// @param reason the term that matched, or the fault, as part of a sentence
/// @param lookups terms that asked DNS
/// @param explanation of the domain for a fail; visible ASCII, at most 500 characters
public record SpfVerdict(SpfResult result, SpfIdentity identity, String domain, String reason, int lookups,
        Optional<String> explanation) {}
