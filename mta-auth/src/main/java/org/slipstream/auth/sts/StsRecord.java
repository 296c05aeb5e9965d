package org.slipstream.auth.sts;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The TXT record at `_mta-sts.DOMAIN`, which announces a policy and changes with it (RFC 8461 section
/// 3.1).
public final class StsRecord {
    private static final String VERSION = "v=STSv1";
    private static final Pattern FORM = Pattern
            .compile("v=STSv1[ \\t]*;(?:.{0,400}?;)?[ \\t]*id=([A-Za-z0-9]{1,32})[ \\t]*(?:;.*)?", Pattern.DOTALL);

    private StsRecord() {}

    /// The id of the policy; empty when there is no record, or not exactly one.
    public static Optional<String> id(List<String> texts) {
        List<String> ours = texts.stream()
                .filter(text -> text.startsWith(VERSION + ";") || text.startsWith(VERSION + " ")).toList();
        if (ours.size() != 1) {
            return Optional.empty();
        }
        Matcher form = FORM.matcher(ours.getFirst());
        return form.matches() ? Optional.of(form.group(1)) : Optional.empty();
    }
}
