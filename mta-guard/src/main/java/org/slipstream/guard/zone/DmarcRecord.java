package org.slipstream.guard.zone;

import org.slipstream.core.text.TagList;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A DMARC record after parsing (RFC 7489 section 6.3).
///
/// @param policy of the domain: `none`, `quarantine` or `reject`
/// @param reports mail addresses of aggregate reports
record DmarcRecord(String policy, List<String> reports) {
    static final String VERSION = "DMARC1";
    private static final Pattern URI = Pattern.compile("mailto:([^!,@]+@[^!,@]+)(?:![0-9]+[kmgt]?)?",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern ANY_URI = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:[^!,]+(?:![0-9]+[KkMmGgTt]?)?");
    /// Other tags are ignored, as the RFC requires.
    private static final Map<String, Pattern> VALUES = Map.of("p", Pattern.compile("none|quarantine|reject"), "sp",
            Pattern.compile("none|quarantine|reject"), "adkim", Pattern.compile("r|s"), "aspf",
            Pattern.compile("r|s"), "pct", Pattern.compile("[0-9]|[1-9][0-9]|100"), "ri",
            Pattern.compile("[0-9]{1,10}"), "fo", Pattern.compile("[01ds](?::[01ds])*"), "rf",
            Pattern.compile("[A-Za-z0-9-]+(?::[A-Za-z0-9-]+)*"));

    DmarcRecord {
        reports = List.copyOf(reports);
    }

    /// The result of [#parse].
    sealed interface DmarcParse {
        record Good(DmarcRecord record) implements DmarcParse {}

        /// @param what the sentence about the tag
        record Wrong(String what) implements DmarcParse {}
    }

    /// True for a text that is meant as DMARC.
    static boolean isDmarc(String text) {
        return text.matches("(?s)v\\s*=\\s*" + VERSION + "\\s*(?:;.*)?");
    }

    static DmarcParse parse(String text) {
        Optional<TagList> list = TagList.parse(text);
        if (list.isEmpty() || !list.get().isVersion(VERSION)) {
            return new DmarcParse.Wrong("the record is not a list \"v=DMARC1; p=…\" of tags that stand once each");
        }
        TagList tags = list.get();
        for (Map.Entry<String, String> tag : tags.tags().entrySet()) {
            Pattern values = VALUES.get(tag.getKey());
            if (values != null && !values.matcher(tag.getValue()).matches()) {
                return new DmarcParse.Wrong("\"" + tag.getKey() + "=" + tag.getValue() + "\" has no valid value");
            }
        }
        if (tags.get("p").isEmpty()) {
            return new DmarcParse.Wrong("the tag \"p\" is missing");
        }
        List<String> reports = new ArrayList<>();
        for (String tag : List.of("rua", "ruf")) {
            for (String uri : uris(tags.get(tag))) {
                if (!ANY_URI.matcher(uri).matches()) {
                    return new DmarcParse.Wrong("\"" + tag + "=" + uri + "\" is not a URI such as"
                            + " \"mailto:postmaster@example.org\"");
                }
                Matcher mail = URI.matcher(uri);
                if (tag.equals("rua") && mail.matches()) {
                    reports.add(mail.group(1));
                }
            }
        }
        return new DmarcParse.Good(new DmarcRecord(tags.get("p").get(), reports));
    }

    private static List<String> uris(Optional<String> value) {
        return value.stream().flatMap(text -> Arrays.stream(text.split(",", -1))).map(String::strip).toList();
    }
}
