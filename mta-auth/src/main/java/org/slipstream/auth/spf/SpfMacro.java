package org.slipstream.auth.spf;

import org.slipstream.auth.spf.MacroText.MacroPart;
import org.slipstream.core.dns.AddressText;
import org.slipstream.core.dns.DomainName;
import org.slipstream.core.dns.ReverseName;
import org.slipstream.core.text.Ascii;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/// Expands macros (RFC 7208 section 7).
///
/// @param domain the current domain of the evaluation
/// @param name the confirmed name of the client, which costs lookups: asked for by `%{p}` only
record SpfMacro(SpfQuestion question, String domain, Supplier<String> name) {
    /// The name of a domain-spec, at most 253 characters: labels are dropped from the left.
    String name(MacroText spec) {
        String name = text(spec);
        int cut = name.length() - DomainName.LONGEST;
        if (cut <= 0) {
            return name;
        }
        return name.substring(name.charAt(cut - 1) == '.' ? cut : name.indexOf('.', cut) + 1);
    }

    String text(MacroText spec) {
        StringBuilder out = new StringBuilder();
        for (MacroPart part : spec.parts()) {
            out.append(switch (part) {
                case MacroPart.Literal(String text) -> text;
                case MacroPart.Macro macro -> transformed(macro);
            });
        }
        return out.toString();
    }

    private String transformed(MacroPart.Macro macro) {
        List<String> parts = split(value(macro.letter()), macro.delimiters());
        if (macro.reversed()) {
            Collections.reverse(parts);
        }
        int keep = macro.keep() == 0 ? parts.size() : Math.min(parts.size(), macro.keep());
        String text = String.join(".", parts.subList(parts.size() - keep, parts.size()));
        return macro.escaped() ? escaped(text) : text;
    }

    private static List<String> split(String text, String delimiters) {
        List<String> parts = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            if (delimiters.indexOf(text.charAt(i)) >= 0) {
                parts.add(text.substring(from, i));
                from = i + 1;
            }
        }
        parts.add(text.substring(from));
        return parts;
    }

    /// All but the unreserved characters of RFC 3986 section 2.3.
    private static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A").replace("%7E",
                "~");
    }

    private String value(char letter) {
        InetAddress client = question.client();
        return switch (letter) {
            case 's' -> question.sender();
            case 'l' -> question.localPart();
            case 'o' -> question.domain();
            case 'd' -> domain;
            case 'i' -> Ascii.upper(ReverseName.dotted(client));
            case 'c' -> AddressText.of(client);
            case 'v' -> client instanceof Inet4Address ? "in-addr" : "ip6";
            case 'h' -> question.helo();
            case 'r' -> question.receiver();
            case 't' -> String.valueOf(question.now().getEpochSecond());
            default -> name.get();
        };
    }
}
