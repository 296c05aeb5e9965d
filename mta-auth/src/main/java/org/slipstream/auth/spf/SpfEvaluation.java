package org.slipstream.auth.spf;

import org.slipstream.auth.iprev.IprevEvaluation;
import org.slipstream.auth.spf.SpfRecord.SpfDirective;
import org.slipstream.auth.spf.SpfRecord.SpfMechanism;
import org.slipstream.core.Network;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.DomainName;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.core.text.Ascii;

import java.net.Inet4Address;
import java.util.List;
import java.util.Optional;

/// `check_host()` of RFC 7208 section 4: whether a domain lets an address send its mail.
///
/// The work is bounded, as at every receiver (section 4.6.4). A record beyond these bounds is a
/// permanent error there, so it is one here. Together they permit 132 questions to DNS at most: ten
/// terms with eleven each, eleven records, one explanation, and eleven for the macro `%{p}`.
///
/// | What | Most |
/// |---|---|
/// | terms that ask DNS: `include`, `a`, `mx`, `ptr`, `exists`, `redirect` | 10 |
/// | questions of these terms that find nothing | 2 |
/// | hosts of an `mx` term; more are an error | 10 |
/// | names of an address that `ptr` and `%{p}` look at | 10 |
/// | characters of a record | 16,384 |
///
/// The lookup of the caller bounds the time: from its deadline on it answers "trouble", which ends an
/// evaluation as a temporary error. One object is one evaluation.
public final class SpfEvaluation {
    private static final int MOST_LOOKUPS = 10;
    private static final int MOST_VOID = 2;
    private static final int MOST_NAMES = 10;
    private static final int LONGEST_EXPLANATION = 500;

    private final DnsLookup dns;
    private final SpfQuestion question;
    private int lookups;
    private int empty;
    /// The text of `exp=` in the record whose directive decided, and the domain of the record.
    private Optional<Explained> explained = Optional.empty();

    private record Explained(MacroText spec, String domain) {}

    /// Ends an evaluation.
    private static final class Stop extends Exception {
        private static final long serialVersionUID = 1L;
        private final SpfResult result;

        Stop(SpfResult result, String reason) {
            super(reason, null, false, false);
            this.result = result;
        }
    }

    private record Match(SpfResult result, String reason) {}

    private SpfEvaluation(DnsLookup dns, SpfQuestion question) {
        this.dns = dns;
        this.question = question;
    }

    public static SpfVerdict check(DnsLookup dns, SpfQuestion question) {
        // A name of one label has no owner who could publish a record (section 4.3).
        Optional<String> domain = DomainName.ascii(question.domain())
                .filter(name -> name.indexOf('.') > 0 && !name.startsWith("["));
        if (domain.isEmpty()) {
            return new SpfVerdict(SpfResult.NONE, question.identity(), question.domain(),
                    "the name of the sender is not a domain", 0, Optional.empty());
        }
        SpfEvaluation evaluation = new SpfEvaluation(dns, question);
        Match match;
        try {
            match = evaluation.host(domain.get());
        } catch (Stop stop) {
            match = new Match(stop.result, String.valueOf(stop.getMessage()));
        }
        return new SpfVerdict(match.result(), question.identity(), question.domain(), match.reason(),
                evaluation.lookups,
                match.result() == SpfResult.FAIL ? evaluation.explanation() : Optional.empty());
    }

