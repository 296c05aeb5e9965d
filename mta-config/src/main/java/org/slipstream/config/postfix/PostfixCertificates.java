package org.slipstream.config.postfix;

import org.slipstream.config.postfix.ImportTopic.PostfixFiles;
import org.slipstream.config.postfix.MainCf.PostfixSetting;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The certificates and the TLS of port 25.
final class PostfixCertificates {
    private PostfixCertificates() {}

    static void translate(PostfixFiles in, ImportDraft out) {
        level(in, out);
        Optional<PostfixSetting> chains = in.given("smtpd_tls_chain_files");
        chains.ifPresent(files -> chains(files, out));
        Optional<PostfixSetting> certificate = in.given("smtpd_tls_cert_file");
        Optional<PostfixSetting> key = in.given("smtpd_tls_key_file").or(() -> certificate);
        if (certificate.isPresent() && key.isPresent() && chains.isEmpty()) {
            out.set("tls.certificate", SimpleValues.quoted(certificate.get().value()), certificate.get().source());
            out.set("tls.key", SimpleValues.quoted(key.get().value()), key.get().source());
        }
        in.given("smtpd_tls_eccert_file").ifPresent(ec -> out.add("tls.further", SimpleValues.quoted(ec.value() + " "
                + in.given("smtpd_tls_eckey_file").orElse(ec).value()), ec.source()));
        in.given("smtpd_tls_eckey_file");
        in.given("tls_server_sni_maps").ifPresent(maps -> in.tables(maps).forEach(table -> table.listed()
                .ifPresent(entries -> entries
                        .forEach(entry -> further(List.of(entry.text().split("[\\s,]+")), maps, out)))));
    }

    private static void level(PostfixFiles in, ImportDraft out) {
        in.given("smtpd_enforce_tls").filter(PostfixSetting::isYes).ifPresent(old -> refused(old, out));
        Optional<PostfixSetting> old = in.given("smtpd_use_tls");
        in.given("smtpd_tls_wrappermode").filter(PostfixSetting::isYes).ifPresent(mode -> out.notMapped(mode,
                "TLS from the first byte belongs to one port: listen.submissions"));
        PostfixSetting level = in.given("smtpd_tls_security_level").or(() -> old).orElse(null);
        if (level == null) {
            return;
        }
        switch (level.value()) {
            case "none", "no" -> out.add("tls.off", "\"smtp\"", level.source());
            case "encrypt" -> refused(level, out);
            default -> out.remark(ImportDraft.RemarkKind.NOT_NEEDED, level.place(), level.name(),
                    "STARTTLS is always offered");
        }
    }

    private static void refused(PostfixSetting level, ImportDraft out) {
        out.notMapped(level, "port 25 must take mail without TLS (RFC 3207 section 4); logins always need TLS");
    }

    /// Files with key and certificates, or a file of a key before each file of certificates.
    private static void chains(PostfixSetting files, ImportDraft out) {
        List<String> words = files.words();
        List<List<String>> pairs = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            boolean keyFirst = i + 1 < words.size() && words.get(i).matches("(?i).*key[^/]*");
            pairs.add(keyFirst ? List.of(words.get(i), words.get(++i)) : List.of(words.get(i)));
        }
        for (int i = 0; i < pairs.size(); i++) {
            if (i == 0) {
                out.set("tls.certificate", SimpleValues.quoted(pairs.get(i).getLast()), files.source());
                out.set("tls.key", SimpleValues.quoted(pairs.get(i).getFirst()), files.source());
            } else {
                further(pairs.get(i), files, out);
            }
        }
    }

    /// @param files the key first, as in Postfix
    private static void further(List<String> files, PostfixSetting source, ImportDraft out) {
        out.add("tls.further", SimpleValues.quoted(files.size() == 1
                ? files.getFirst()
                : files.getLast() + " " + files.getFirst()), source.source());
    }
}
