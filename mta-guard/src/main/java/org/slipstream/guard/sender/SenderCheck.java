package org.slipstream.guard.sender;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.auth.aggregate.JudgedMessage;
import org.slipstream.auth.arc.ArcVerifier;
import org.slipstream.auth.dkim.BodyHashes;
import org.slipstream.auth.dkim.DkimResult;
import org.slipstream.auth.dkim.DkimVerifier;
import org.slipstream.auth.dkim.RawHeader;
import org.slipstream.auth.dkim.StreamedMessage;
import org.slipstream.auth.dmarc.DmarcEvaluation;
import org.slipstream.auth.dmarc.DmarcPolicy;
import org.slipstream.auth.dmarc.DmarcResult;
import org.slipstream.auth.dmarc.DmarcVerdict;
import org.slipstream.auth.iprev.IprevEvaluation;
import org.slipstream.auth.iprev.IprevVerdict;
import org.slipstream.auth.results.AuthenticationResults;
import org.slipstream.auth.results.ForeignResults;
import org.slipstream.auth.spf.SpfEvaluation;
import org.slipstream.auth.spf.SpfQuestion;
import org.slipstream.auth.spf.SpfVerdict;
import org.slipstream.core.Content;
import org.slipstream.core.LogText;
import org.slipstream.core.SpamMark;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Header;
import org.slipstream.smtpin.policy.HeaderChange;
import org.slipstream.smtpin.policy.Ruling;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Judges the sender of each message before it is accepted, and writes the verdicts into its header:
/// the name of the client, SPF of both identities, DKIM, and DMARC, which is made of them; last the chain
/// of ARC, which changes none of them.
///
/// They run side by side and have [#MOST_NANOS] together; what DNS does not answer by then is a
/// temporary error, which refuses no mail. Fields of strangers that claim to be ours are removed, also
/// when this message cannot be judged.
public final class SenderCheck implements Check {
    /// Longer than a slow resolver, and shorter than the time that a client waits (RFC 5321 section
    /// 4.5.3.2.6).
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final HeaderChange MARK = new HeaderChange(
            List.of(new HeaderChange.FieldRemoval(SpamMark.FIELD, 0)),
            List.of(new Header.Field(SpamMark.FIELD, SpamMark.VALUE)));
    private static final Logger log = LoggerFactory.getLogger(SenderCheck.class);

    private final String hostname;
    private final boolean applies;
    private final Quarantine quarantine;
    private final DnsLookup dns;
    private final long mostNanos;
    private Consumer<JudgedMessage> judged = _ -> {};
    private Consumer<SenderVerdicts> counter = _ -> {};

    /// @param hostname our name in the field
    public SenderCheck(String hostname, SenderTreatment treatment, Quarantine quarantine, DnsLookup dns) {
        this(hostname, treatment, quarantine, dns, MOST_NANOS);
    }

    SenderCheck(String hostname, SenderTreatment treatment, Quarantine quarantine, DnsLookup dns, long mostNanos) {
        this.quarantine = quarantine;
        this.mostNanos = mostNanos;
        this.hostname = hostname;
        this.applies = treatment == SenderTreatment.APPLY;
        this.dns = dns;
    }

    /// @param receiver is told of messages whose domain wants reports; must not block
    public SenderCheck telling(Consumer<JudgedMessage> receiver) {
        judged = receiver;
        return this;
    }

    /// @param receiver is told of all verdicts; must not block
    public SenderCheck counting(Consumer<SenderVerdicts> receiver) {
        counter = receiver;
        return this;
    }

    @Override
    public String name() {
        return "sender";
    }

    @Override
    public boolean readsHeader() {
        return true;
    }

    @Override
    public Ruling end(Client client, CheckedMessage message) {
        List<HeaderChange.FieldRemoval> foreign = foreign(message.header());
        try {
            SenderVerdicts verdicts = judge(client, message);
            counter.accept(verdicts);
            if (!isReport(message.header(), verdicts)) {
                verdicts.judged(client.address(), message.envelope().sender(),
                        applies ? verdicts.dmarc().disposition() : DmarcPolicy.NONE).ifPresent(judged);
            }
            HeaderChange change = new HeaderChange(foreign,
                    List.of(new Header.Field(AuthenticationResults.NAME,
                            AuthenticationResults.value(hostname, verdicts.results()))));
            return applies ? applied(verdicts.dmarc(), change) : new Ruling.Pass(Optional.empty(), change);
        } catch (IOException | RuntimeException e) {
            // Local trouble, which is not the sender's fault.
            log.warn("event=sender-not-judged queue={} error=\"{}\"", message.id(), LogText.text(e.toString()));
            return new Ruling.Pass(Optional.empty(), new HeaderChange(foreign, List.of()));
        }
    }

