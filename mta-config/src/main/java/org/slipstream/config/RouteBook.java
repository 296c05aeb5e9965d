package org.slipstream.config;

import org.slipstream.core.Address;
import org.slipstream.core.Route;
import org.slipstream.core.TransportKind;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.Form;
import org.slipstream.settings.Forms;
import org.slipstream.settings.Value;

import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The reader of `[routes]`: domain, `.suffix` or `*` on the left; `mx`, `smtp:host[:port]`,
/// `smtps:host[:port]`, `lmtp:host:port`, `lmtp:unix:/path` or `discard` on the right. The first
/// two may be followed by the TLS that is required: ` tls=verify`.
final class RouteBook {
    private static final int SMTP_PORT = 25;
    private static final int SMTPS_PORT = 465;
    private static final Pattern SMTP = Pattern
            .compile("(?i)smtp(?<s>s)?:(?<host>\\S+)(?:\\s+tls=(?<tls>none|may|encrypt|verify))?");

    private static final List<String> LOOPBACK = List.of("127.0.0.1", "[::1]");

    /// With the usual transports.
    static final Form<RouteTarget> TARGET = form(TransportTable.of(TransportSettings.defaults()));

    private RouteBook() {}

    private static Form<RouteTarget> form(TransportTable transports) {
        return Forms.text("a route: \"mx\", \"smtp:host\", \"smtp:host:port\","
                + " \"smtps:host\", \"smtp:host:port tls=verify\" (or none, may, encrypt),"
                + " \"lmtp:host:port\", \"lmtp:unix:/path\", \"discard\", or a transport of [transport] with its"
                + " host", text -> target(text, transports));
    }

    /// @param localDomains their mail is delivered here, so a route for one of them would never be
    ///     used
    /// @param ours the addresses of the listeners; mail sent there would loop until it has too many
    ///     Received lines
    static Map<String, RouteTarget> read(Map<String, Value> routes, List<String> localDomains,
            Collection<InetSocketAddress> ours, TransportTable transports, Complaints complaints) {
        Form<RouteTarget> form = form(transports);
        Map<String, RouteTarget> book = new LinkedHashMap<>();
        book.put("*", new RouteTarget.Mx());
        routes.forEach((name, value) -> {
            String key = ServerSchema.ROUTES + ".\"" + name + "\"";
            String domain = name.toLowerCase(Locale.ROOT);
            if (!isPattern(domain)) {
                complaints.add(value.place(), key, key + ": \"" + name + "\" is not a domain, a \".suffix\" or \"*\"",
                        patternMeant(domain));
            } else {
                form.read(value, key, complaints).ifPresent(target -> {
                    if (localDomains.contains(domain) == target instanceof RouteTarget.Local) {
                        book.put(domain, target);
                    } else if (target instanceof RouteTarget.Local) {
                        complaints.add(value.place(), key, key + ": " + name + " is not in local.domains");
                    } else {
                        complaints.add(value.place(), key, key + ": mail for " + name + " ends here and takes no route",
                                Optional.of("take it out of local.domains, or the route away"));
                    }
                });
                Optional.ofNullable(book.get(domain)).flatMap(target -> conflict(target, book.values(), ours))
                        .ifPresent(what -> complaints.add(value.place(), key, key + ": " + what));
            }
        });
        return book;
    }

    /// The fault of a route beside the other ones.
    static Optional<String> conflict(RouteTarget target, Collection<RouteTarget> others,
            Collection<InetSocketAddress> ours) {
        Optional<Route.Host> own = host(target).filter(host -> leadsTo(host, ours));
        if (own.isPresent() || !(target instanceof RouteTarget.Fixed fixed)) {
            return own.map(host -> host + " is this server itself");
        }
        // All routes to one host share its connections.
        return others.stream().anyMatch(other -> other instanceof RouteTarget.Fixed f
                && f.host().equals(fixed.host())
                && !(f.tls().equals(fixed.tls()) && f.implicitTls() == fixed.implicitTls()))
                        ? Optional.of("another route wants other TLS of " + fixed.host()
                                + "; write the same behind all routes to it")
                        : Optional.empty();
    }

    /// The fixed host of a route, if it has one.
    static Optional<Route.Host> host(RouteTarget target) {
        return switch (target) {
            case RouteTarget.Fixed fixed -> Optional.of(fixed.host());
            case RouteTarget.Lmtp lmtp -> host(lmtp.endpoint(), 0);
            case RouteTarget.Mx _,RouteTarget.Local _,RouteTarget.Discard _,RouteTarget.Pipe _ -> Optional.empty();
        };
    }

    /// The name localhost has two addresses, and a server may listen at the second one.
    static boolean leadsTo(Route.Host host, Collection<InetSocketAddress> ours) {
        return Stream.of(host.name()).flatMap(name -> name.equals("localhost") ? LOOPBACK.stream() : Stream.of(name))
                .flatMap(name -> MailForms.literal(name).stream())
                .anyMatch(address -> ours.stream().anyMatch(own -> own.getPort() == host.port()
                        && (own.getAddress().equals(address)
                                || own.getAddress().isAnyLocalAddress() && address.isLoopbackAddress())));
    }

