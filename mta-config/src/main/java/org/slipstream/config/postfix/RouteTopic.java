package org.slipstream.config.postfix;

import org.slipstream.config.postfix.ImportDraft.ImportedFile;
import org.slipstream.config.postfix.ImportDraft.ImportedKey;
import org.slipstream.config.postfix.ImportDraft.RemarkKind;
import org.slipstream.config.postfix.MainCf.PostfixSetting;
import org.slipstream.config.postfix.PostfixTable.TableEntry;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The way of mail for other domains: smart hosts, routes, TLS and logins there.
final class RouteTopic implements ImportTopic {
    private static final String LOGINS = "logins";
    private static final Map<String, String> LEVELS = Map.of("none", "none", "may", "may", "encrypt", "encrypt",
            "verify", "verify", "secure", "verify");
    private static final Set<String> SMTP = Set.of("smtp", "relay");

    /// The hosts of routes, as the file of logins names them.
    private final Set<String> hosts = new LinkedHashSet<>();
    /// The TLS policies of smtp_tls_policy_maps by their next hop.
    private final Map<String, String> policies = new LinkedHashMap<>();

    @Override
    public void translate(PostfixFiles in, ImportDraft out) {
        Optional<String> level = level(in, out);
        in.given("smtp_tls_policy_maps").ifPresent(maps -> policies(maps, in, out));
        boolean wrapped = in.isYes("smtp_tls_wrappermode");
        in.given("transport_maps").ifPresent(maps -> in.tables(maps).forEach(
                table -> table.listed().ifPresentOrElse(
                        entries -> entries.forEach(entry -> route(entry, maps, level, in, out)),
                        () -> out.notMapped(maps,
                                "routes from patterns do not exist; write each domain into [routes]"))));
        in.given("relay_domains").ifPresent(domains -> relayed(domains, level, in, out));
        in.given("relayhost").ifPresent(host -> smartHost(host, level, wrapped, out));
        in.given("default_transport").ifPresent(transport -> fallback(transport, level, in, out));
        in.given("sender_dependent_relayhost_maps").ifPresent(maps -> senderHosts(maps, in, out));
        logins(in, out);
        in.given("smtp_tls_CAfile").ifPresent(file -> authorities(file, out));
        in.given("smtp_line_length_limit").ifPresent(limit -> out.set("smtp-client.long-lines",
                limit.value().equals("0") ? "\"send\"" : "\"break\"", limit.source()));
        leftPolicies(in, out);
    }

    /// The TLS of all hosts as ours; empty where our default is meant.
    private static Optional<String> level(PostfixFiles in, ImportDraft out) {
        if (in.isYes("smtp_enforce_tls") && in.given("smtp_tls_security_level").isEmpty()) {
            in.given("smtp_enforce_tls").ifPresent(old -> everywhere("encrypt", old, in, out));
            return Optional.of("encrypt");
        }
        Optional<PostfixSetting> level = in.given("smtp_tls_security_level");
        in.given("smtp_use_tls").filter(_ -> level.isEmpty()).ifPresent(
                use -> out.set("smtp-client.starttls", Boolean.toString(use.isYes()), use.source()));
        if (level.isEmpty()) {
            return Optional.empty();
        }
        String ours = LEVELS.getOrDefault(level.get().value(), "may");
        if (!LEVELS.containsKey(level.get().value())) {
            out.notMapped(level.get(), "\"" + level.get().value() + "\" is not supported; TLS is used where it is"
                    + " offered, and [destination.\"domain\"] tls = \"verify\" demands a certificate");
        }
        switch (ours) {
            case "none" -> out.set("smtp-client.starttls", "false", level.get().source());
            case "may" -> out.set("smtp-client.starttls", "true", level.get().source());
            default -> everywhere(ours, level.get(), in, out);
        }
        return Optional.of(ours);
    }

    /// With a smart host for all mail the route has the level.
    private static void everywhere(String level, PostfixSetting parameter, PostfixFiles in, ImportDraft out) {
        if (in.given("relayhost").isEmpty()) {
            out.set(new ImportedKey("destination.\"*\"", "tls"), SimpleValues.quoted(level), parameter.source());
        }
    }

    private void policies(PostfixSetting maps, PostfixFiles in, ImportDraft out) {
        for (PostfixTable table : in.tables(maps)) {
            table.listed().ifPresentOrElse(entries -> entries.forEach(entry -> {
                String word = entry.text().split("[\\s,]+")[0];
                if (LEVELS.containsKey(word)) {
                    policies.put(entry.key(), LEVELS.get(word));
                } else {
                    out.remark(RemarkKind.NOT_MAPPED, entry.place(), maps.name(), "\"" + word
                            + "\" is not supported; there are none, may, encrypt and verify");
                }
            }), () -> out.notMapped(maps, "policies from patterns do not exist; write [destination.\".suffix\"] tls"));
        }
    }

