package org.slipstream.auth.dmarc;

import org.slipstream.auth.dmarc.AuthenticatedName.AuthenticatedBy;
import org.slipstream.auth.dmarc.DmarcRecord.Alignment;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.DomainName;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Judges the author of a message (RFC 9989 sections 4.10 and 5.3).
///
/// A walk through DNS costs eight questions, and a message may have thousands of signatures. So an
/// identifier is walked from only when it lies inside the author's organizational domain; any other
/// one has another owner, whatever its walk would find. Of those, four by each mechanism are looked
/// at. Together a message costs 74 questions at most for each of at most five authors, and a usual one
/// costs two.
///
/// RFC 9989 leaves several authors to the receiver. Here all are judged, because a reader may be shown
/// each of them, and the strictest policy of those that fail is the verdict (section 11.5).
public final class DmarcEvaluation {
    private static final int MOST_IDENTIFIERS = 4;
    private static final Comparator<DmarcVerdict> WORST = Comparator
            .comparingInt((DmarcVerdict verdict) -> switch (verdict.result()) {
                case FAIL -> 4;
                case TEMPERROR -> 3;
                case PERMERROR -> 2;
                case NONE -> 1;
                case PASS -> 0;
            }).thenComparing(DmarcVerdict::disposition);

    private final DnsLookup dns;
    private final TreeWalk walk;
    private final List<AuthenticatedName> names;

    private DmarcEvaluation(DnsLookup dns, List<AuthenticatedName> names) {
        this.dns = dns;
        this.walk = new TreeWalk(dns);
        this.names = names;
    }

    /// @param from the values of all fields From of the message, a character for each octet
    public static DmarcVerdict check(DnsLookup dns, List<String> from, List<AuthenticatedName> names) {
        AuthorDomains authors = AuthorDomains.of(from);
        DmarcEvaluation evaluation = new DmarcEvaluation(dns, names);
        List<DmarcVerdict> verdicts = new ArrayList<>();
        authors.domains().stream().limit(AuthorDomains.MOST).map(evaluation::author).forEach(verdicts::add);
        if (!authors.faults().isEmpty()) {
            verdicts.add(DmarcVerdict.without(DmarcResult.PERMERROR, Optional.empty(),
                    String.join(", ", authors.faults())));
        }
        return verdicts.stream().max(WORST).orElseThrow();
    }

    /// Walks from each author. The walks need neither SPF nor DKIM, so a lookup that remembers its answers can have
    /// them before [#check] asks.
    public static List<TreeWalk.Walked> policies(DnsLookup dns, List<String> from) {
        TreeWalk walk = new TreeWalk(dns);
        return AuthorDomains.of(from).domains().stream().limit(AuthorDomains.MOST).map(walk::from).toList();
    }

    private DmarcVerdict author(String author) {
        return switch (walk.from(author)) {
            case TreeWalk.Walked.Trouble(String reason, Optional<TreeWalk.FoundPolicy> own) -> own
                    .map(found -> judge(author, Optional.empty(), found))
                    .orElseGet(() -> DmarcVerdict.without(DmarcResult.TEMPERROR, Optional.of(author), reason));
            case TreeWalk.Walked.Done(String organization, Optional<TreeWalk.FoundPolicy> policy) -> policy
                    .map(found -> judge(author, Optional.of(organization), found))
                    .orElseGet(() -> DmarcVerdict.without(DmarcResult.NONE, Optional.of(author),
                            author + " has no DMARC record"));
        };
    }

