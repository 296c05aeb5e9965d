package org.slipstream.auth.sts;

import org.slipstream.core.text.Ascii;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// A policy of MTA-STS (RFC 8461 section 3.2).
///
/// A key that is unknown is ignored, and of a key that stands twice the first line counts. A policy
/// with a mistake in a line that counts is none.
///
/// @param mx patterns of host names, in lower case: `mx.example.org` or `*.example.org`
/// @param maxAgeSeconds 0 to [#LONGEST_AGE_SECONDS]
public record StsPolicy(StsMode mode, List<String> mx, long maxAgeSeconds) {
    /// A longer file is no policy (RFC 8461 section 3.3 advises this size).
    public static final int MOST_OCTETS = 64 * 1024;
    /// About a year (RFC 8461 section 3.2). A longer time is cut to it.
    public static final long LONGEST_AGE_SECONDS = 31_557_600;

    /// Policies stay in memory. Large providers have five.
    static final int MOST_MX = 200;

    private static final Pattern AGE = Pattern.compile("[0-9]{1,10}");
    private static final Pattern HOST = Pattern.compile(
            "(?:\\*\\.)?[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\\.[a-z0-9_][a-z0-9_-]{0,62})*");
    private static final int LONGEST_NAME = 253;

    /// The effect of a policy.
    public enum StsMode {
        ENFORCE, TESTING, NONE;

        public String word() {
            return Ascii.lower(name());
        }
    }

    /// The result of reading a file.
    public sealed interface PolicyReading {
        record Valid(StsPolicy policy) implements PolicyReading {}

        record Invalid(String reason) implements PolicyReading {}
    }

    public StsPolicy {
        mx = List.copyOf(mx);
    }

    public static PolicyReading read(byte[] file) {
        if (file.length > MOST_OCTETS) {
            return new PolicyReading.Invalid("the policy has more than " + MOST_OCTETS + " octets");
        }
        Map<String, String> fields = new LinkedHashMap<>();
        List<String> mx = new ArrayList<>();
        for (String line : new String(file, StandardCharsets.UTF_8).split("\r?\n", -1)) {
            int colon = line.indexOf(':');
            String key = colon < 0 ? "" : line.substring(0, colon).strip();
            String value = line.substring(colon + 1).strip();
            if (colon < 0 && !line.isBlank() || line.indexOf('\r') >= 0 || line.indexOf('\0') >= 0) {
                return new PolicyReading.Invalid("a line is not of the form \"key: value\"");
            }
            switch (key) {
                case "mx" -> mx.add(Ascii.lower(value));
                case "version", "mode", "max_age" -> fields.putIfAbsent(key, value);
                default -> {
                }
            }
        }
        return checked(fields, mx);
    }

    private static PolicyReading checked(Map<String, String> fields, List<String> mx) {
        if (!"STSv1".equals(fields.get("version"))) {
            return new PolicyReading.Invalid("the policy has no \"version: STSv1\"");
        }
        Optional<StsMode> mode = mode(fields.getOrDefault("mode", ""));
        if (mode.isEmpty()) {
            return new PolicyReading.Invalid("the mode of the policy is not enforce, testing or none");
        }
        String age = fields.getOrDefault("max_age", "");
        if (!AGE.matcher(age).matches()) {
            return new PolicyReading.Invalid("the max_age of the policy is not a number of up to 10 digits");
        }
        if (mx.size() > MOST_MX) {
            return new PolicyReading.Invalid("the policy has more than " + MOST_MX + " mx");
        }
        if (mx.stream().anyMatch(name -> name.length() > LONGEST_NAME || !HOST.matcher(name).matches())) {
            return new PolicyReading.Invalid("an mx of the policy is not a host name");
        }
        if (mx.isEmpty() && mode.get() != StsMode.NONE) {
            return new PolicyReading.Invalid("the policy has no mx");
        }
        return new PolicyReading.Valid(
                new StsPolicy(mode.get(), mx, Math.min(Long.parseLong(age), LONGEST_AGE_SECONDS)));
    }

    private static Optional<StsMode> mode(String word) {
        for (StsMode each : StsMode.values()) {
            if (each.word().equals(word)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /// True when mail for the domain may go to this host. The star of a pattern stands for exactly one
    /// label (RFC 8461 section 4.1).
    public boolean permits(String host) {
        String name = Ascii.lower(host.endsWith(".") ? host.substring(0, host.length() - 1) : host);
        int dot = name.indexOf('.');
        return mx.stream().anyMatch(pattern -> pattern.equals(name)
                || pattern.startsWith("*.") && dot > 0 && pattern.substring(1).equals(name.substring(dot)));
    }

    /// The lines of the policy, as a file and as a report has them.
    public List<String> lines() {
        List<String> lines = new ArrayList<>(List.of("version: STSv1", "mode: " + mode.word()));
        mx.forEach(name -> lines.add("mx: " + name));
        lines.add("max_age: " + maxAgeSeconds);
        return lines;
    }
}
