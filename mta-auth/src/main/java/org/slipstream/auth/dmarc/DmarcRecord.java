package org.slipstream.auth.dmarc;

import org.slipstream.auth.report.ReportUri;
import org.slipstream.core.Address;
import org.slipstream.core.text.Ascii;
import org.slipstream.core.text.TagList;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// A DMARC record after parsing (RFC 9989 sections 4.7 and 4.8). Tags that the RFC does not know are
/// ignored, among them `pct`, `rf` and `ri` of RFC 7489, and so is a value that is wrong.
///
/// @param policy `p=`. A record with a wrong policy is read as "none" when it asks for reports; otherwise
/// it has none and is not applied (section 4.10.1)
/// @param ofSubdomains `sp=`
/// @param ofMissing `np=`, of subdomains that do not exist
/// @param suffix `psd=`
/// @param testing `t=y`
/// @param reports mail addresses of aggregate reports, at most ten
/// @param faults sentences about what is wrong with it
public record DmarcRecord(Optional<DmarcPolicy> policy, Optional<DmarcPolicy> ofSubdomains,
        Optional<DmarcPolicy> ofMissing, Alignment dkim, Alignment spf, SuffixFlag suffix, boolean testing,
        List<Address> reports, List<String> faults) {
    private static final String VERSION = "DMARC1";
    private static final int MOST_REPORTS = 10;
    private static final int MOST_FAULTS = 10;
    private static final int LONGEST_QUOTED = 100;
    private static final Pattern POLICY = Pattern.compile("none|quarantine|reject", Pattern.CASE_INSENSITIVE);
    private static final Pattern MODE = Pattern.compile("[rs]", Pattern.CASE_INSENSITIVE);
    private static final Map<String, Pattern> VALUES = Map.of("p", POLICY, "sp", POLICY, "np", POLICY, "adkim", MODE,
            "aspf", MODE, "psd", Pattern.compile("[ynu]", Pattern.CASE_INSENSITIVE), "t",
            Pattern.compile("[yn]", Pattern.CASE_INSENSITIVE), "fo",
            Pattern.compile("[01ds](?::[01ds]){0,3}", Pattern.CASE_INSENSITIVE));
    private static final Pattern ANY_URI = Pattern
            .compile("[A-Za-z][A-Za-z0-9+.-]*+:[^!,\\s]++(?:![0-9]++[KkMmGgTt]?)?");

    public DmarcRecord {
        reports = List.copyOf(reports);
        faults = List.copyOf(faults);
    }

    /// How near the authenticated domain must be to the author's.
    public enum Alignment {
        /// The same organizational domain.
        RELAXED,
        /// The same domain.
        STRICT
    }

    /// Whether subdomains belong to other owners.
    public enum SuffixFlag {
        PUBLIC_SUFFIX, ORGANIZATION, UNKNOWN
    }

    /// True for a text that is meant as DMARC: the first tag is the version.
    public static boolean isDmarc(String text) {
        // A policy of another kind may lie at the same name, and be as long as it likes.
        String start = text.substring(0, Math.min(text.length(), 100));
        int end = start.indexOf(';');
        return TagList.read(end < 0 ? start : start.substring(0, end)).isVersion(VERSION);
    }

    /// @param text with [#isDmarc]
    public static DmarcRecord parse(String text) {
        TagList tags = TagList.read(text);
        List<String> faults = new ArrayList<>();
        tags.faults().stream().limit(MOST_FAULTS).forEach(part -> faults.add(quoted(part)
                + " is not a tag with its value, or stands twice"));
        for (Map.Entry<String, Pattern> known : VALUES.entrySet().stream().sorted(Map.Entry.comparingByKey())
                .toList()) {
            tags.get(known.getKey()).filter(value -> !known.getValue().matcher(value).matches())
                    .ifPresent(value -> faults.add(quoted(known.getKey() + "=" + value) + " has no valid value"));
        }
        if (tags.get("p").isEmpty()) {
            faults.add("the tag \"p\" is missing");
        }
        uris(tags, "ruf", faults);
        List<String> uris = uris(tags, "rua", faults);
        List<Address> reports = uris.stream().flatMap(uri -> ReportUri.mailbox(uri).stream()).toList();
        boolean isWrong = policy(tags, "p").isEmpty() || isWrong(tags, "sp") || isWrong(tags, "np");
        Optional<DmarcPolicy> policy = isWrong
                ? Optional.of(DmarcPolicy.NONE).filter(_ -> !uris.isEmpty())
                : policy(tags, "p");
        return new DmarcRecord(policy, isWrong ? Optional.empty() : policy(tags, "sp"),
                isWrong ? Optional.empty() : policy(tags, "np"), mode(tags, "adkim"), mode(tags, "aspf"),
                switch (value(tags, "psd")) {
                    case "y" -> SuffixFlag.PUBLIC_SUFFIX;
                    case "n" -> SuffixFlag.ORGANIZATION;
                    default -> SuffixFlag.UNKNOWN;
                }, value(tags, "t").equals("y"), reports, faults);
    }

    /// @param isSubdomain the author's domain is below that of the record
    /// @param exists the author's domain does
    DmarcPolicy policyFor(boolean isSubdomain, boolean exists) {
        Optional<DmarcPolicy> below = exists ? ofSubdomains : ofMissing.or(() -> ofSubdomains);
        return (isSubdomain ? below.or(() -> policy) : policy).orElse(DmarcPolicy.NONE);
    }

    private static Optional<DmarcPolicy> policy(TagList tags, String tag) {
        return tags.get(tag).filter(value -> POLICY.matcher(value).matches())
                .map(value -> DmarcPolicy.valueOf(Ascii.upper(value)));
    }

    private static boolean isWrong(TagList tags, String tag) {
        return tags.get(tag).isPresent() && policy(tags, tag).isEmpty();
    }

    private static Alignment mode(TagList tags, String tag) {
        return value(tags, tag).equals("s") ? Alignment.STRICT : Alignment.RELAXED;
    }

    private static String value(TagList tags, String tag) {
        return tags.get(tag).map(Ascii::lower).orElse("");
    }

    /// The good ones of a list of URIs. Sizes behind an exclamation mark are obsolete.
    private static List<String> uris(TagList tags, String tag, List<String> faults) {
        List<String> uris = new ArrayList<>();
        for (String part : tags.get(tag).map(value -> value.split(",", MOST_REPORTS + 1)).orElse(new String[0])) {
            String uri = part.strip();
            if (!ANY_URI.matcher(uri).matches()) {
                faults.add(quoted(tag + "=" + uri) + " is not a URI such as \"mailto:postmaster@example.org\"");
            } else if (uris.size() < MOST_REPORTS) {
                uris.add(uri);
            }
        }
        return uris;
    }

    private static String quoted(String text) {
        return "\"" + (text.length() > LONGEST_QUOTED ? text.substring(0, LONGEST_QUOTED) + "…" : text) + "\"";
    }
}
