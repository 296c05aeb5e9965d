package org.slipstream.auth.spf;

import org.slipstream.core.Network;
import org.slipstream.core.text.Ascii;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// An SPF record after parsing (RFC 7208 sections 4.6 and 12). A record with one wrong term is
/// wrong as a whole: receivers answer "permerror" whatever the other terms say.
///
/// @param directives in their order
/// @param redirect the domain-spec of `redirect=`
/// @param explanation the domain-spec of `exp=`
public record SpfRecord(List<SpfDirective> directives, Optional<MacroText> redirect, Optional<MacroText> explanation) {
    public static final String VERSION = "v=spf1";
    /// Longer records are wrong. The RFC wants them below 450 octets (section 3.4).
    static final int LONGEST = 16 << 10;
    private static final int LONGEST_QUOTED = 100;

    public SpfRecord {
        directives = List.copyOf(directives);
    }

    /// The verdict of a directive that matches.
    public enum Qualifier {
        PASS('+'), FAIL('-'), SOFT_FAIL('~'), NEUTRAL('?');

        final char letter;

        Qualifier(char letter) {
            this.letter = letter;
        }

        static Optional<Qualifier> of(char letter) {
            return Arrays.stream(values()).filter(each -> each.letter == letter).findFirst();
        }
    }

    /// A qualifier and a mechanism.
    ///
    /// @param text as written
    public record SpfDirective(Qualifier qualifier, SpfMechanism mechanism, String text) {}

    /// The test of a directive. A domain-spec may have macros; empty: the current domain.
    public sealed interface SpfMechanism {
        record All() implements SpfMechanism {}

        record Include(MacroText domain) implements SpfMechanism {}

        record A(Optional<MacroText> domain, int prefixV4, int prefixV6) implements SpfMechanism {}

        record Mx(Optional<MacroText> domain, int prefixV4, int prefixV6) implements SpfMechanism {}

        record Ptr(Optional<MacroText> domain) implements SpfMechanism {}

        record Ip(Network network) implements SpfMechanism {}

        record Exists(MacroText domain) implements SpfMechanism {}
    }

    /// The result of [#parse].
    public sealed interface SpfParse {
        record Good(SpfRecord record) implements SpfParse {}

        /// @param what the sentence about the term
        record Wrong(String what) implements SpfParse {}
    }

    /// True for a text that is meant as SPF: `v=spf1` alone, or before a blank (section 4.5).
    public static boolean isSpf(String text) {
        String lower = Ascii.lower(text.length() > VERSION.length() ? text.substring(0, VERSION.length() + 1) : text);
        return lower.equals(VERSION) || lower.equals(VERSION + " ");
    }

    public static SpfParse parse(String text) {
        if (text.length() > LONGEST) {
            return new SpfParse.Wrong("the text is longer than " + LONGEST + " characters");
        }
        return new Parse().record(text.substring(VERSION.length()).split(" +"));
    }

    /// Reads one record.
    private static final class Parse {
        private final List<SpfDirective> directives = new ArrayList<>();
        private Optional<MacroText> redirect = Optional.empty();
        private Optional<MacroText> explanation = Optional.empty();

        SpfParse record(String[] words) {
            for (String word : words) {
                Optional<String> fault = word.isEmpty() ? Optional.empty() : fault(word);
                if (fault.isPresent()) {
                    return new SpfParse.Wrong(fault.get());
                }
            }
            return new SpfParse.Good(new SpfRecord(directives, redirect, explanation));
        }

        private Optional<String> fault(String word) {
            Optional<Qualifier> qualifier = Qualifier.of(word.charAt(0));
            int from = qualifier.isPresent() ? 1 : 0;
            int end = nameEnd(word, from);
            String name = Ascii.lower(word.substring(from, end));
            String rest = word.substring(end);
            if (name.isEmpty() || !rest.isEmpty() && ":/=".indexOf(rest.charAt(0)) < 0) {
                return Optional.of(quoted(word) + " is not a term");
            }
            if (rest.startsWith("=")) {
                return qualifier.isEmpty()
                        ? modifier(name, rest.substring(1), word)
                        : Optional.of(quoted(word) + " is not a modifier");
            }
            Optional<SpfMechanism> mechanism = mechanism(name, rest);
            mechanism.ifPresent(found -> directives
                    .add(new SpfDirective(qualifier.orElse(Qualifier.PASS), found, shortened(word))));
            return mechanism.isPresent() ? Optional.empty() : Optional.of(quoted(word) + " is not a mechanism");
        }

        private Optional<String> modifier(String name, String value, String word) {
            boolean known = name.equals("redirect") || name.equals("exp");
            Optional<MacroText> text = known ? spec(value) : MacroText.parse(value, MacroText.LETTERS);
            if (text.isEmpty()) {
                return Optional.of(quoted(word) + " is not a modifier");
            }
            if (known && (name.equals("exp") ? explanation : redirect).isPresent()) {
                return Optional.of("\"" + name + "=\" stands twice");
            }
            redirect = name.equals("redirect") ? text : redirect;
            explanation = name.equals("exp") ? text : explanation;
            return Optional.empty();
        }

