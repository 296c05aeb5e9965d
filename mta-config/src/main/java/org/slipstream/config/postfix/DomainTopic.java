package org.slipstream.config.postfix;

import org.slipstream.config.postfix.MainCf.PostfixSetting;
import org.slipstream.config.postfix.PostfixTable.TableEntry;
import org.slipstream.core.Address;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The server's name, its domains, their mailboxes, and the place of local mail.
final class DomainTopic implements ImportTopic {
    private static final String DOMAINS = "local.domains";
    private static final String RELAYED = "relay.domains";
    private static final String MAILBOXES = "local.mailboxes";
    private static final String DELIVERY = "local.delivery";
    private static final Set<String> USUAL_TRANSPORTS = Set.of("local", "virtual", "local:", "virtual:");

    @Override
    public void translate(PostfixFiles in, ImportDraft out) {
        identity(in, out);
        in.given("mydomain");
        domains(DOMAINS, in.parameter("mydestination"), in, out);
        for (String name : List.of("virtual_alias_domains", "virtual_mailbox_domains")) {
            in.given(name).ifPresent(parameter -> domains(DOMAINS, parameter, in, out));
        }
        for (String name : List.of("virtual_transport", "mailbox_transport", "local_transport")) {
            in.given(name).ifPresent(transport -> delivery(transport, in, out));
        }
        relayDomains(in, out);
        mailboxes(in, out);
        if (!out.has(DOMAINS)) {
            // Without the setting, mail for the hostname would be local.
            PostfixSetting none = in.parameter("mydestination");
            out.add(DOMAINS, "\"localhost\"", none.source());
        }
        delimiter(in, out);
        for (String name : List.of("mailbox_size_limit", "virtual_mailbox_limit")) {
            in.given(name).ifPresent(limit -> noLimit(limit, out));
        }
        in.given("2bounce_notice_recipient")
                .ifPresent(postmaster -> out.set("local.postmaster", SimpleValues.quoted(postmaster.value()),
                        postmaster.source()));
    }

    private static void identity(PostfixFiles in, ImportDraft out) {
        PostfixSetting host = in.parameter("myhostname");
        out.set("hostname", SimpleValues.quoted(host.value()), host.source());
        in.given("myorigin").ifPresent(origin -> {
            String domain = origin.value().startsWith("/") ? firstLine(origin, out) : origin.value();
            if (!domain.isEmpty()) {
                out.set("maildrop.domain", SimpleValues.quoted(domain), origin.source());
            }
        });
    }

    private static String firstLine(PostfixSetting file, ImportDraft out) {
        try {
            return Files.readString(Path.of(file.value())).lines().findFirst().orElse("").strip();
        } catch (IOException unreadable) {
            out.mistake(file.place(), file.name(), Files.exists(Path.of(file.value()))
                    ? file.value() + " cannot be read"
                    : "there is no file " + file.value());
            return "";
        }
    }

    private static void domains(String setting, PostfixSetting parameter, PostfixFiles in, ImportDraft out) {
        for (String word : parameter.words()) {
            if (word.startsWith("/") && !word.contains(":")) {
                firstLines(word, parameter, out).forEach(domain -> domain(setting, domain, parameter, out));
            } else if (word.contains(":") || word.startsWith("/")) {
                in.table(word, parameter).ifPresent(table -> table.listed().ifPresentOrElse(
                        entries -> entries.stream().map(TableEntry::key).filter(key -> !key.contains("@"))
                                .forEach(key -> domain(setting, key, parameter, out)),
                        () -> out.notMapped(parameter, "the domains of " + word
                                + " cannot be listed; write them into " + setting)));
            } else {
                domain(setting, word, parameter, out);
            }
        }
    }

    /// A file of domains, one on each line.
    private static List<String> firstLines(String file, PostfixSetting parameter, ImportDraft out) {
        try {
            return PostfixText.lines(Path.of(file)).stream().map(line -> line.text().split("\\s+")[0]).toList();
        } catch (PostfixText.NoText unreadable) {
            out.mistake(parameter.place(), parameter.name(), String.valueOf(unreadable.getMessage()));
            return List.of();
        }
    }

