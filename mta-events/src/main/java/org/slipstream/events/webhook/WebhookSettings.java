package org.slipstream.events.webhook;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;
import org.slipstream.events.stream.MailEventKind;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A section `[webhook."name"]`: a web server that gets events of mail.
///
/// @param url empty only in settings that are refused
/// @param secretFile the same
/// @param senders empty: all
/// @param kinds empty: all
@SettingsSection("webhook")
public record WebhookSettings(
        @Setting(value = "", form = "web-page",
                doc = "Address (`https://…`) that gets events by POST. Needed.") Optional<URI> url,
        @Setting(value = "",
                doc = "File with the secret that signs each request, `whsec_` and 24 to 64 octets in Base64; two lines"
                        + " while the receiver changes to another one. Relative to the home folder. Needed;"
                        + " docs/events.md makes one.") Optional<Path> secretFile,
        @Setting(value = "", form = "domain",
                doc = "Domains of senders whose events are posted. Empty: all, reports included.") List<String> senders,
        @Setting(value = "",
                doc = "Kinds of events that are posted, such as `[\"delivered\", \"bounced\"]`; `lost` always is. Empty:"
                        + " all.") List<MailEventKind> kinds,
        @Setting(value = "100", min = "1", max = "1000",
                doc = "Events in one request at most, in an object with the list `events`; a request has 1 MiB at most."
                        + " 1: each event is a request of its own.") int batch,
        @Setting(value = "false",
                doc = "`true`: the host may have an address that is not public, such as one of the own"
                        + " network.") boolean privateAddresses) {
    public WebhookSettings {
        senders = List.copyOf(senders);
        kinds = List.copyOf(kinds);
    }
}
