package org.slipstream.config;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

/// The section `[reports]`.
@SettingsSection("reports")
public record DailyReportSettings(
        @Setting(value = "false",
                doc = "Tell the owner of each domain that asks for it how mail from the domain was judged: DMARC"
                        + " aggregate reports (RFC 9990). Needs `policy.sender-authentication`.") boolean dmarc,
        @Setting(value = "false",
                doc = "Tell the owner of each domain that asks for it how TLS to its servers succeeded and failed"
                        + " (RFC 8460).") boolean tls) {}
