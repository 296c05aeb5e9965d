package org.slipstream.guard.rspamd;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/// The filter Rspamd in `[policy]`.
///
/// @param url empty: no filter
@SettingsSection("policy")
public record RspamdSettings(
        @Setting(key = "rspamd", value = "",
                doc = "Address of a worker of Rspamd that scans messages, as `http://127.0.0.1:11333`. Each message"
                        + " is shown to it before the client gets 250; docs/rspamd.md. Empty: no"
                        + " filter.") Optional<URI> url,
        @Setting(key = "rspamd-timeout", value = "30s", min = "10ms", max = "5m", expert = true,
                doc = "How long the client waits for the answer about one message.") Duration timeout,
        @Setting(key = "rspamd-failure", value = "defer",
                doc = "Mail while Rspamd cannot be reached, is too slow or gives no usable answer. `defer`: the"
                        + " client gets 451 and comes back. `accept`: mail passes"
                        + " unfiltered.") RspamdFailure failure) {
    /// The treatment of mail without an answer of the filter.
    public enum RspamdFailure {
        DEFER, ACCEPT
    }
}