    /// The policies that no route has taken are those of destinations.
    private void leftPolicies(PostfixFiles in, ImportDraft out) {
        in.given("smtp_tls_policy_maps").ifPresent(maps -> policies.forEach((hop, level) -> {
            if (hop.startsWith("[") || hop.contains(":")) {
                out.notMapped(maps, "no route leads to " + hop + ", so its policy has no place");
            } else {
                out.set(new ImportedKey("destination.\"" + hop + "\"", "tls"), SimpleValues.quoted(level),
                        maps.source());
            }
        }));
    }

    private void smartHost(PostfixSetting parameter, Optional<String> level, boolean wrapped, ImportDraft out) {
        Optional<RelayHost> hop = RelayHost.parse(parameter.value(), "25");
        if (hop.isEmpty()) {
            out.notMapped(parameter, "\"" + parameter.value() + "\" is not [host]:port");
            return;
        }
        if (!hop.get().bracketed()) {
            out.notMapped(parameter, "the MX records of " + hop.get().host()
                    + " are not asked: mail goes to the host of this name; name the right one if it has none");
        }
        if (out.has("routes.\"*\"")) {
            out.notMapped(parameter, "the line * of transport_maps is stronger");
        }
        out.set(new ImportedKey("routes", "\"*\""),
                SimpleValues.quoted(smtp(hop.get(), parameter.value(), level, wrapped)),
                parameter.source());
    }

    /// A host with its TLS, in the form of `[routes]`.
    private String smtp(RelayHost hop, String written, Optional<String> level, boolean wrapped) {
        hosts.add(hop.toString());
        Optional<String> own = Optional.ofNullable(policies.remove(written)).or(() -> level);
        boolean implicit = wrapped || hop.port() == 465;
        Optional<String> shown = implicit ? own.filter("verify"::equals) : own;
        return (implicit ? "smtps:" : "smtp:") + hop + shown.map(tls -> " tls=" + tls).orElse("");
    }

    private void route(TableEntry entry, PostfixSetting maps, Optional<String> level, PostfixFiles in,
            ImportDraft out) {
        String name = entry.key();
        if (name.contains("@")) {
            out.remark(RemarkKind.NOT_MAPPED, entry.place(), maps.name(), name
                    + " is one address, and routes are for domains; an alias can send its mail elsewhere");
            return;
        }
        Optional<String> target = target(entry.text(), level, in, out);
        boolean here = out.items("local.domains").contains(SimpleValues.quoted(name));
        if (here) {
            out.remark(RemarkKind.NOT_MAPPED, entry.place(), maps.name(), name
                    + " is a local domain, which has no route; local.delivery is the way of its mail");
        } else if (target.isPresent()) {
            out.set(new ImportedKey("routes", SimpleValues.quoted(name)), SimpleValues.quoted(target.get()),
                    maps.source() + ", " + entry.place());
        } else {
            out.remark(RemarkKind.NOT_MAPPED, entry.place(), maps.name(), "\"" + entry.text() + "\" for " + name
                    + " has no route here; there are mx, smtp:host:port, lmtp:host:port, lmtp:unix:/path, discard and services of"
                    + " master.cf for smtp, lmtp and pipe");
        }
    }

    /// Relay domains without a line of `transport_maps` have the next hop of `relay_transport`. The names of all are
    /// accepted when neither a table nor a probe knows them.
    private void relayed(PostfixSetting domains, Optional<String> level, PostfixFiles in, ImportDraft out) {
        List<String> names = out.items("relay.domains");
        Optional<PostfixSetting> transport = in.given("relay_transport");
        if (names.isEmpty()) {
            return;
        }
        if (!out.has("relay.verify")) {
            out.notMapped(domains, "every name of the domains is accepted, and spam for unknown ones;"
                    + " relay.verify = true asks the next server for each name");
        }
        transport.ifPresent(each -> target(each.value(), level, in, out).ifPresentOrElse(
                target -> names.stream().filter(_ -> !target.equals("mx")).forEach(name -> out.set(
                        new ImportedKey("routes", name), SimpleValues.quoted(target), each.source())),
                () -> out.notMapped(each, "\"" + each.value() + "\" has no route here; there are mx, smtp:host:port,"
                        + " lmtp:host:port, lmtp:unix:/path and discard")));
    }