    private static boolean isPattern(String text) {
        return text.equals("*") || Address.isDomain(text.startsWith(".") ? text.substring(1) : text);
    }

    private static Optional<String> patternMeant(String text) {
        return text.startsWith("*.") && isPattern(text.substring(1))
                ? Optional.of("for all subdomains write \"" + text.substring(1) + "\"")
                : Optional.empty();
    }

    /// A route by a transport that the operator has named: its name alone, or with a host as behind `smtp:` or
    /// `lmtp:`. The other routes are [#target(String)].
    static Optional<RouteTarget> target(String text, TransportTable transports) {
        String word = text.strip();
        int colon = word.indexOf(':');
        String name = (colon < 0 ? word : word.substring(0, colon)).toLowerCase(Locale.ROOT);
        TransportKind kind = transports.named().get(name);
        if (kind == null) {
            return target(word);
        }
        if (colon < 0) {
            return switch (kind) {
                case SMTP -> Optional.of(new RouteTarget.Mx(name));
                case LMTP -> Optional.empty();
                case LOCAL -> Optional.of(new RouteTarget.Local(name));
                case DISCARD -> Optional.of(new RouteTarget.Discard(name));
                case PIPE -> Optional.of(new RouteTarget.Pipe(name, ""));
            };
        }
        if (kind == TransportKind.PIPE) {
            return Optional.of(word.substring(colon + 1)).filter(hop -> hop.matches("[A-Za-z0-9._@+=-]{1,100}"))
                    .map(hop -> new RouteTarget.Pipe(name, hop));
        }
        return target(kind.word() + word.substring(colon)).map(target -> switch (target) {
            case RouteTarget.Fixed fixed ->
                new RouteTarget.Fixed(name, fixed.host(), fixed.tls(), fixed.implicitTls());
            case RouteTarget.Lmtp lmtp -> new RouteTarget.Lmtp(name, lmtp.endpoint());
            default -> target;
        });
    }

    static Optional<RouteTarget> target(String text) {
        String word = text.strip();
        if (word.equalsIgnoreCase("mx")) {
            return Optional.of(new RouteTarget.Mx());
        }
        if (word.equalsIgnoreCase("discard")) {
            return Optional.of(new RouteTarget.Discard());
        }
        Matcher smtp = SMTP.matcher(word);
        if (smtp.matches()) {
            return fixed(smtp.group("host"), smtp.group("s") != null,
                    Optional.ofNullable(smtp.group("tls")).map(t -> TlsUse.valueOf(t.toUpperCase(Locale.ROOT))));
        }
        if (word.regionMatches(true, 0, "lmtp:unix:/", 0, 11)) {
            return Optional.of(new RouteTarget.Lmtp("unix:" + word.substring(10)));
        }
        return word.regionMatches(true, 0, "lmtp:", 0, 5)
                ? host(word.substring(5), 0).map(host -> new RouteTarget.Lmtp(host.toString()))
                : Optional.empty();
    }

    /// RFC 8314 section 3.3: implicit TLS is mandatory TLS.
    private static Optional<RouteTarget> fixed(String host, boolean implicitTls, Optional<TlsUse> tls) {
        boolean mandatory = tls.map(t -> t == TlsUse.ENCRYPT || t == TlsUse.VERIFY).orElse(true);
        if (implicitTls && !mandatory) {
            return Optional.empty();
        }
        return host(host, implicitTls ? SMTPS_PORT : SMTP_PORT).map(
                h -> new RouteTarget.Fixed("smtp", h, implicitTls ? tls.or(() -> Optional.of(TlsUse.ENCRYPT)) : tls,
                        implicitTls));
    }

    /// @param standard the port where none is given; 0 when one must be (RFC 2033 section 5: LMTP
    ///     is never on 25)
    private static Optional<Route.Host> host(String text, int standard) {
        int bracket = text.indexOf(']');
        int colon = text.indexOf(':', Math.max(0, bracket));
        String name = unbracketed(colon < 0 ? text : text.substring(0, colon));
        Optional<Integer> port = colon >= 0
                ? MailForms.port(text.substring(colon + 1), 1)
                : standard > 0 ? Optional.of(standard) : Optional.empty();
        return port.filter(_ -> isHost(name)).map(p -> new Route.Host(name.toLowerCase(Locale.ROOT), p, 0));
    }

    // Postfix writes a host whose MX records are not asked for as `[host]`.
    private static String unbracketed(String name) {
        boolean isName = name.startsWith("[") && name.endsWith("]") && MailForms.literal(name).isEmpty();
        return isName ? name.substring(1, name.length() - 1) : name;
    }

    private static boolean isHost(String name) {
        boolean literal = name.startsWith("[") || name.matches("[0-9.]+");
        return literal ? MailForms.literal(name).isPresent() : Address.isDomain(name);
    }
}