    private static void domain(String setting, String domain, PostfixSetting parameter, ImportDraft out) {
        if (Address.isDomain(domain)) {
            out.add(setting, SimpleValues.quoted(domain), parameter.source());
        } else {
            out.notMapped(parameter, "\"" + domain + "\" is not a domain");
        }
    }

    /// The setting concerns all local domains, so one transport can have it.
    private static void delivery(PostfixSetting transport, PostfixFiles in, ImportDraft out) {
        String value = transport.value();
        Optional<String> lmtp = lmtp(value, in.value("queue_directory"));
        if (USUAL_TRANSPORTS.contains(value) || value.startsWith("local:")) {
            return;
        }
        if (lmtp.isEmpty()) {
            out.notMapped(transport, "\"" + value + "\" is neither LMTP nor local delivery; mail runs no programs, so"
                    + " let the mail store take LMTP: local.delivery = \"lmtp:unix:/run/dovecot/lmtp\"");
        } else if (out.has(DELIVERY) && !out.items(DELIVERY).contains(SimpleValues.quoted(lmtp.get()))) {
            out.notMapped(transport, "all local domains have one delivery, and an earlier line gave another");
        } else {
            out.set(DELIVERY, SimpleValues.quoted(lmtp.get()), transport.source());
        }
    }

    /// `lmtp:unix:path`, `lmtp:inet:host:port`, `lmtp:[host]:port` or `lmtp:host:port` as ours.
    static Optional<String> lmtp(String value, String queueFolder) {
        if (!value.startsWith("lmtp:")) {
            return Optional.empty();
        }
        String target = value.substring(5);
        if (target.startsWith("unix:")) {
            return Optional.of("lmtp:unix:" + Path.of(queueFolder).resolve(target.substring(5)));
        }
        String host = target.startsWith("inet:") ? target.substring(5) : target;
        return RelayHost.parse(host, "24").map(hop -> "lmtp:" + hop.host() + ":" + hop.port());
    }

    /// Domains of other servers. Behind LMTP they are local domains, as in the backup MX of docs/cookbook.md.
    private static void relayDomains(PostfixFiles in, ImportDraft out) {
        Optional<PostfixSetting> transport = in.given("relay_transport");
        Optional<PostfixSetting> recipients = in.given("relay_recipient_maps");
        Optional<PostfixSetting> relayed = in.given("relay_domains");
        List<String> others = relayed.map(PostfixSetting::words).orElse(List.of()).stream()
                .filter(word -> !in.parameter("mydestination").words().contains(word)).toList();
        boolean byLmtp = transport.filter(each -> lmtp(each.value(), "/").isPresent()).isPresent();
        if (others.isEmpty() || relayed.isEmpty()) {
            return;
        }
        if (!byLmtp || out.has(DELIVERY)) {
            domains(RELAYED, relayed.get(), in, out);
            out.items(DOMAINS).forEach(local -> out.removeItem(RELAYED, local));
            recipients.filter(each -> !each.value().isEmpty()).ifPresent(each -> {
                out.set("relay.verify", "true", each.source());
                out.notMapped(each, "the table is not read: relay.verify asks the next server for each name");
            });
            return;
        }
        domains(DOMAINS, relayed.get(), in, out);
        delivery(transport.get(), in, out);
        recipients.ifPresentOrElse(each -> keys(each, in, out), () -> {
            out.add(MAILBOXES, "\"*\"", relayed.get().source());
            out.notMapped(relayed.get(), "without relay_recipient_maps every name is accepted, and spam for unknown"
                    + " ones; list the names in local.mailboxes");
        });
    }

    private static void mailboxes(PostfixFiles in, ImportDraft out) {
        in.given("virtual_mailbox_maps").ifPresent(maps -> keys(maps, in, out));
        Optional<PostfixSetting> base = in.given("virtual_mailbox_base");
        base.ifPresent(folder -> maildir(folder, in, out));
        Optional<PostfixSetting> recipients = in.given("local_recipient_maps");
        recipients.ifPresent(maps -> listed(maps, in, out));
        if (recipients.isEmpty() && !in.parameter("mydestination").words().isEmpty()) {
            users("/etc/passwd", in, out);
        }
        if (!out.has(MAILBOXES)) {
            out.set(MAILBOXES, "[]", "no users, no virtual_mailbox_maps");
        }
    }

