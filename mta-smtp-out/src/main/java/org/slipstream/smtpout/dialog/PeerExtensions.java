package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// The extensions that a peer announced in its reply to EHLO or LHLO (RFC 5321 section 4.1.1.1).
/// Unknown keywords are ignored, and a known keyword with an invalid parameter counts as announced
/// without it.
///
/// @param mechanisms of SASL, in upper case (RFC 4954)
/// @param sizeLimit maximum octets of a message; empty when the peer named no limit (RFC 1870:
///     `SIZE` or `SIZE 0`)
/// @param mailMax transactions per connection (RFC 9422)
/// @param recipientMax recipients per transaction (RFC 9422)
/// @param domainMax recipient domains per transaction (RFC 9422)
public record PeerExtensions(Set<PeerExtension> announced, Set<String> mechanisms, OptionalLong sizeLimit,
        OptionalInt mailMax,
        OptionalInt recipientMax, OptionalInt domainMax) {
    /// RFC 4422 section 3.1.
    private static final Pattern MECHANISM = Pattern.compile("[A-Z0-9_-]{1,20}");
    /// The registry of IANA has about thirty in use; a reply to EHLO has room for thousands.
    private static final int MOST_MECHANISMS = 30;

    /// A peer that only supports HELO.
    public static final PeerExtensions NONE = new PeerExtensions(Set.of(), Set.of(), OptionalLong.empty(),
            OptionalInt.empty(),
            OptionalInt.empty(), OptionalInt.empty());

    /// The extensions that this client knows, with the keyword of each.
    public enum PeerExtension {
        PIPELINING("PIPELINING"), SIZE("SIZE"), EIGHT_BIT_MIME("8BITMIME"), SMTPUTF8("SMTPUTF8"), STARTTLS(
                "STARTTLS"), CHUNKING(
                        "CHUNKING"), DSN("DSN"), ENHANCED_STATUS_CODES(
                                "ENHANCEDSTATUSCODES"), LIMITS("LIMITS"), AUTH("AUTH"), BINARY_MIME(
                                        "BINARYMIME"), DELIVER_BY(
                                                "DELIVERBY"), MT_PRIORITY("MT-PRIORITY"), REQUIRETLS("REQUIRETLS");

        private final String keyword;

        PeerExtension(String keyword) {
            this.keyword = keyword;
        }
    }

    public PeerExtensions {
        announced = Set.copyOf(announced);
        mechanisms = Set.copyOf(mechanisms);
    }

    /// Parses a positive reply to EHLO; its first line is the peer's name and greeting.
    public static PeerExtensions of(Reply ehlo) {
        Set<PeerExtension> announced = EnumSet.noneOf(PeerExtension.class);
        OptionalLong size = OptionalLong.empty();
        List<String> limits = List.of();
        Set<String> mechanisms = new TreeSet<>();
        for (String line : ehlo.lines().subList(1, ehlo.lines().size())) {
            List<String> words = List.of(unified(line).strip().split("[ \t]+"));
            for (PeerExtension extension : PeerExtension.values()) {
                if (extension.keyword.equalsIgnoreCase(words.getFirst())) {
                    announced.add(extension);
                    List<String> parameters = words.subList(1, words.size());
                    switch (extension) {
                        case SIZE -> size = size(parameters);
                        case LIMITS -> limits = parameters;
                        case AUTH -> parameters.stream().map(p -> p.toUpperCase(Locale.ROOT))
                                .filter(p -> MECHANISM.matcher(p).matches() && mechanisms.size() < MOST_MECHANISMS)
                                .forEach(mechanisms::add);
                        case DELIVER_BY, MT_PRIORITY, REQUIRETLS, BINARY_MIME, PIPELINING, EIGHT_BIT_MIME, SMTPUTF8,
                                STARTTLS, CHUNKING, DSN,
                                ENHANCED_STATUS_CODES ->
                            {
                            }
                    }
                }
            }
        }
        return new PeerExtensions(announced, mechanisms, size, limit(limits, "MAILMAX="), limit(limits, "RCPTMAX="),
                limit(limits, "RCPTDOMAINMAX="));
    }

    // `AUTH=PLAIN LOGIN` is the form used before the standard. Some servers announce both.
    private static String unified(String line) {
        return line.regionMatches(true, 0, "AUTH=", 0, 5) ? "AUTH " + line.substring(5) : line;
    }

    public boolean offers(PeerExtension extension) {
        return announced.contains(extension);
    }

    private static OptionalLong size(List<String> parameters) {
        if (parameters.isEmpty() || !parameters.getFirst().matches("[0-9]{1,18}")) {
            return OptionalLong.empty();
        }
        long size = Long.parseLong(parameters.getFirst());
        return size > 0 ? OptionalLong.of(size) : OptionalLong.empty();
    }

    private static OptionalInt limit(List<String> limits, String name) {
        return limits.stream().filter(l -> l.toUpperCase(Locale.ROOT).startsWith(name))
                .map(l -> l.substring(name.length())).filter(value -> value.matches("[1-9][0-9]{0,5}"))
                .mapToInt(Integer::parseInt).findFirst();
    }
}
