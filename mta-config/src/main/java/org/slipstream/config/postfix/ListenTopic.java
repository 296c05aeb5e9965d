package org.slipstream.config.postfix;

import org.slipstream.config.postfix.ImportDraft.RemarkKind;
import org.slipstream.config.postfix.MainCf.PostfixSetting;
import org.slipstream.config.postfix.MasterCf.MasterService;
import org.slipstream.core.Network;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The ports, who may relay, TLS of clients and their logins.
final class ListenTopic implements ImportTopic {
    private static final Map<Integer, String> USUAL = Map.of(25, "listen.smtp", 587, "listen.submission", 465,
            "listen.submissions");
    /// Options of a service that the ports imply, or that mean nothing here.
    private static final Set<String> IMPLIED = Set.of("syslog_name", "milter_macro_daemon_name",
            "smtpd_sasl_auth_enable", "smtpd_tls_auth_only", "smtpd_tls_wrappermode", "smtpd_reject_unlisted_recipient",
            "smtpd_sasl_security_options", "smtpd_sasl_local_domain", "local_header_rewrite_clients");

    @Override
    public void translate(PostfixFiles in, ImportDraft out) {
        networks(in, out);
        ports(in, out);
        PostfixCertificates.translate(in, out);
        logins(in, out);
        rates(in, out);
        for (String name : List.of("smtpd_client_event_limit_exceptions", "smtpd_authorized_xclient_hosts")) {
            String setting = name.startsWith("smtpd_client") ? "policy.exempt" : "trust.xclient";
            in.given(name).ifPresent(list -> list.words().forEach(word -> network(setting, word, list, out)));
        }
        in.given("smtpd_upstream_proxy_protocol").ifPresent(proxy -> out.notMapped(proxy,
                "the addresses of the proxies are not in main.cf; write them into trust.proxies"));
    }

    private static void networks(PostfixFiles in, ImportDraft out) {
        Optional<PostfixSetting> networks = in.given("mynetworks");
        PostfixSetting style = in.parameter("mynetworks_style");
        if (networks.isPresent()) {
            networks.get().words().forEach(word -> network("relay.networks", word, networks.get(), out));
        } else if (style.value().equals("host")) {
            List.of("127.0.0.0/8", "::1/128").forEach(block -> out.add("relay.networks", SimpleValues.quoted(block),
                    style.source()));
        } else if (in.main().names().contains("mynetworks_style")) {
            out.notMapped(style, "the networks of the interfaces are not read; write them into relay.networks");
        }
    }

    /// `192.0.2.0/24`, `[2001:db8::]/32`, `192.0.2.1`.
    private static void network(String setting, String word, PostfixSetting list, ImportDraft out) {
        String plain = word.replace("[", "").replace("]", "");
        if (plain.startsWith("::ffff:")) {
            // An IPv4 block in the notation of IPv6, which stands beside the block itself.
            return;
        }
        if (plain.equals("static:all")) {
            out.mistake(list.place(), list.name(), "every client could relay; name networks");
        } else if (Network.parse(plain).isEmpty()) {
            out.notMapped(list, "\"" + word + "\" is not a block of addresses such as 192.0.2.0/24");
        } else {
            out.add(setting, SimpleValues.quoted(plain), list.source());
        }
    }

    private static void ports(PostfixFiles in, ImportDraft out) {
        in.given("inet_protocols").ifPresent(protocols -> protocols(protocols, out));
        PostfixSetting interfaces = in.parameter("inet_interfaces");
        Optional<String> host = host(interfaces, out);
        if (in.services().isEmpty()) {
            out.set("listen.smtp", SimpleValues.quoted(host.orElse("*") + ":25"), interfaces.source());
            return;
        }
        for (MasterService service : in.services().get().services()) {
            boolean screened = service.command().equals("postscreen");
            if (service.type().equals("inet") && (service.command().equals("smtpd") || screened)) {
                port(service, host.orElse("*"), in, out);
            } else {
                in.options(service).stream().filter(each -> !IMPLIED.contains(each.name()))
                        .forEach(each -> out.notMapped(each, "settings belong to the server or to a destination, not"
                                + " to the service " + service.name()));
            }
        }
        USUAL.forEach((port, setting) -> {
            if (port == 25 && !out.has(setting)) {
                out.set(setting, "\"off\"", in.services().get().services().getFirst().place().source()
                        + " without an smtpd at port 25");
            }
        });
    }

    private static void protocols(PostfixSetting protocols, ImportDraft out) {
        if (protocols.value().equals("all")) {
            out.remark(RemarkKind.NOT_NEEDED, protocols.place(), protocols.name(), "both families are used");
        } else {
            out.notMapped(protocols, "both families are used; listen.* may name an address of one family");
        }
    }

    /// One address: a port is opened at one or at all.
    private static Optional<String> host(PostfixSetting interfaces, ImportDraft out) {
        List<String> hosts = new ArrayList<>();
        for (String word : interfaces.words()) {
            String plain = word.replace("[", "").replace("]", "");
            if (word.equals("all")) {
                return Optional.of("*");
            } else if (word.equals("loopback-only") || word.equals("localhost")) {
                hosts.addFirst("127.0.0.1");
            } else if (Network.parse(plain).isPresent() && !plain.contains("/")) {
                hosts.add(plain.contains(":") ? "[" + plain + "]" : plain);
            } else {
                out.notMapped(interfaces, "\"" + word + "\" is not an address; write the address into listen.smtp");
            }
        }
        List<String> distinct = hosts.stream().distinct().toList();
        // Loopback beside an address of the network would hide the server.
        Optional<String> taken = distinct.stream().filter(host -> !host.startsWith("127.")).findFirst()
                .or(() -> distinct.stream().findFirst());
        distinct.stream().filter(host -> !host.equals(taken.get())).forEach(host -> out.notMapped(interfaces,
                "a port opens at one address or at all (\"*\"); " + host + " is left out"));
        return taken;
    }

