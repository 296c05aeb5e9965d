package org.slipstream.smtpout.source;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;
import org.slipstream.smtpout.wire.ProxyExit;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A section `[source.NAME]`: an address from which mail leaves, and its name in EHLO.
///
/// @param addressV4 with an exit, the address that the remote host sees
/// @param exitLogin a file, for an exit of the kind SOCKS5
/// @param warmUp its first day; empty for an address that is warm
@SettingsSection("source")
public record SourceSettings(
        @Setting(key = "address-v4", value = "",
                doc = "Local address of its connections by IPv4. A source with an address of one family only sends"
                        + " by that family.") Optional<Inet4Address> addressV4,
        @Setting(key = "address-v6", value = "",
                doc = "Local address of its connections by IPv6.") Optional<Inet6Address> addressV6,
        @Setting(value = "", form = "own-domain",
                doc = "Its name in EHLO, which DNS should know for its address, and the address for the name. Empty:"
                        + " `hostname`.") Optional<String> hostname,
        @Setting(value = "none", form = "exit",
                doc = "A proxy through which it connects: `socks5://192.0.2.9:1080` (RFC 1928), or"
                        + " `proxy://192.0.2.9:2525`, which gets a PROXY header of version 2 and connects to its"
                        + " target. The addresses above are then those that remote hosts see.") Optional<ProxyExit> exit,
        @Setting(value = "",
                doc = "File with a line `address:port user password` for a SOCKS5 proxy (RFC 1929), readable by its"
                        + " owner only. Relative to the home folder.") Optional<Path> exitLogin,
        @Setting(value = "", form = "day",
                doc = "First day (UTC) of a new address, such as `2026-12-01`. From then on it sends at most"
                        + " `warm-up-days` messages a day to each provider, and before that day"
                        + " nothing.") Optional<LocalDate> warmUp,
        @Setting(value = "50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200, 102400, 204800, 409600",
                min = "1", max = "1000000000",
                doc = "Messages to each provider on the first day, the second, and so on; 90 days at most. Behind the"
                        + " last there is no limit.") List<Integer> warmUpDays) {
    /// Days of a schedule.
    public static final int MOST_DAYS = 90;

    public SourceSettings {
        warmUpDays = List.copyOf(warmUpDays);
    }

    public Optional<WarmUp> schedule() {
        return warmUp.map(day -> new WarmUp(day, warmUpDays));
    }

    public List<InetAddress> addresses() {
        return Stream.<InetAddress>concat(addressV4.stream(), addressV6.stream()).toList();
    }
}
