package org.slipstream.server.route;

import org.slipstream.config.Config;
import org.slipstream.config.RouteTable;
import org.slipstream.config.RouteTarget;
import org.slipstream.config.TlsUse;
import org.slipstream.core.Route;
import org.slipstream.guard.tls.TlsContexts;
import org.slipstream.guard.tls.TlsFailure;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.settings.AccessRemedy;
import org.slipstream.settings.BoundedFiles;
import org.slipstream.smtpout.PeerOverride;
import org.slipstream.smtpout.PeerPolicy;
import org.slipstream.smtpout.Peers;
import org.slipstream.smtpout.auth.Credentials;
import org.slipstream.smtpout.dialog.TlsPolicy;
import org.slipstream.smtpout.source.SourceSettings;
import org.slipstream.smtpout.wire.CertificateCheck;
import org.slipstream.smtpout.wire.ProxyExit;
import org.slipstream.smtpout.wire.Sources;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.net.ssl.SSLSocketFactory;

/// Requirements for the hosts that routes name, and the logins there.
///
/// A credentials file that others can read is refused, because this mistake shows nowhere else. A
/// login for a host that no route names is refused as well, because the name is probably mistyped.
public final class SmartHosts {
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);
    private static final Pattern LINE = Pattern.compile("(\\S+)\\s+(\\S+)\\s+(\\S.*)");
    private static final long STAGGER_MILLIS = Peers.USUAL.staggerMillis();

    private SmartHosts() {}

    /// One sentence for the operator.
    public static final class Unusable extends Exception {
        private static final long serialVersionUID = 1L;
        private final String key;

        Unusable(String message) {
            this("smarthost.credentials", message);
        }

        Unusable(String key, String message) {
            super(message);
            this.key = key;
        }

        /// The setting that names the file.
        public String key() {
            return key;
        }
    }

    public static Peers peers(Config config) throws Unusable, TlsFailure {
        Config.SmartHost settings = config.smartHost();
        Map<String, Credentials> logins = settings.credentials().isPresent()
                ? logins(settings.credentials().get(), config.home())
                : Map.of();
        Map<String, PeerPolicy> policies = new LinkedHashMap<>();
        Set<String> used = new HashSet<>();
        List<RouteTarget> targets = new ArrayList<>(config.routes().values());
        targets.addAll(config.senderRoutes().values());
        for (RouteTarget target : targets) {
            if (target instanceof RouteTarget.Fixed fixed) {
                Optional<String> name = name(fixed.host(), logins);
                name.ifPresent(used::add);
                String nextHop = RouteTable.fixed(fixed.host()).nextHop();
                policies.put(nextHop, policy(config, fixed, fixed.tls(), name.map(logins::get)));
                TlsUse.STRICT.stream().filter(tls -> tls.isStricter(fixed.tls()))
                        .forEach(tls -> policies.put(nextHop + "/" + tls.word(),
                                policy(config, fixed, Optional.of(tls), name.map(logins::get))));
            }
        }
        for (String name : logins.keySet()) {
            if (!used.contains(name)) {
                throw new Unusable("The login for " + name + " in " + settings.credentials().orElseThrow()
                        + " is for no host of [routes] or smarthost.sender-maps: correct its name or remove the line.");
            }
        }
        Optional<SSLSocketFactory> trust = settings.authorities().isPresent()
                ? Optional.of(trusting(settings.authorities().get()))
                : Optional.empty();
        Map<String, Sources> sources = sources(config);
        return new Peers(policies,
                new Sources(config.smtpClient().sourceAddressV4(), config.smtpClient().sourceAddressV6()),
                STAGGER_MILLIS, trust)
                .withOverrides(route -> override(config.destinations().settings(route), demand(route),
                        route.source().map(name -> sources.getOrDefault(name, unknown(name)))));
    }

    private static Map<String, Sources> sources(Config config) throws Unusable {
        Map<String, Sources> all = new HashMap<>();
        for (Map.Entry<String, SourceSettings> each : config.sources().sources().entrySet()) {
            SourceSettings settings = each.getValue();
            all.put(each.getKey(), new Sources(settings.addressV4(), settings.addressV6(), Optional.of(each.getKey()),
                    settings.hostname(), exit("source." + each.getKey() + ".exit-login", settings, config.home())));
        }
        return all;
    }

    // A reload has removed it. Its connections are not opened; this only names them in keys.
    private static Sources unknown(String name) {
        return new Sources(Optional.empty(), Optional.empty(), Optional.of(name), Optional.empty(), Optional.empty());
    }

    private static Optional<ProxyExit> exit(String key, SourceSettings settings, Path home) throws Unusable {
        if (settings.exit().isEmpty() || settings.exitLogin().isEmpty()) {
            return settings.exit();
        }
        ProxyExit exit = settings.exit().get();
        Path file = home.resolve(settings.exitLogin().get());
        String name = exit.host() + ":" + exit.port();
        try {
            Credentials login = logins(file, home).get(name);
            if (login == null) {
                throw new Unusable("The file " + file + " has no line \"" + name + " user password\".");
            }
            return Optional.of(exit.with(new ProxyExit.ProxyLogin(login.user(), login.password())));
        } catch (Unusable unusable) {
            throw new Unusable(key, String.valueOf(unusable.getMessage()));
        } catch (IllegalArgumentException tooLong) {
            throw new Unusable(key, "The file " + file + ": " + tooLong.getMessage() + ".");
        }
    }

    /// The demand in the next hop. Mail in memory keeps its route, also when a reload has taken the route
    /// out of the settings.
    private static Optional<TlsPolicy> demand(Route route) {
        String nextHop = Route.anySource(route.nextHop());
        String shared = Route.shared(nextHop);
        return shared.equals(nextHop)
                ? Optional.empty()
                : Optional.of(policy(nextHop.substring(shared.length() + 1))).filter(TlsPolicy::isMandatory);
    }

    private static TlsPolicy policy(String word) {
        return TlsPolicy.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private static PeerOverride override(DestinationSettings settings, Optional<TlsPolicy> demand,
            Optional<Sources> source) {
        Optional<TlsPolicy> clause = settings.tls().map(SmartHosts::policy);
        return new PeerOverride(Stream.concat(clause.stream(), demand.stream()).max(Comparator.naturalOrder()),
                source.orElseGet(() -> new Sources(
                        settings.sourceAddressV4().map(address -> (Inet4Address) InetAddress.ofLiteral(address)),
                        settings.sourceAddressV6().map(address -> (Inet6Address) InetAddress.ofLiteral(address)))));
    }

    private static PeerPolicy policy(Config config, RouteTarget.Fixed fixed, Optional<TlsUse> tls,
            Optional<Credentials> login) {
        TlsUse usual = config.smtpClient().startTls() ? TlsUse.MAY : TlsUse.NONE;
        return new PeerPolicy(TlsPolicy.valueOf(tls.orElse(usual).name()), fixed.implicitTls(), login,
                config.smartHost().loginInTheClear());
    }

    /// The line for this host: the one with its port, or the one without.
    private static Optional<String> name(Route.Host host, Map<String, Credentials> logins) {
        String exact = host.toString();
        return logins.containsKey(exact)
                ? Optional.of(exact)
                : Optional.of(host.name()).filter(logins::containsKey);
    }

    static Map<String, Credentials> logins(Path file, Path home) throws Unusable {
        Map<String, Credentials> logins = new HashMap<>();
        int number = 0;
        for (String line : lines(file, home)) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            Matcher words = LINE.matcher(line.strip());
            if (!words.matches()) {
                throw new Unusable(
                        "Line " + number + " of " + file + " is not of the form \"host user password\": correct it.");
            }
            try {
                Credentials login = new Credentials(words.group(2), words.group(3));
                if (logins.put(words.group(1).toLowerCase(Locale.ROOT), login) != null) {
                    throw new Unusable("Line " + number + " of " + file + " is a second login for " + words.group(1)
                            + ": keep one.");
                }
            } catch (IllegalArgumentException unfit) {
                throw new Unusable("Line " + number + " of " + file + ": " + unfit.getMessage() + ".");
            }
        }
        return logins;
    }

    private static Iterable<String> lines(Path file, Path home) throws Unusable {
        try {
            if (Files.getFileStore(file).supportsFileAttributeView("posix")
                    && Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains)) {
                throw new Unusable(
                        "The file " + file + " holds passwords and others may read or write it: run \"chmod 600 "
                                + file + "\".");
            }
            return BoundedFiles.lines(file, BoundedFiles.MOST_TEXT_OCTETS);
        } catch (IOException unreadable) {
            throw new Unusable("The file cannot be read: " + new AccessRemedy(home).words(unreadable) + ".");
        }
    }

    /// Creates client sockets that trust only certificates signed by the authorities in this file.
    private static SSLSocketFactory trusting(Path authorities) throws TlsFailure {
        List<X509Certificate> certificates = TlsContexts.certificates(authorities);
        try {
            KeyStore known = KeyStore.getInstance("PKCS12");
            known.load(null, null);
            for (X509Certificate certificate : certificates) {
                known.setCertificateEntry("ca" + known.size(), certificate);
            }
            return CertificateCheck.trusting(Optional.of(known)).sockets();
        } catch (GeneralSecurityException | IOException e) {
            throw new TlsFailure("The certificates in " + authorities + " cannot be used: " + e.getMessage(), e);
        }
    }
}