    private static void port(MasterService service, String host, PostfixFiles in, ImportDraft out) {
        List<PostfixSetting> options = in.options(service);
        Optional<Integer> port = service.port();
        String source = service.place() + " " + service.name();
        String at = service.host().map(name -> name.equals("localhost") ? "127.0.0.1" : name).orElse(host) + ":"
                + port.orElse(0);
        boolean wrapped = options.stream()
                .anyMatch(each -> each.name().equals("smtpd_tls_wrappermode") && each.isYes());
        boolean users = requireLogin(options);
        String setting = wrapped
                ? "listen.submissions"
                : USUAL.getOrDefault(port.orElse(0), users ? "listen.submission" : "listen.smtp");
        if (port.isEmpty() || out.has(setting)) {
            out.remark(RemarkKind.NOT_MAPPED, service.place(), service.name(), port.isEmpty()
                    ? "the port is not known; write a number"
                    : setting + " has one address, and an earlier service took it");
            return;
        }
        out.set(setting, SimpleValues.quoted(at), source);
        if (setting.equals("listen.submission")) {
            out.set("submission.networks-without-login", Boolean.toString(!users), source);
        }
        options.stream().filter(each -> !IMPLIED.contains(each.name()))
                .forEach(each -> option(each, setting, users, out));
        options.stream().filter(each -> each.words().stream().anyMatch(PolicyTopic::senderMustBelong)).forEach(
                each -> out.set("submission.sender-must-belong", "true", each.source()));
    }

    /// `permit_sasl_authenticated,reject` and the like, without the networks.
    private static boolean requireLogin(List<PostfixSetting> options) {
        return options.stream().filter(each -> each.name().endsWith("_restrictions"))
                .anyMatch(each -> each.words().contains("permit_sasl_authenticated") && each.words().contains("reject")
                        && !each.words().contains("permit_mynetworks"));
    }

    private static void option(PostfixSetting option, String setting, boolean users, ImportDraft out) {
        boolean implied = switch (option.name()) {
            case "smtpd_tls_security_level" -> !setting.equals("listen.smtp") || option.value().equals("may");
            case "smtpd_client_restrictions", "smtpd_helo_restrictions", "smtpd_sender_restrictions",
                    "smtpd_relay_restrictions", "smtpd_recipient_restrictions" ->
                users || option.value().isEmpty() || option.words().contains("permit_sasl_authenticated");
            default -> false;
        };
        if (!implied) {
            out.notMapped(option, "settings belong to the server, not to one port"
                    + PostfixNames.PARAMETERS.find(option.name()).filter(row -> !row.settings().isEmpty())
                            .map(row -> "; ours is " + String.join(", ", row.settings())).orElse(""));
        }
    }

    private static void logins(PostfixFiles in, ImportDraft out) {
        Optional<PostfixSetting> on = in.given("smtpd_sasl_auth_enable");
        PostfixSetting type = in.parameter("smtpd_sasl_type");
        PostfixSetting path = in.parameter("smtpd_sasl_path");
        boolean inMaster = in.services().stream().flatMap(master -> master.services().stream())
                .anyMatch(service -> "yes".equals(service.options().get("smtpd_sasl_auth_enable")));
        boolean logins = inMaster || on.filter(PostfixSetting::isYes).isPresent();
        in.given("smtpd_sender_login_maps").ifPresent(maps -> out.notMapped(maps,
                "the addresses of a user are those of mta user list"));
        if (!logins) {
            return;
        }
        if (type.value().equals("dovecot")) {
            out.set("submission.auth", SimpleValues.quoted(path.value().startsWith("inet:")
                    ? "dovecot:" + path.value().substring(5)
                    : "dovecot:" + java.nio.file.Path.of(in.value("queue_directory")).resolve(path.value())),
                    path.source());
        } else {
            out.notMapped(on.orElse(type), "passwords of Cyrus SASL are not read; add the users with mta user add, or"
                    + " let Dovecot decide (submission.auth)");
        }
        if (!out.has("submission.sender-must-belong")) {
            out.set("submission.sender-must-belong", "false",
                    "no reject_sender_login_mismatch in " + in.main().fileName() + " or master.cf");
        }
    }

    private static void rates(PostfixFiles in, ImportDraft out) {
        PostfixSetting unit = in.parameter("anvil_rate_time_unit");
        if (!unit.value().isEmpty() && !Set.of("60s", "60", "1m").contains(unit.value())) {
            out.notMapped(unit, "rates are for a minute or an hour; those of smtpd_client_*_rate_limit count as for a"
                    + " minute");
        }
        rate("smtpd_client_connection_rate_limit", "policy.connections-per-minute", 1, in, out);
        rate("smtpd_client_message_rate_limit", "policy.messages-per-hour", 60, in, out);
        rate("smtpd_client_recipient_rate_limit", "policy.recipients-per-hour", 60, in, out);
    }

    private static void rate(String name, String setting, long factor, PostfixFiles in, ImportDraft out) {
        in.given(name).ifPresent(limit -> {
            if (SimpleValues.isCount(limit.value())) {
                out.set(setting, Long.toString(factor * Long.parseLong(limit.value())), limit.source());
            } else {
                out.notMapped(limit, "\"" + limit.value() + "\" is not a number");
            }
        });
    }
}
