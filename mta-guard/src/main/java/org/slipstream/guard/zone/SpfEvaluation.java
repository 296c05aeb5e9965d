package org.slipstream.guard.zone;

import org.slipstream.core.Network;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.guard.zone.SpfRecord.SpfDirective;
import org.slipstream.guard.zone.SpfRecord.SpfMechanism;
import org.slipstream.smtpout.host.Literal;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// `check_host()` of RFC 7208 section 4: whether a domain lets an address send its mail.
///
/// The work is bounded, as at every receiver (section 4.6.4): ten terms that ask DNS, two of them
/// without an answer, ten hosts of an MX record, ten names of an address. A record beyond these
/// bounds is a permanent error there, so it is one here. One object is one evaluation.
final class SpfEvaluation {
    private static final int MOST_LOOKUPS = 10;
    private static final int MOST_VOID = 2;
    private static final int MOST_NAMES = 10;

    private final DnsLookup dns;
    private final InetAddress address;
    private final String sender;
    private final String helo;
    private int lookups;
    private int empty;

    /// The results of section 2.6.
    enum SpfResult {
        NONE, NEUTRAL, PASS, FAIL, SOFTFAIL, TEMPERROR, PERMERROR
    }

    /// @param reason the term that matched, or the fault
    record Evaluated(SpfResult result, String reason, int lookups) {}

    /// Ends an evaluation.
    private static final class Stop extends Exception {
        private static final long serialVersionUID = 1L;
        private final SpfResult result;

        Stop(SpfResult result, String reason) {
            super(reason, null, false, false);
            this.result = result;
        }
    }

    private record Verdict(SpfResult result, String reason) {}

    private SpfEvaluation(DnsLookup dns, InetAddress address, String sender, String helo) {
        this.dns = dns;
        this.address = address;
        this.sender = sender;
        this.helo = helo;
    }

    /// @param domain whose record is evaluated
    /// @param sender `local-part@domain`
    /// @param helo the name of the client
    static Evaluated check(DnsLookup dns, InetAddress address, String domain, String sender, String helo) {
        SpfEvaluation evaluation = new SpfEvaluation(dns, address, sender, helo);
        Verdict verdict;
        try {
            verdict = evaluation.host(domain);
        } catch (Stop stop) {
            verdict = new Verdict(stop.result, String.valueOf(stop.getMessage()));
        }
        return new Evaluated(verdict.result(), verdict.reason(), evaluation.lookups);
    }

    private Verdict host(String domain) throws Stop {
        List<String> records = texts(domain).stream().filter(SpfRecord::isSpf).toList();
        if (records.isEmpty()) {
            return new Verdict(SpfResult.NONE, domain + " has no SPF record");
        }
        if (records.size() > 1) {
            throw new Stop(SpfResult.PERMERROR, domain + " has " + records.size() + " SPF records");
        }
        return switch (SpfRecord.parse(records.getFirst())) {
            case SpfRecord.SpfParse.Wrong(String what) ->
                throw new Stop(SpfResult.PERMERROR, "in the record of " + domain + ", " + what);
            case SpfRecord.SpfParse.Good(SpfRecord record) -> evaluate(record, domain);
        };
    }

    private Verdict evaluate(SpfRecord record, String domain) throws Stop {
        for (SpfDirective directive : record.directives()) {
            if (matches(directive.mechanism(), domain)) {
                return new Verdict(switch (directive.qualifier()) {
                    case PASS -> SpfResult.PASS;
                    case FAIL -> SpfResult.FAIL;
                    case SOFT_FAIL -> SpfResult.SOFTFAIL;
                    case NEUTRAL -> SpfResult.NEUTRAL;
                }, "\"" + directive.text() + "\" of " + domain);
            }
        }
        if (record.redirect().isEmpty()) {
            return new Verdict(SpfResult.NEUTRAL, "no term of " + domain + " matches");
        }
        count();
        String target = expand(record.redirect().get(), domain);
        Verdict there = host(target);
        if (there.result() == SpfResult.NONE) {
            throw new Stop(SpfResult.PERMERROR, "the target of redirect=" + target + " has no SPF record");
        }
        return there;
    }

