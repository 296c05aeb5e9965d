package org.slipstream.config.postfix;

import org.slipstream.core.Address;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A next hop of Postfix: `[host]:port`, `host:port`, `[host]` or `host`.
///
/// @param host as in `[routes]`: IPv6 addresses in brackets
/// @param bracketed no MX records are asked
record RelayHost(String host, int port, boolean bracketed) {
    private static final Pattern FORM = Pattern
            .compile("(?:\\[(?<literal>[^\\]]+)]|(?<name>[^:\\[\\]]+))(?::(?<port>\\w+))?");

    /// @param standard the port where none is given
    static Optional<RelayHost> parse(String text, String standard) {
        Matcher match = FORM.matcher(text.strip());
        if (!match.matches()) {
            return Optional.empty();
        }
        boolean bracketed = match.group("literal") != null;
        String host = bracketed ? match.group("literal").replaceFirst("^(?i)ipv6:", "") : match.group("name");
        boolean v6 = host.contains(":");
        String port = match.group("port") == null ? standard : match.group("port");
        return Optional.of(host).filter(name -> v6 || Address.isDomain(name) || name.matches("[0-9.]+"))
                .flatMap(name -> MasterCf.port(port)
                        .map(number -> new RelayHost(v6 ? "[" + name + "]" : name, number, bracketed)));
    }

    /// As in `[routes]` and in the file of logins.
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