    /// @param organization empty when DNS did not tell: then the author's own domain aligns only
    private DmarcVerdict judge(String author, Optional<String> organization, TreeWalk.FoundPolicy policy) {
        DmarcRecord record = policy.record();
        if (record.policy().isEmpty()) {
            return DmarcVerdict.without(DmarcResult.PERMERROR, Optional.of(author), "the DMARC record of "
                    + policy.domain() + " has no policy that can be applied: " + record.faults().getFirst());
        }
        Aligned spf = aligned(AuthenticatedBy.SPF, record.spf(), author, organization);
        Aligned dkim = aligned(AuthenticatedBy.DKIM, record.dkim(), author, organization);
        boolean isSubdomain = !policy.domain().equals(author);
        if (spf.yes() || dkim.yes()) {
            DmarcPolicy requested = record.policyFor(isSubdomain, true);
            return new DmarcVerdict(DmarcResult.PASS, Optional.of(author), Optional.of(policy.domain()),
                    Optional.of(record), spf.yes(), dkim.yes(), requested, DmarcPolicy.NONE,
                    author + " is authenticated by " + (dkim.yes() ? dkim : spf).words());
        }
        // Whether the name exists matters to "np=" only.
        TextAnswer existence = isSubdomain && record.ofMissing().isPresent()
                ? existence(author)
                : new TextAnswer.None(true);
        if (spf.trouble() || dkim.trouble() || existence instanceof TextAnswer.Trouble) {
            return new DmarcVerdict(DmarcResult.TEMPERROR, Optional.of(author), Optional.of(policy.domain()),
                    Optional.of(record), false, false, DmarcPolicy.NONE, DmarcPolicy.NONE,
                    "DNS did not answer all questions about " + author);
        }
        DmarcPolicy requested = record.policyFor(isSubdomain, !existence.equals(new TextAnswer.None(false)));
        return new DmarcVerdict(DmarcResult.FAIL, Optional.of(author), Optional.of(policy.domain()),
                Optional.of(record), false, false, requested, record.testing() ? requested.milder() : requested,
                "neither SPF nor DKIM authenticates " + author + (isSubdomain ? ", policy of " + policy.domain() : ""));
    }

    /// An alias whose target is gone exists itself.
    private TextAnswer existence(String author) {
        TextAnswer answer = dns.ask(author, RecordType.A);
        return answer.equals(new TextAnswer.None(false)) ? dns.ask(author, RecordType.CNAME) : answer;
    }

    private record Aligned(boolean yes, boolean trouble, String words) {}

    private Aligned aligned(AuthenticatedBy mechanism, Alignment mode, String author, Optional<String> organization) {
        boolean trouble = false;
        int walked = 0;
        for (Candidate each : candidates(mechanism)) {
            boolean is = each.domain().equals(author);
            if (!is && mode == Alignment.RELAXED && walked < MOST_IDENTIFIERS
                    && mayBelong(each.domain(), author, organization)) {
                walked++;
                switch (walk.from(each.domain())) {
                    case TreeWalk.Walked.Done(String other, _) -> {
                        is = organization.filter(other::equals).isPresent();
                        trouble |= organization.isEmpty();
                    }
                    case TreeWalk.Walked.Trouble _ -> trouble = true;
                }
            }
            if (is && each.passed()) {
                return new Aligned(true, false, mechanism + " of " + each.domain());
            }
            trouble |= is;
        }
        return new Aligned(false, trouble, "");
    }

    private static boolean mayBelong(String domain, String author, Optional<String> organization) {
        return organization.map(name -> domain.equals(name) || domain.endsWith("." + name))
                .orElseGet(() -> top(domain).equals(top(author)));
    }

    private static String top(String domain) {
        return domain.substring(domain.lastIndexOf('.') + 1);
    }

    /// A domain of DNS with the best that is known about it.
    private record Candidate(String domain, boolean passed) {}

    private Set<Candidate> candidates(AuthenticatedBy mechanism) {
        Set<Candidate> candidates = new LinkedHashSet<>();
        names.stream().filter(each -> each.mechanism() == mechanism)
                .sorted(Comparator.comparing(AuthenticatedName::passed).reversed())
                .forEach(each -> DomainName.ascii(each.domain())
                        .ifPresent(domain -> candidates.add(new Candidate(domain, each.passed()))));
        return candidates;
    }
}
