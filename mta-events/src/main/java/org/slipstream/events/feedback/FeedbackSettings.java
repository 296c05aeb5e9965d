package org.slipstream.events.feedback;

import org.slipstream.core.Address;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/// The section `[feedback]`: what receivers tell after a delivery.
@SettingsSection("feedback")
public record FeedbackSettings(
        @Setting(value = "", form = "own-address",
                doc = "A mailbox of this server that providers send complaints to (docs/feedback.md). With it, mail of"
                        + " own users leaves with a field `Slipstream-Trace`, and complaints and late reports are tied"
                        + " to their message by it. Empty: off.") Optional<Address> address,
        @Setting(value = "", restart = "its page is served",
                doc = "The address of this server's page to unsubscribe, as receivers reach it:"
                        + " `https://lists.example.org/unsubscribe`. Mail of `unsubscribe-domains` gets List-Unsubscribe"
                        + " fields with it (RFC 8058). Empty: none.") Optional<URI> unsubscribeUrl,
        @Setting(value = "", form = "domain",
                doc = "Domains of senders whose mail gets List-Unsubscribe fields, where it has"
                        + " none.") List<String> unsubscribeDomains) {
    public FeedbackSettings {
        unsubscribeDomains = unsubscribeDomains.stream().distinct().toList();
    }

    /// The path that the page to unsubscribe and its links are below.
    public Optional<String> unsubscribePath() {
        return unsubscribeUrl.map(url -> url.getPath().replaceFirst("/+$", ""));
    }

    public boolean needsSecrets() {
        return address.isPresent() || unsubscribeUrl.isPresent();
    }
}