    /// Two servers that report about each other's reports would never end. A forged one is counted.
    private static boolean isReport(Header header, SenderVerdicts verdicts) {
        return verdicts.dmarc().result() == DmarcResult.PASS && header.fields().stream().anyMatch(
                field -> field.name().equalsIgnoreCase("Subject")
                        && field.value().strip().startsWith("Report Domain:"));
    }

    private List<HeaderChange.FieldRemoval> foreign(Header header) {
        List<HeaderChange.FieldRemoval> foreign = new ArrayList<>();
        int place = 0;
        for (Header.Field field : header.fields()) {
            if (field.name().equalsIgnoreCase(AuthenticationResults.NAME)) {
                place++;
                if (ForeignResults.claimsToBe(hostname, field.value())) {
                    foreign.add(new HeaderChange.FieldRemoval(AuthenticationResults.NAME, place));
                }
            }
        }
        return foreign;
    }

    private SenderVerdicts judge(Client client, CheckedMessage message) throws IOException {
        MessageLookup lookup = new MessageLookup(dns, System::nanoTime, mostNanos);
        Instant now = Instant.now();
        String helo = client.helo().orElse("");
        CompletableFuture<IprevVerdict> iprev = beside(() -> IprevEvaluation.check(lookup, client.address()));
        CompletableFuture<SpfVerdict> greeted = beside(
                () -> SpfEvaluation.check(lookup, SpfQuestion.ofHelo(client.address(), helo, hostname, now)));
        CompletableFuture<SpfVerdict> sent = beside(() -> SpfEvaluation.check(lookup,
                SpfQuestion.ofSender(client.address(), message.envelope().sender(), helo, hostname, now)));
        List<String> from = message.header().fields().stream().filter(field -> field.name().equalsIgnoreCase("From"))
                .map(Header.Field::value).toList();
        beside(() -> DmarcEvaluation.policies(lookup, from));
        Signers signers = signers(message.content(), lookup, now);
        List<DkimResult> signatures = signers.dkim.results(lookup);
        SpfVerdict spf = sent.join();
        DmarcVerdict dmarc = DmarcEvaluation.check(lookup, from, SenderVerdicts.names(spf, signatures));
        return new SenderVerdicts(iprev.join(), spf, greeted.join(), signatures, dmarc, signers.arc.result(lookup));
    }

    private static <T> CompletableFuture<T> beside(Supplier<T> verdict) {
        return CompletableFuture.supplyAsync(verdict, Thread::startVirtualThread);
    }

    /// The judges of signatures, who have seen the whole message.
    private record Signers(DkimVerifier dkim, ArcVerifier arc, BodyHashes bodies) {
        private static Signers of(RawHeader header, MessageLookup lookup, Instant now) {
            BodyHashes bodies = new BodyHashes();
            Signers signers = new Signers(new DkimVerifier(header, now, bodies), new ArcVerifier(header, now, bodies),
                    bodies);
            Stream.of(signers.dkim.keyNames(), signers.arc.keyNames()).flatMap(List::stream)
                    .forEach(name -> lookup.begin(name, RecordType.TXT));
            return signers;
        }
    }

    /// A header of a length that the listener does not take counts as one without signatures.
    private static Signers signers(Content content, MessageLookup lookup, Instant now) throws IOException {
        try (InputStream in = content.open()) {
            StreamedMessage streamed = new StreamedMessage(in);
            Optional<RawHeader> header = streamed.header();
            Signers signers = Signers.of(header.orElseGet(() -> new RawHeader(new byte[0])), lookup, now);
            if (header.isPresent()) {
                streamed.body(signers.bodies::update);
            }
            return signers;
        }
    }

    private Ruling applied(DmarcVerdict dmarc, HeaderChange change) {
        String owner = dmarc.policyDomain().orElse("the domain of its author");
        return switch (dmarc.disposition()) {
            case REJECT -> Ruling.reject(550, "5.7.26",
                    "Message refused: it fails DMARC, and " + owner + " asks for that");
            case QUARANTINE -> new Ruling.Pass(Optional.of("dmarc=quarantine"),
                    quarantine == Quarantine.MARK ? change.and(MARK) : change,
                    quarantine == Quarantine.HOLD
                            ? Optional.of("fails DMARC, and " + owner + " asks for quarantine")
                            : Optional.empty());
            case NONE -> new Ruling.Pass(Optional.empty(), change);
        };
    }
}
