package org.slipstream.guard.zone;

import org.slipstream.core.Network;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An SPF record after parsing (RFC 7208 sections 4.6 and 12). A record with one wrong term is
/// wrong as a whole: receivers answer "permerror" whatever the other terms say.
///
/// @param directives in their order
/// @param redirect the domain-spec of `redirect=`
record SpfRecord(List<SpfDirective> directives, Optional<String> redirect) {
    static final String VERSION = "v=spf1";

    // RFC 7208 section 7.1: macro-string, and its end.
    private static final String MACRO = "%\\{[A-Za-z][0-9]*r?[-.+,/_=]*\\}|%%|%_|%-";
    private static final Pattern MACRO_STRING = Pattern.compile("(?:[!-$&-~]|" + MACRO + ")*");
    private static final Pattern MACRO_LETTER = Pattern.compile("%\\{([A-Za-z])([0-9]*)");
    private static final Pattern DOMAIN_END = Pattern.compile(
            "(?s).*(?:\\.(?:[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*|[A-Za-z0-9]+-[A-Za-z0-9-]*[A-Za-z0-9])\\.?|" + MACRO
                    + ")");
    private static final Pattern TERM = Pattern.compile("(?<qualifier>[-+?~]?)(?<name>[A-Za-z][A-Za-z0-9_.-]*)"
            + "(?<rest>(?:[:/=].*)?)");
    private static final Pattern DUAL_CIDR = Pattern.compile(
            "(?<domain>.*?)(?:/(?<four>0|[1-9][0-9]?))?(?://(?<six>0|[1-9][0-9]{0,2}))?");

    SpfRecord {
        directives = List.copyOf(directives);
    }

    /// The verdict of a directive that matches.
    enum Qualifier {
        PASS('+'), FAIL('-'), SOFT_FAIL('~'), NEUTRAL('?');

        final char letter;

        Qualifier(char letter) {
            this.letter = letter;
        }

        static Qualifier of(String letter) {
            for (Qualifier each : values()) {
                if (letter.equals(String.valueOf(each.letter))) {
                    return each;
                }
            }
            return PASS;
        }
    }

    /// A qualifier and a mechanism.
    ///
    /// @param text as written
    record SpfDirective(Qualifier qualifier, SpfMechanism mechanism, String text) {}

    /// The test of a directive. A domain-spec may have macros; empty: the current domain.
    sealed interface SpfMechanism {
        record All() implements SpfMechanism {}

        record Include(String domain) implements SpfMechanism {}

        record A(Optional<String> domain, int prefixV4, int prefixV6) implements SpfMechanism {}

        record Mx(Optional<String> domain, int prefixV4, int prefixV6) implements SpfMechanism {}

        record Ptr(Optional<String> domain) implements SpfMechanism {}

        record Ip(Network network) implements SpfMechanism {}

        record Exists(String domain) implements SpfMechanism {}
    }

    /// The result of [#parse].
    sealed interface SpfParse {
        record Good(SpfRecord record) implements SpfParse {}

        /// @param what the sentence about the term
        record Wrong(String what) implements SpfParse {}
    }

    /// True for a text that is meant as SPF: `v=spf1` alone, or before a blank (section 4.5).
    static boolean isSpf(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        return lower.equals(VERSION) || lower.startsWith(VERSION + " ");
    }

    static SpfParse parse(String text) {
        List<SpfDirective> directives = new ArrayList<>();
        Optional<String> redirect = Optional.empty();
        boolean explained = false;
        for (String word : text.substring(VERSION.length()).split(" +")) {
            if (word.isEmpty()) {
                continue;
            }
            Matcher term = TERM.matcher(word);
            if (!term.matches()) {
                return new SpfParse.Wrong("\"" + word + "\" is not a term");
            }
            String rest = term.group("rest");
            if (!rest.startsWith("=")) {
                Optional<SpfMechanism> mechanism = mechanism(term.group("name").toLowerCase(Locale.ROOT), rest);
                if (mechanism.isEmpty()) {
                    return new SpfParse.Wrong("\"" + word + "\" is not a mechanism");
                }
                directives.add(new SpfDirective(Qualifier.of(term.group("qualifier")), mechanism.get(), word));
                continue;
            }
            String name = term.group("name").toLowerCase(Locale.ROOT);
            String value = rest.substring(1);
            boolean known = name.equals("redirect") || name.equals("exp");
            if (!term.group("qualifier").isEmpty() || !isMacroString(value) || known && !isDomainSpec(value)) {
                return new SpfParse.Wrong("\"" + word + "\" is not a modifier");
            }
            if (name.equals("redirect") && redirect.isPresent() || name.equals("exp") && explained) {
                return new SpfParse.Wrong("\"" + name + "=\" stands twice");
            }
            explained |= name.equals("exp");
            redirect = name.equals("redirect") ? Optional.of(value) : redirect;
        }
        return new SpfParse.Good(new SpfRecord(directives, redirect));
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

    private static Optional<SpfMechanism> hosts(String name, String rest) {
        Matcher cidr = DUAL_CIDR.matcher(rest);
        if (!cidr.matches()) {
            return Optional.empty();
        }
        String spec = cidr.group("domain");
        Optional<String> domain = domain(spec);
        int four = Optional.ofNullable(cidr.group("four")).map(Integer::parseInt).orElse(32);
        int six = Optional.ofNullable(cidr.group("six")).map(Integer::parseInt).orElse(128);
        if (!spec.isEmpty() && domain.isEmpty() || four > 32 || six > 128) {
            return Optional.empty();
        }
        return Optional.of(name.equals("a")
                ? new SpfMechanism.A(domain, four, six)
                : new SpfMechanism.Mx(domain, four, six));
    }

    private static Optional<SpfMechanism> network(String rest, boolean six) {
        return Optional.of(rest).filter(text -> text.startsWith(":") && !text.matches(".*/0[0-9].*"))
                .flatMap(text -> Network.parse(text.substring(1)))
                .filter(network -> rest.substring(1).contains(":") == six).map(SpfMechanism.Ip::new);
    }

    private static Optional<String> domain(String rest) {
        return Optional.of(rest).filter(text -> text.startsWith(":") && isDomainSpec(text.substring(1)))
                .map(text -> text.substring(1));
    }

    private static boolean isDomainSpec(String text) {
        return isMacroString(text) && DOMAIN_END.matcher(text).matches();
    }

    // Letters c, r and t are for explanations only (section 7.2); a count of zero labels is no count.
    private static boolean isMacroString(String text) {
        return MACRO_STRING.matcher(text).matches() && MACRO_LETTER.matcher(text).results()
                .allMatch(macro -> "slodiphv".contains(macro.group(1).toLowerCase(Locale.ROOT))
                        && !macro.group(2).matches("0+"));
    }
}