    private boolean matches(SpfMechanism mechanism, String domain) throws Stop {
        return switch (mechanism) {
            case SpfMechanism.All _ -> true;
            case SpfMechanism.Ip(Network network) -> network.contains(address);
            case SpfMechanism.Include(String spec) -> includes(expand(spec, domain));
            case SpfMechanism.A(Optional<String> spec, int four, int six) -> {
                count();
                yield hasAddress(target(spec, domain), four, six, true);
            }
            case SpfMechanism.Mx(Optional<String> spec, int four, int six) ->
                isExchanger(target(spec, domain), four, six);
            case SpfMechanism.Ptr(Optional<String> spec) -> isNamed(target(spec, domain));
            case SpfMechanism.Exists(String spec) -> {
                count();
                yield !values(expand(spec, domain), RecordType.A, true).isEmpty();
            }
        };
    }

    /// Section 5.2: only a pass of the other record is a match.
    private boolean includes(String domain) throws Stop {
        count();
        Verdict there = host(domain);
        if (there.result() == SpfResult.NONE) {
            throw new Stop(SpfResult.PERMERROR, "include:" + domain + " has no SPF record");
        }
        return there.result() == SpfResult.PASS;
    }

    private boolean isExchanger(String domain, int four, int six) throws Stop {
        count();
        List<String> exchangers = values(domain, RecordType.MX, true);
        if (exchangers.size() > MOST_NAMES) {
            throw new Stop(SpfResult.PERMERROR, domain + " has more than " + MOST_NAMES + " MX records");
        }
        for (String exchanger : exchangers) {
            if (hasAddress(exchanger.substring(exchanger.indexOf(' ') + 1), four, six, false)) {
                return true;
            }
        }
        return false;
    }

    // Section 5.5: a name counts when it leads back to the address. Trouble is no match.
    private boolean isNamed(String domain) throws Stop {
        count();
        String wanted = domain.toLowerCase(Locale.ROOT);
        if (!(dns.ask(ReverseName.of(address), RecordType.PTR) instanceof TextAnswer.Found(List<String> names))) {
            return false;
        }
        return names.stream().limit(MOST_NAMES).map(name -> name.toLowerCase(Locale.ROOT))
                .filter(name -> name.equals(wanted) || name.endsWith("." + wanted))
                .anyMatch(name -> dns.ask(name, family()) instanceof TextAnswer.Found(List<String> found)
                        && contains(found, 32, 128));
    }

    private boolean hasAddress(String host, int four, int six, boolean counted) throws Stop {
        return contains(values(host, family(), counted), four, six);
    }

    private boolean contains(List<String> addresses, int four, int six) {
        int bits = address instanceof Inet4Address ? four : six;
        return addresses.stream().flatMap(text -> Literal.address(text).stream())
                .anyMatch(each -> new Network(each, bits).contains(address));
    }

    private RecordType family() {
        return address instanceof Inet4Address ? RecordType.A : RecordType.AAAA;
    }

    private String target(Optional<String> spec, String domain) {
        return spec.map(text -> expand(text, domain)).orElse(domain);
    }

    private String expand(String spec, String domain) {
        return new SpfMacro(address, sender, domain, helo).expand(spec);
    }

    private void count() throws Stop {
        lookups++;
        if (lookups > MOST_LOOKUPS) {
            throw new Stop(SpfResult.PERMERROR, "the record takes more than " + MOST_LOOKUPS + " lookups in DNS");
        }
    }

    private List<String> texts(String domain) throws Stop {
        return values(domain, RecordType.TXT, false);
    }

    /// @param counted an answer without records counts
    private List<String> values(String name, RecordType type, boolean counted) throws Stop {
        return switch (dns.ask(name, type)) {
            case TextAnswer.Found(List<String> values) -> values;
            case TextAnswer.None _ -> {
                empty += counted ? 1 : 0;
                if (empty > MOST_VOID) {
                    throw new Stop(SpfResult.PERMERROR,
                            "more than " + MOST_VOID + " lookups find nothing, the last one of " + name);
                }
                yield List.of();
            }
            case TextAnswer.Trouble(String reason) ->
                throw new Stop(SpfResult.TEMPERROR, "DNS does not answer about " + name + ": " + reason);
        };
    }
}