    /// Users of the system have mail in mydestination, not in virtual domains.
    private static void users(String source, PostfixFiles in, ImportDraft out) {
        List<String> own = in.parameter("mydestination").words();
        int domains = out.items(DOMAINS).size();
        for (String user : in.users()) {
            if (domains <= own.size()) {
                out.add(MAILBOXES, SimpleValues.quoted(user), source);
            } else {
                own.stream().filter(Address::isDomain)
                        .forEach(domain -> out.add(MAILBOXES, SimpleValues.quoted(user + "@" + domain), source));
            }
        }
    }

    // Users of the system, other tables.
    private static void listed(PostfixSetting maps, PostfixFiles in, ImportDraft out) {
        for (String word : maps.words()) {
            if (word.replace("proxy:", "").equals("unix:passwd.byname")) {
                users(maps.source(), in, out);
            } else if (!in.value("alias_maps").contains(word)) {
                in.table(word, maps).ifPresent(table -> entries(table, maps, out));
            }
        }
    }

    private static void keys(PostfixSetting maps, PostfixFiles in, ImportDraft out) {
        List<PostfixTable> tables = in.tables(maps);
        tables.forEach(table -> entries(table, maps, out));
        if (tables.size() < maps.words().size() && in.value("virtual_transport").startsWith("lmtp:")) {
            out.add(MAILBOXES, "\"*\"", maps.source());
            out.notMapped(maps, "until local.mailbox-lookup = \"dovecot:/run/dovecot/auth-userdb\" asks Dovecot, every"
                    + " name is accepted");
        }
    }

    private static void entries(PostfixTable table, PostfixSetting maps, ImportDraft out) {
        table.listed().ifPresentOrElse(entries -> {
            for (TableEntry entry : entries) {
                if (entry.key().startsWith("@")) {
                    out.remark(ImportDraft.RemarkKind.NOT_MAPPED, entry.place(), maps.name(), "\"" + entry.key()
                            + "\" is no mailbox; a catch-all is a line of local.virtual-maps");
                } else {
                    out.add(MAILBOXES, SimpleValues.quoted(entry.key()), maps.source());
                }
            }
        }, () -> out.notMapped(maps, "mailboxes cannot be listed from patterns; write them into local.mailboxes"));
    }

    private static void maildir(PostfixSetting base, PostfixFiles in, ImportDraft out) {
        List<TableEntry> entries = new ArrayList<>();
        in.given("virtual_mailbox_maps").ifPresent(maps -> in.tables(maps)
                .forEach(table -> table.listed().ifPresent(entries::addAll)));
        boolean asOurs = !entries.isEmpty() && entries.stream().allMatch(entry -> {
            String[] address = entry.key().split("@", 2);
            return address.length == 2 && entry.text().equals(address[1] + "/" + address[0] + "/");
        });
        if (out.has(DELIVERY)) {
            out.remark(ImportDraft.RemarkKind.NOT_NEEDED, base.place(), base.name(),
                    "the mail store has the mailboxes");
        } else if (asOurs) {
            out.set("local.maildir", SimpleValues.quoted(base.value()), base.source());
        } else {
            out.notMapped(base,
                    "mailboxes lie in <local.maildir>/<domain>/<name>/ here, and the table has other places;"
                            + " move them, or deliver by LMTP (local.delivery)");
        }
    }

    // The default of Postfix is none, ours is "+".
    private static void delimiter(PostfixFiles in, ImportDraft out) {
        PostfixSetting delimiter = in.parameter("recipient_delimiter");
        String first = delimiter.value().isEmpty() ? "" : delimiter.value().substring(0, 1);
        out.set("local.subaddress-delimiter", SimpleValues.quoted(first), delimiter.source());
        if (delimiter.value().length() > 1) {
            out.notMapped(delimiter, "one character can delimit; \"" + first + "\" is taken");
        }
    }

    private static void noLimit(PostfixSetting limit, ImportDraft out) {
        if (limit.value().equals("0")) {
            out.remark(ImportDraft.RemarkKind.NOT_NEEDED, limit.place(), limit.name(), "mailboxes have no limit");
        } else {
            out.notMapped(limit, "mailboxes have no size here; Dovecot has quotas (docs/dovecot.md)");
        }
    }
}