        private static int nameEnd(String word, int from) {
            int at = from;
            while (at < word.length() && (isLetter(word.charAt(at))
                    || at > from && (isDigit(word.charAt(at)) || "-_.".indexOf(word.charAt(at)) >= 0))) {
                at++;
            }
            return at;
        }
    }

    private static String quoted(String word) {
        return "\"" + shortened(word) + "\"";
    }

    private static String shortened(String word) {
        return word.length() > LONGEST_QUOTED ? word.substring(0, LONGEST_QUOTED) + "…" : word;
    }

    private static Optional<SpfMechanism> mechanism(String name, String rest) {
        return switch (name) {
            case "all" -> rest.isEmpty() ? Optional.of(new SpfMechanism.All()) : Optional.empty();
            case "include" -> domain(rest).map(SpfMechanism.Include::new);
            case "exists" -> domain(rest).map(SpfMechanism.Exists::new);
            case "ptr" -> rest.isEmpty()
                    ? Optional.of(new SpfMechanism.Ptr(Optional.empty()))
                    : domain(rest).map(domain -> new SpfMechanism.Ptr(Optional.of(domain)));
            case "ip4" -> network(rest, false);
            case "ip6" -> network(rest, true);
            case "a", "mx" -> hosts(name, rest);
            default -> Optional.empty();
        };
    }

    /// `[":" domain-spec] ["/" bits] ["//" bits]`. A slash may also be a delimiter of a macro, so the
    /// prefixes are looked for from the end.
    private static Optional<SpfMechanism> hosts(String name, String rest) {
        String spec = rest;
        int six = 128;
        int four = 32;
        int digits = digitsFrom(spec);
        if (digits < spec.length() && spec.startsWith("//", digits - 2)) {
            six = bits(spec.substring(digits), 128);
            spec = spec.substring(0, digits - 2);
            digits = digitsFrom(spec);
        }
        if (digits < spec.length() && spec.startsWith("/", digits - 1)) {
            four = bits(spec.substring(digits), 32);
            spec = spec.substring(0, digits - 1);
        }
        Optional<MacroText> domain = domain(spec);
        if (!spec.isEmpty() && domain.isEmpty() || four < 0 || six < 0) {
            return Optional.empty();
        }
        return Optional.of(name.equals("a")
                ? new SpfMechanism.A(domain, four, six)
                : new SpfMechanism.Mx(domain, four, six));
    }

    /// The place of the digits that end the text.
    private static int digitsFrom(String text) {
        int at = text.length();
        while (at > 0 && isDigit(text.charAt(at - 1))) {
            at--;
        }
        return at;
    }

    /// Negative for a number that is too large or begins with a needless zero.
    private static int bits(String digits, int most) {
        if (digits.length() > 3 || digits.length() > 1 && digits.startsWith("0")) {
            return -1;
        }
        int bits = Integer.parseInt(digits);
        return bits > most ? -1 : bits;
    }

    private static Optional<SpfMechanism> network(String rest, boolean six) {
        int slash = rest.indexOf('/');
        int most = six ? 128 : 32;
        String address = rest.substring(Math.min(1, rest.length()), slash < 0 ? rest.length() : slash);
        if (!rest.startsWith(":") || slash >= 0 && !isPrefix(rest.substring(slash + 1), most)
                || address.contains(":") != six || address.contains("%")) {
            return Optional.empty();
        }
        int bits = slash < 0 ? most : Integer.parseInt(rest.substring(slash + 1));
        return Network.parse(address).map(Network::base)
                .map(base -> new SpfMechanism.Ip(new Network(six ? sixteenOctets(base) : base, bits)));
    }

    /// Java makes an IPv4 address of `::ffff:192.0.2.1`, and here it is an IPv6 network, which no
    /// client is in.
    private static InetAddress sixteenOctets(InetAddress base) {
        byte[] octets = new byte[16];
        octets[10] = (byte) 0xff;
        octets[11] = (byte) 0xff;
        byte[] given = base.getAddress();
        System.arraycopy(given, 0, octets, 16 - given.length, given.length);
        try {
            return Inet6Address.getByAddress(null, octets, -1);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static boolean isPrefix(String text, int most) {
        return !text.isEmpty() && digitsFrom(text) == 0 && bits(text, most) >= 0;
    }

    private static Optional<MacroText> domain(String rest) {
        return rest.startsWith(":") ? spec(rest.substring(1)) : Optional.empty();
    }

    /// A domain-spec: a macro-string that ends with a macro or with a top label.
    private static Optional<MacroText> spec(String text) {
        return MacroText.parse(text, MacroText.LETTERS).filter(macro -> macro.endsWithMacro() || endsWithTop(text));
    }

    private static boolean endsWithTop(String text) {
        String name = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        int dot = name.lastIndexOf('.');
        String top = name.substring(dot + 1);
        return dot >= 0 && !top.isEmpty() && !top.startsWith("-") && !top.endsWith("-")
                && top.chars().allMatch(c -> isLetter((char) c) || isDigit((char) c) || c == '-')
                && top.chars().anyMatch(c -> !isDigit((char) c));
    }

    private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
