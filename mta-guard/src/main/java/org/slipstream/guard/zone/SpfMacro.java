package org.slipstream.guard.zone;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Expands the macros of a domain-spec (RFC 7208 section 7). The result is at most 253 characters:
/// labels are dropped from the left. `%{p}` is `unknown`, as the RFC permits, because a lookup of
/// the client's name costs much and proves little.
///
/// @param sender `local-part@domain`
/// @param domain the current domain of the evaluation
/// @param helo the client's name
record SpfMacro(InetAddress address, String sender, String domain, String helo) {
    private static final Pattern MACRO = Pattern.compile("%\\{([A-Za-z])([0-9]*)(r?)([-.+,/_=]*)\\}|%%|%_|%-");
    private static final int LONGEST = 253;

    String expand(String spec) {
        Matcher macro = MACRO.matcher(spec);
        StringBuilder out = new StringBuilder();
        while (macro.find()) {
            macro.appendReplacement(out, Matcher.quoteReplacement(switch (macro.group()) {
                case "%%" -> "%";
                case "%_" -> " ";
                case "%-" -> "%20";
                default -> transformed(macro);
            }));
        }
        String name = macro.appendTail(out).toString();
        while (name.length() > LONGEST && name.indexOf('.') >= 0) {
            name = name.substring(name.indexOf('.') + 1);
        }
        return name;
    }

    private String transformed(Matcher macro) {
        String letter = macro.group(1);
        String delimiters = macro.group(4).isEmpty() ? "." : macro.group(4);
        String[] split = value(letter.toLowerCase(Locale.ROOT)).split("[" + Pattern.quote(delimiters) + "]", -1);
        List<String> parts = new ArrayList<>(Arrays.asList(split));
        if (!macro.group(3).isEmpty()) {
            Collections.reverse(parts);
        }
        int keep = macro.group(2).isEmpty() || macro.group(2).length() > 3
                ? parts.size()
                : Math.min(parts.size(), Integer.parseInt(macro.group(2)));
        String text = String.join(".", parts.subList(parts.size() - keep, parts.size()));
        return Character.isUpperCase(letter.charAt(0))
                ? URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20")
                : text;
    }

    private String value(String letter) {
        int at = sender.lastIndexOf('@');
        return switch (letter) {
            case "s" -> sender;
            case "l" -> sender.substring(0, at);
            case "o" -> sender.substring(at + 1);
            case "d" -> domain;
            case "i" -> ReverseName.dotted(address);
            case "v" -> address instanceof Inet4Address ? "in-addr" : "ip6";
            case "h" -> helo;
            default -> "unknown";
        };
    }
}