    /// @param text `transport:nexthop`, `transport:` or `:nexthop`
    private Optional<String> target(String text, Optional<String> level, PostfixFiles in, ImportDraft out) {
        int colon = text.indexOf(':');
        String transport = colon < 0 ? text : text.substring(0, colon);
        String hop = colon < 0 ? "" : text.substring(colon + 1);
        if (transport.equals("discard")) {
            return Optional.of("discard");
        }
        if (transport.equals("lmtp")) {
            return DomainTopic.lmtp(text, in.value("queue_directory"));
        }
        if (transport.isEmpty() || SMTP.contains(transport)) {
            return smtp(hop, level, "mx");
        }
        return TransportTopic.of(transport, in, out).flatMap(own -> switch (own.kind()) {
            case "smtp" -> smtp(hop, level, own.name())
                    .map(target -> target.replaceFirst("^smtps?:", own.name() + ":"));
            case "lmtp" -> DomainTopic.lmtp("lmtp:" + hop, in.value("queue_directory"))
                    .map(target -> target.replaceFirst("^lmtp", own.name()));
            default -> Optional.of(hop.isEmpty() ? own.name() : own.name() + ":" + hop);
        });
    }

    private Optional<String> smtp(String hop, Optional<String> level, String withoutHop) {
        return hop.isEmpty()
                ? Optional.of(withoutHop)
                : RelayHost.parse(hop, "25").map(host -> smtp(host, hop, level, false));
    }

    private void fallback(PostfixSetting transport, Optional<String> level, PostfixFiles in, ImportDraft out) {
        if (transport.value().equals("smtp")) {
            return;
        }
        target(transport.value(), level, in, out).ifPresentOrElse(
                target -> out.set(new ImportedKey("routes", "\"*\""), SimpleValues.quoted(target), transport.source()),
                () -> out.notMapped(transport, "\"" + transport.value()
                        + "\" has no route here; there are mx, smtp:host:port, lmtp:host:port and discard"));
    }

    private void senderHosts(PostfixSetting maps, PostfixFiles in, ImportDraft out) {
        for (PostfixTable table : in.tables(maps)) {
            table.listed().ifPresent(entries -> entries.forEach(entry -> RelayHost
                    .parse(entry.text().replaceFirst("^smtp:", ""), "25").ifPresent(hop -> hosts.add(hop.toString()))));
        }
        AddressTopic.tables("smarthost.sender-maps", maps, in, out, false);
    }

    private void logins(PostfixFiles in, ImportDraft out) {
        boolean on = in.isYes("smtp_sasl_auth_enable");
        Optional<PostfixSetting> maps = in.given("smtp_sasl_password_maps");
        if (maps.isEmpty()) {
            return;
        }
        if (!on) {
            out.notMapped(maps.get(), "smtp_sasl_auth_enable is not yes, so Postfix does not use it");
            return;
        }
        List<String> lines = new ArrayList<>();
        in.tables(maps.get()).forEach(table -> table.listed().ifPresentOrElse(
                entries -> entries.forEach(entry -> login(entry, maps.get(), out).ifPresent(lines::add)),
                () -> out.notMapped(maps.get(), "logins from patterns do not exist; write a line for each host")));
        if (!lines.isEmpty()) {
            out.file(new ImportedFile(LOGINS, "# host:port user password\n" + String.join("\n", lines) + "\n", true));
            out.set("smarthost.credentials", SimpleValues.quoted(LOGINS), maps.get().source());
        }
    }

    /// A login for a host that no route names would be refused at the start.
    private Optional<String> login(TableEntry entry, PostfixSetting maps, ImportDraft out) {
        Optional<RelayHost> hop = RelayHost.parse(entry.key(), "25");
        // Postfix looks for a next hop as it is written, then for the host alone.
        List<String> named = hop.map(key -> hosts.stream().filter(host -> host.equals(key.toString())
                || !entry.key().contains("]:") && host.startsWith(key.host() + ":")).toList()).orElse(List.of());
        int colon = entry.text().indexOf(':');
        String user = colon < 0 ? entry.text() : entry.text().substring(0, colon);
        if (named.isEmpty()) {
            out.remark(RemarkKind.NOT_MAPPED, entry.place(), maps.name(), "no route leads to " + entry.key()
                    + ", so its login has no place");
        } else if (colon < 0 || user.isEmpty() || user.matches(".*\\s.*") || colon + 1 == entry.text().length()) {
            out.remark(RemarkKind.NOT_MAPPED, entry.place(), maps.name(), "the login for " + entry.key()
                    + " is not \"user:password\" with a user without blanks");
        } else {
            return Optional.of(named.getFirst() + " " + user + " " + entry.text().substring(colon + 1));
        }
        return Optional.empty();
    }

    // The bundle of the system is what Java has as well.
    private static void authorities(PostfixSetting file, ImportDraft out) {
        if (file.value().equals("/etc/ssl/certs/ca-certificates.crt")) {
            out.remark(RemarkKind.NOT_NEEDED, file.place(), file.name(), "Java knows the public authorities");
        } else {
            out.set("smarthost.authorities", SimpleValues.quoted(file.value()), file.source());
        }
    }
}
