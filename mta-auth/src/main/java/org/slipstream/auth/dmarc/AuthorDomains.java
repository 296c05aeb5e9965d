package org.slipstream.auth.dmarc;

import org.slipstream.core.Address;
import org.slipstream.core.dns.DomainName;
import org.slipstream.core.text.Ascii;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The domains of the addresses in From (RFC 5322 section 3.6.2), as a reader may see them.
///
/// The scan takes each character once, with a counter for nested comments. It knows groups, routes,
/// quoted names, and blanks around dots. Where text breaks the grammar, it rather finds one address
/// too many: a second one that a reader's program shows must be judged, too.
///
/// @param domains in ASCII and lower case, without repetition
/// @param faults sentences about fields and addresses that have no domain
public record AuthorDomains(Set<String> domains, List<String> faults) {
    /// More domains are not judged (RFC 9989 section 11.5), and the message is a fault.
    public static final int MOST = 5;

    /// @param fields the values of all fields From, a character for each octet
    public static AuthorDomains of(List<String> fields) {
        if (fields.isEmpty()) {
            return new AuthorDomains(Set.of(), List.of("no From field"));
        }
        Scan scan = new Scan();
        for (String field : fields) {
            scan.field(Ascii.is(field)
                    ? field
                    : new String(field.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
        }
        if (fields.size() > 1) {
            scan.faults.add(fields.size() + " From fields");
        }
        if (scan.domains.size() > MOST) {
            scan.faults.add("more than " + MOST + " domains in From");
        }
        if (scan.domains.isEmpty() && scan.faults.isEmpty()) {
            scan.faults.add("no address in From");
        }
        return new AuthorDomains(scan.domains, List.copyOf(scan.faults));
    }

    private static final class Scan {
        private final Set<String> domains = new LinkedHashSet<>();
        private final Set<String> faults = new LinkedHashSet<>();
        /// The address outside angle brackets, and inside.
        private final StringBuilder bare = new StringBuilder();
        private final StringBuilder angle = new StringBuilder();
        private boolean inAngle;
        private boolean hadAngle;
        private int depth;
        private boolean quoted;

        void field(String text) {
            depth = 0;
            quoted = false;
            inAngle = false;
            for (int i = 0; i < text.length() && domains.size() <= MOST; i++) {
                char c = text.charAt(i);
                if (c == '\\' && (quoted || depth > 0)) {
                    i++;
                } else if (depth > 0) {
                    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
                } else if (c == '"') {
                    quoted = !quoted;
                    // The characters of a quoted local part do not matter, their presence does.
                    into().append('q');
                } else if (!quoted) {
                    special(c);
                }
            }
            if (quoted || depth > 0 || inAngle) {
                faults.add("an open quote, comment or bracket in From");
            }
            endAngle();
            endMailbox();
        }

        private void special(char c) {
            switch (c) {
                case '(' -> depth = 1;
                case '<' -> {
                    endAngle();
                    bare.setLength(0);
                    inAngle = true;
                    hadAngle = true;
                }
                case '>' -> endAngle();
                case ',' -> comma();
                case ';' -> endMailbox();
                // The name of a group, or a route before the address.
                case ':' -> into().setLength(0);
                case ' ', '\t', '\r', '\n' -> {
                }
                default -> into().append(c);
            }
        }

        private StringBuilder into() {
            return inAngle ? angle : bare;
        }

        /// Inside angle brackets a comma stands between the hosts of a route.
        private void comma() {
            if (inAngle) {
                angle.setLength(0);
            } else {
                endMailbox();
            }
        }

        private void endAngle() {
            if (inAngle) {
                inAngle = false;
                address(angle.toString());
            }
            angle.setLength(0);
        }

        /// Words behind an address in brackets are another one only when they look like it.
        private void endMailbox() {
            String text = bare.toString();
            bare.setLength(0);
            boolean isEmpty = hadAngle ? text.indexOf('@') < 0 : text.isEmpty();
            hadAngle = false;
            if (!isEmpty) {
                address(text);
            }
        }

        private void address(String text) {
            int at = text.lastIndexOf('@');
            Optional<String> domain = at > 0
                    ? DomainName.ascii(text.substring(at + 1))
                            .filter(name -> Address.isDomain(name) && !name.startsWith("["))
                    : Optional.empty();
            if (at > text.indexOf('@')) {
                faults.add("an address with more than one @ in From");
            }
            domain.ifPresentOrElse(domains::add, () -> faults.add("an address without a domain in From"));
        }
    }
}
