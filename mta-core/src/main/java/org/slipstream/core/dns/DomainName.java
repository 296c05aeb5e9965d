package org.slipstream.core.dns;

import org.slipstream.core.text.Ascii;

import java.net.IDN;
import java.util.Optional;

/// Names of domains in the form that DNS knows (RFC 1035 section 2.3.4, RFC 5890).
public final class DomainName {
    /// Characters between the dots, without the final one.
    public static final int LONGEST = 253;
    private static final int LONGEST_LABEL = 63;

    private DomainName() {}

    /// The name in ASCII and lower case, without the final dot; empty for a text that cannot be a
    /// name of DNS: with an empty label, or one that is too long.
    public static Optional<String> ascii(String name) {
        // The longest name in letters of any script has fewer characters than its form in ASCII.
        if (name.length() > LONGEST + 1) {
            return Optional.empty();
        }
        try {
            String ascii = Ascii.lower(Ascii.is(name) ? name : IDN.toASCII(name));
            String plain = ascii.endsWith(".") ? ascii.substring(0, ascii.length() - 1) : ascii;
            return plain.length() <= LONGEST && hasGoodLabels(plain) ? Optional.of(plain) : Optional.empty();
        } catch (IllegalArgumentException notInternational) {
            return Optional.empty();
        }
    }

    private static boolean hasGoodLabels(String name) {
        int start = 0;
        for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', start)) {
            if (dot == start || dot - start > LONGEST_LABEL) {
                return false;
            }
            start = dot + 1;
        }
        return start < name.length() && name.length() - start <= LONGEST_LABEL;
    }
}
