package org.slipstream.config.postfix;

import org.slipstream.config.postfix.ImportDraft.RemarkKind;
import org.slipstream.config.postfix.MainCf.PostfixSetting;
import org.slipstream.config.postfix.PostfixNames.NameRow;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Which mail is accepted: restrictions, header checks, filters.
final class PolicyTopic implements ImportTopic {
    private static final List<String> LISTS = List.of("smtpd_client_restrictions", "smtpd_helo_restrictions",
            "smtpd_sender_restrictions", "smtpd_relay_restrictions", "smtpd_recipient_restrictions",
            "smtpd_data_restrictions", "smtpd_end_of_data_restrictions", "smtpd_etrn_restrictions");
    private static final String BLOCK_LISTS = "policy.block-lists";

    @Override
    public void translate(PostfixFiles in, ImportDraft out) {
        List<String> classes = in.given("smtpd_restriction_classes").map(PostfixSetting::words).orElse(List.of());
        LISTS.forEach(name -> in.given(name).ifPresent(list -> restrictions(list, classes, out)));
        in.given("smtpd_restriction_classes").ifPresent(each -> out.notMapped(each,
                "there are no classes of restrictions; docs/security.md has the checks and their order"));
        classes.forEach(out::handled);
        in.given("maps_rbl_domains").ifPresent(lists -> lists.words()
                .forEach(zone -> out.add(BLOCK_LISTS, SimpleValues.quoted(zone), lists.source())));
        in.given("header_checks").ifPresent(checks -> in.tables(checks).forEach(
                table -> HeaderCheckLines.translate(table, checks, out)));
        in.given("postscreen_greet_wait").ifPresent(wait -> SimpleValues
                .toml("time:s", wait.value()).ifPresent(time -> out.set("policy.greeting-delay", time, wait.source())));
        in.given("postscreen_dnsbl_sites")
                .ifPresent(sites -> sites.words().forEach(site -> screened(site, sites, out)));
        in.given("smtpd_forbid_bare_newline").ifPresent(mode -> out.set("limits.bare-line-feed",
                mode.value().equals("reject") ? "\"strict\"" : "\"normalize\"", mode.source()));
        in.given("smtpd_forbid_unauth_pipelining").ifPresent(mode -> out.set("policy.strict-turns",
                Boolean.toString(mode.isYes()), mode.source()));
        for (String name : List.of("smtpd_milters", "non_smtpd_milters")) {
            in.given(name)
                    .ifPresent(milters -> out.notMapped(milters, "there are no milters; for Rspamd set policy.rspamd"));
        }
    }

    private static void restrictions(PostfixSetting list, List<String> classes, ImportDraft out) {
        List<String> words = list.words();
        boolean tagOnly = false;
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            Optional<NameRow> row = PostfixNames.RESTRICTIONS.find(word);
            String argument = takesArgument(word) && i + 1 < words.size() ? words.get(++i) : "";
            if (row.isPresent()) {
                restriction(row.get(), argument, tagOnly, list, out);
            } else if (!classes.contains(word) && !word.contains(":") && !word.startsWith("/")) {
                out.mistake(list.place(), list.name(), "\"" + word + "\" is no restriction that Postfix knows"
                        + PostfixNames.RESTRICTIONS.near(word).map(near -> "; did you mean \"" + near + "\"?")
                                .orElse(""));
            }
            tagOnly = word.equals("warn_if_reject");
        }
    }

    /// The restrictions that bind a user to addresses; a port of `master.cf` may have them too.
    static boolean senderMustBelong(String word) {
        return Set.of("reject_sender_login_mismatch", "reject_authenticated_sender_login_mismatch",
                "reject_known_sender_login_mismatch").contains(word);
    }

    private static boolean takesArgument(String word) {
        return word.startsWith("check_") || word.startsWith("reject_rbl") || word.startsWith("reject_rhsbl")
                || word.startsWith("permit_dnswl") || word.startsWith("permit_rhswl") || word.equals("sleep");
    }

    private static void restriction(NameRow row, String argument, boolean tagOnly, PostfixSetting list,
            ImportDraft out) {
        switch (row.pattern()) {
            case "reject_rbl_client" -> blockList(argument, tagOnly, list, out);
            case "reject_unknown_sender_domain" -> out.set("policy.sender-domain", "true", list.source());
            case "reject_unauth_pipelining" -> out.set("policy.strict-turns", "true", list.source());
            case String word when senderMustBelong(word) ->
                out.replace("submission.sender-must-belong", "true", list.source());
            // Domains with mailboxes elsewhere are known by now.
            case String word when word.equals("reject_unverified_recipient") && (out.has("relay.domains")
                    || out.items("local.delivery").toString().contains("lmtp:")) ->
                out.set("relay.verify", "true", list.source());
            case "sleep" -> SimpleValues.toml("time:s", argument)
                    .ifPresent(time -> out.set("policy.greeting-delay", time, list.source()));
            case "check_policy_service" -> policyService(argument, list, out);
            case "warn_if_reject", "reject_maps_rbl" -> {
                // The next word, or maps_rbl_domains, has the lists.
            }
            case "reject" -> out.notMapped(list, "a port for strangers that refuses all of them is"
                    + " listen.smtp = \"off\"");
            default -> {
                if (row.needed()) {
                    out.notMapped(list,
                            row.pattern() + (argument.isEmpty() ? "" : " " + argument) + " is not supported."
                                    + " " + row.note());
                }
            }
        }
    }

    private static void blockList(String argument, boolean tagOnly, PostfixSetting list, ImportDraft out) {
        String zone = argument.replaceFirst("=.*", "");
        out.add(BLOCK_LISTS, SimpleValues.quoted(tagOnly ? zone + " tag" : zone), list.source());
        if (argument.contains("=")) {
            out.notMapped(list, "the addresses in \"" + argument + "\" are not compared: each answer of " + zone
                    + " counts");
        }
    }

    private static void policyService(String service, PostfixSetting list, ImportDraft out) {
        if (service.endsWith(":10023") || service.contains("postgrey")) {
            out.set("policy.greylisting", "true", list.source());
        } else {
            out.notMapped(list, "check_policy_service " + service + " is not supported; there are no policy services");
        }
    }

    // `zone=127.0.0.[2..4]*3`; negative weights are lists of good clients.
    private static void screened(String site, PostfixSetting sites, ImportDraft out) {
        if (site.matches(".*\\*-[0-9]+")) {
            out.notMapped(sites, "lists of good clients are not asked: " + site);
        } else {
            out.add(BLOCK_LISTS, SimpleValues.quoted(site.replaceFirst("[=*].*", "")), sites.source());
            if (site.matches(".*[=*].*")) {
                out.remark(RemarkKind.NOT_MAPPED, sites.place(), sites.name(), "weights and addresses are not"
                        + " compared: each answer of " + site.replaceFirst("[=*].*", "") + " counts");
            }
        }
    }
}
