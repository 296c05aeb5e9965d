package org.slipstream.server.report;

import org.slipstream.core.Address;

import java.util.List;
import java.util.function.UnaryOperator;

/// The contact address in a report: an address that means this server wherever the report is read.
/// `localhost` is the reader's own machine, so remote readers never get a postmaster there.
///
/// | The report goes to | Contact |
/// |---|---|
/// | an address of a local domain | the postmaster of that domain, which always exists (RFC 5321 section 4.5.1) |
/// | any other address | the postmaster of the settings, or of the first local domain that is no `localhost`, or of the host |
///
/// @param configured the postmaster of the settings
/// @param domains local ones, in lower case
public record Contact(Address configured, List<String> domains, String hostname) implements UnaryOperator<Address> {
    private static final String POSTMASTER = "postmaster";

    public Contact {
        domains = List.copyOf(domains);
    }

    @Override
    public Address apply(Address reader) {
        if (domains.contains(reader.domainKey())) {
            return new Address(POSTMASTER, reader.domainKey());
        }
        return isMeantEverywhere(configured.domainKey())
                ? configured
                : new Address(POSTMASTER,
                        domains.stream().filter(Contact::isMeantEverywhere).findFirst().orElse(hostname));
    }

    /// RFC 6761 section 6.3, and the name that some systems give themselves.
    private static boolean isMeantEverywhere(String domain) {
        return !domain.equals("localhost") && !domain.endsWith(".localhost") && !domain.endsWith("localdomain");
    }
}