    private Match host(String domain) throws Stop {
        List<String> records = values(domain, RecordType.TXT, false).stream().filter(SpfRecord::isSpf).toList();
        if (records.isEmpty()) {
            return new Match(SpfResult.NONE, domain + " has no SPF record");
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

    private Match evaluate(SpfRecord record, String domain) throws Stop {
        for (SpfDirective directive : record.directives()) {
            if (matches(directive.mechanism(), domain)) {
                explained = record.explanation().map(spec -> new Explained(spec, domain));
                return new Match(switch (directive.qualifier()) {
                    case PASS -> SpfResult.PASS;
                    case FAIL -> SpfResult.FAIL;
                    case SOFT_FAIL -> SpfResult.SOFTFAIL;
                    case NEUTRAL -> SpfResult.NEUTRAL;
                }, "\"" + directive.text() + "\" of " + domain);
            }
        }
        if (record.redirect().isEmpty()) {
            return new Match(SpfResult.NEUTRAL, "no term of " + domain + " matches");
        }
        count();
        String target = expand(record.redirect().get(), domain);
        Match there = host(target);
        if (there.result() == SpfResult.NONE) {
            throw new Stop(SpfResult.PERMERROR, "the target of redirect=" + target + " has no SPF record");
        }
        return there;
    }

    private boolean matches(SpfMechanism mechanism, String domain) throws Stop {
        return switch (mechanism) {
            case SpfMechanism.All _ -> true;
            case SpfMechanism.Ip(Network network) -> network.contains(question.client());
            case SpfMechanism.Include(MacroText spec) -> includes(expand(spec, domain));
            case SpfMechanism.A(Optional<MacroText> spec, int four, int six) -> {
                count();
                yield contains(values(target(spec, domain), family(), true), four, six);
            }
            case SpfMechanism.Mx(Optional<MacroText> spec, int four, int six) ->
                isExchanger(target(spec, domain), four, six);
            case SpfMechanism.Ptr(Optional<MacroText> spec) -> {
                count();
                yield confirmedName(target(spec, domain), true).isPresent();
            }
            case SpfMechanism.Exists(MacroText spec) -> {
                count();
                yield !values(expand(spec, domain), RecordType.A, true).isEmpty();
            }
        };
    }

    /// Section 5.2: only a pass of the other record is a match.
    private boolean includes(String domain) throws Stop {
        count();
        Match there = host(domain);
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
            String host = exchanger.substring(exchanger.indexOf(' ') + 1);
            if (contains(values(host, family(), false), four, six)) {
                return true;
            }
        }
        return false;
    }

    /// The name of the client in a domain, if the name leads back to the client (section 5.5). Trouble
    /// is no match.
    ///
    /// @param onlyInside the domain; otherwise names in it are preferred (section 7.3)
    private Optional<String> confirmedName(String domain, boolean onlyInside) {
        String wanted = DomainName.ascii(domain).orElse("");
        List<String> names = IprevEvaluation.check(dns, question.client()).names();
        Optional<String> inside = names.stream().filter(wanted::equals).findFirst()
                .or(() -> names.stream().filter(name -> name.endsWith("." + wanted)).findFirst());
        return onlyInside ? inside : inside.or(() -> names.stream().findFirst());
    }

    private boolean contains(List<String> addresses, int four, int six) {
        int bits = question.client() instanceof Inet4Address ? four : six;
        return addresses.stream().flatMap(text -> Network.parse(text).stream())
                .anyMatch(each -> each.base().getAddress().length == question.client().getAddress().length
                        && new Network(each.base(), bits).contains(question.client()));
    }

    private RecordType family() {
        return question.client() instanceof Inet4Address ? RecordType.A : RecordType.AAAA;
    }

    private String target(Optional<MacroText> spec, String domain) {
        return spec.map(text -> expand(text, domain)).orElse(domain);
    }

    private String expand(MacroText spec, String domain) {
        return macro(domain).name(spec);
    }

    private SpfMacro macro(String domain) {
        return new SpfMacro(question, domain, () -> confirmedName(domain, false).orElse("unknown"));
    }

    private void count() throws Stop {
        lookups++;
        if (lookups > MOST_LOOKUPS) {
            throw new Stop(SpfResult.PERMERROR, "the record takes more than " + MOST_LOOKUPS + " lookups in DNS");
        }
    }

    /// @param counted an answer without records counts
    private List<String> values(String name, RecordType type, boolean counted) throws Stop {
        return switch (askName(name, type)) {
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

    /// A macro with the local part of an international address makes a name that DNS cannot have
    /// (RFC 8616 section 4).
    private TextAnswer askName(String name, RecordType type) {
        return Optional.of(name).filter(Ascii::is).flatMap(DomainName::ascii).map(good -> dns.ask(good, type))
                .orElse(new TextAnswer.None(false));
    }

    /// Section 6.2: every fault leaves the fail without explanation.
    private Optional<String> explanation() {
        return explained.flatMap(from -> {
            SpfMacro macro = macro(from.domain());
            return askName(macro.name(from.spec()), RecordType.TXT) instanceof TextAnswer.Found(List<String> texts)
                    && texts.size() == 1 && texts.getFirst().length() <= SpfRecord.LONGEST
                            ? MacroText.parse(texts.getFirst(), MacroText.EXPLANATION_LETTERS)
                                    .map(text -> visible(macro.text(text)))
                            : Optional.empty();
        });
    }

    private static String visible(String text) {
        StringBuilder visible = new StringBuilder();
        text.chars().limit(LONGEST_EXPLANATION)
                .forEach(c -> visible.append(c >= ' ' && c <= '~' ? (char) c : '?'));
        return visible.toString();
    }
}
