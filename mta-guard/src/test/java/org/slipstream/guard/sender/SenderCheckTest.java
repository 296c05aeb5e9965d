package org.slipstream.guard.sender;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.auth.aggregate.JudgedMessage;
import org.slipstream.auth.aggregate.ReportedMessage.ReportedSignature;
import org.slipstream.auth.dkim.BodyHash;
import org.slipstream.auth.dkim.DkimAlgorithm;
import org.slipstream.auth.dkim.DkimSigner;
import org.slipstream.auth.dkim.KeyName;
import org.slipstream.auth.dkim.RawHeader;
import org.slipstream.auth.dkim.SignedFields;
import org.slipstream.auth.dkim.SigningKey;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.guard.zone.ZoneText;
import org.slipstream.smtpin.policy.Check.CheckedMessage;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Header;
import org.slipstream.smtpin.policy.HeaderChange;
import org.slipstream.smtpin.policy.Ruling;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

class SenderCheckTest {
    private static final SigningKey KEY = SigningKey.create(KeyName.of("sender.example", "s1").orElseThrow(),
            DkimAlgorithm.ED25519);
    private static final String ZONE = """
            sender.example TXT v=spf1 ip4:192.0.2.7 -all
            mail.sender.example A 192.0.2.7
            mail.sender.example TXT v=spf1 a -all
            7.2.0.192.in-addr.arpa PTR mail.sender.example
            _dmarc.sender.example TXT v=DMARC1; p=reject
            _dmarc.tested.example TXT v=DMARC1; p=quarantine
            s1._domainkey.sender.example TXT %s
            e._domainkey.example.org TXT v=DKIM1; k=ed25519; p=Lh9FCGAeoIBMJeNHfoEkbTX2DhM+kpCckVrz0IskIXQ=
            _dmarc.example.org TXT v=DMARC1; p=reject
            """.formatted(KEY.record());
    private static final String TEXT = """
            From: Ann <ann@sender.example>
            To: bob@here.example
            Subject: hello

            How are you?
            """.replace("\n", "\r\n");
    private static final long ENOUGH = 20_000_000_000L;

    private final DnsLookup dns = ZoneText.of(ZONE);

    private static Client client(String address) throws IOException {
        return new Client(1, InetAddress.getByName(address), Optional.of("mail.sender.example"), true,
                Optional.empty(), Optional.empty(), "smtp");
    }

    private static CheckedMessage message(String sender, byte[] octets) {
        return message(sender, octets, Content.of(octets));
    }

    private static CheckedMessage message(String sender, byte[] octets, Content content) {
        return new CheckedMessage(new QueueId(7),
                Envelope.of(Optional.of(Address.of(sender)), List.of(Address.of("bob@here.example"))), octets.length,
                Header.parse(octets, octets.length), content);
    }

    private static byte[] octets(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] signed(String text) {
        int body = text.indexOf("\r\n\r\n") + 4;
        BodyHash hash = DkimSigner.bodyHash();
        byte[] octets = octets(text);
        hash.update(octets, body, octets.length);
        return octets(
                DkimSigner.fields(List.of(KEY), SignedFields.USUAL, new RawHeader(octets(text.substring(0, body))),
                        hash.finish(), Instant.now()) + text);
    }

    private Ruling ask(SenderTreatment treatment, String address, CheckedMessage message) throws IOException {
        return new SenderCheck("mx.here.example", treatment, Quarantine.MARK, dns).end(client(address), message);
    }

    private static String noted(Ruling ruling) {
        HeaderChange change = ((Ruling.Pass) ruling).header();
        assertThat(change.additions()).filteredOn(field -> field.name().equals("Authentication-Results")).hasSize(1);
        return change.additions().getLast().value().replaceAll("\\s+", " ");
    }

    @Test
    void aSignedMessageFromItsOwnServerPassesEverything() throws Exception {
        Ruling ruling = ask(SenderTreatment.APPLY, "192.0.2.7", message("ann@sender.example", signed(TEXT)));
        assertThat(noted(ruling)).startsWith("mx.here.example; iprev=pass").contains(
                "spf=pass smtp.helo=mail.sender.example", "spf=pass smtp.mailfrom=sender.example",
                "dkim=pass header.d=sender.example", "header.s=s1", "dmarc=pass header.from=sender.example");
    }

    /// None of the three is answered before all of them are under way.
    @Test
    void thePolicyIsAskedForBesideSpfAndTheKey() throws Exception {
        Set<String> independent = Set.of("sender.example", "s1._domainkey.sender.example", "_dmarc.sender.example");
        CountDownLatch underWay = new CountDownLatch(independent.size());
        DnsLookup waiting = (name, type) -> {
            try {
                if (type == RecordType.TXT && independent.contains(name)) {
                    underWay.countDown();
                    return underWay.await(30, TimeUnit.SECONDS)
                            ? dns.ask(name, type)
                            : new TextAnswer.Trouble("asked alone");
                }
                return dns.ask(name, type);
            } catch (InterruptedException stopped) {
                return new TextAnswer.Trouble("interrupted");
            }
        };
        Ruling ruling = new SenderCheck("mx.here.example", SenderTreatment.APPLY, Quarantine.MARK, waiting, 2 * ENOUGH)
                .end(client("192.0.2.7"), message("ann@sender.example", signed(TEXT)));
        assertThat(noted(ruling)).contains("spf=pass", "dkim=pass", "dmarc=pass").doesNotContain("asked alone");
    }

    /// It was forwarded, so SPF fails, and the signature still holds.
    @Test
    void aSignatureOutlivesAForwarder() throws Exception {
        Ruling ruling = ask(SenderTreatment.APPLY, "203.0.113.9", message("ann@sender.example", signed(TEXT)));
        assertThat(noted(ruling)).contains("spf=fail", "dkim=pass", "dmarc=pass");
    }

    /// Made by a sealer whose key is gone.
    private static final String SEALED = """
            ARC-Seal: i=2; a=ed25519-sha256; d=example.org; s=e; cv=pass; b=+XaGGTkReCHVKBLirOv32FeKSKR4f1YrWQtDB\
            B99lMRXk5FmYUrME1elIbUQg5RBnGE4IvwRHQVSf6NrMjt2Aw==
            ARC-Message-Signature: i=2; a=ed25519-sha256; d=example.org; s=e; c=relaxed/relaxed; h=from:to:subject;\s\
            bh=yZQq1c8wjBl0fZ4Wc/oraMCAG1mZJv5v/hlvyFy+t6A=; b=Z2EhN3Be28dVZYQWkVKiazg/eaWZdXcJhGr4ZFEYVBQo/Q53A08\
            UXBoU0POmm8g9tP65GVKyZ/2+tz/9BufFBQ==
            ARC-Authentication-Results: i=2; lists.example.org;
             spf=pass smtp.mailfrom=a@example.org;
             dkim=fail (x; dmarc=pass); dmarc=none
            ARC-Seal: i=1; a=ed25519-sha256; d=example.org; s=e; cv=none; b=VHU/r8B44r9C+IKsCTsVvdyUZWmiEHwkN8nN7\
            4ve910XRzAz5InfglRwfFOx7tgiZSFbCUZdaibuSqJ5/Mj0Dg==
            ARC-Message-Signature: i=1; a=ed25519-sha256; d=example.org; s=e; c=relaxed/relaxed; h=from:to:subject;\s\
            bh=yZQq1c8wjBl0fZ4Wc/oraMCAG1mZJv5v/hlvyFy+t6A=; b=s9b3+YZpDqrZOEHOKDkyFIIgM8EHuApB9wT36dpI1AhwyPiMbO4\
            j9mAB5FI/BLiOF2xkiqzMCC27pYo1qFc0BQ==
            ARC-Authentication-Results: i=1; lists.example.org;
             spf=pass smtp.mailfrom=a@example.org;
             dkim=fail (x; dmarc=pass); dmarc=none
            From: Joe <joe@example.org>
            To: Suzie <suzie@example.net>
            Subject: dinner

            Hello.
            """.replace("\n", "\r\n");

    @Test
    void theChainOfForwardersIsNotedAndChangesNothingElse() throws Exception {
        assertThat(noted(ask(SenderTreatment.NOTE, "203.0.113.9", message("eve@evil.example", octets(SEALED)))))
                .contains("dkim=none", "dmarc=fail").endsWith(
                        "; arc=pass reason=\"example.org found spf pass, dkim fail, dmarc none\""
                                + " smtp.remote-ip=203.0.113.9 header.oldest-pass=0 arc.chain=\"example.org:example.org\"");
        String changed = SEALED.replace("Hello.", "Hullo.");
        assertThat(noted(ask(SenderTreatment.NOTE, "203.0.113.9", message("eve@evil.example", octets(changed)))))
                .endsWith("; arc=fail reason=\"the message signature of set 2: the body was changed\"");
        assertThat(noted(ask(SenderTreatment.NOTE, "203.0.113.9", message("eve@evil.example", octets(TEXT)))))
                .endsWith("; arc=none");
        assertThat(ask(SenderTreatment.APPLY, "203.0.113.9", message("eve@evil.example", octets(SEALED))))
                .as("a chain that passes is no excuse").isInstanceOf(Ruling.Refuse.class);
    }

    /// The body comes in pieces, and both judges see each octet once.
    @Test
    void theContentIsReadOnce() throws Exception {
        AtomicInteger opened = new AtomicInteger();
        byte[] octets = octets(SEALED);
        Content content = new Content() {
            @Override
            public long sizeBytes() {
                return octets.length;
            }

            @Override
            public InputStream open() {
                opened.incrementAndGet();
                return new FilterInputStream(new ByteArrayInputStream(octets)) {
                    @Override
                    public int read(byte[] into) throws IOException {
                        return super.read(into, 0, Math.min(into.length, 7));
                    }
                };
            }
        };
        assertThat(noted(ask(SenderTreatment.NOTE, "203.0.113.9", message("eve@evil.example", octets, content))))
                .contains("arc=pass");
        assertThat(opened).hasValue(1);
    }

    @Test
    void aForgedAuthorIsRefusedWhereItsOwnerAsksForThatAndTheSettingAppliesIt() throws Exception {
        CheckedMessage forged = message("eve@evil.example", octets(TEXT));
        assertThat(ask(SenderTreatment.APPLY, "203.0.113.9", forged)).isInstanceOfSatisfying(Ruling.Refuse.class,
                refusal -> {
                    assertThat(refusal.reply().code()).isEqualTo(550);
                    assertThat(refusal.reply().toString()).contains("5.7.26", "DMARC", "sender.example");
                });
        assertThat(noted(ask(SenderTreatment.NOTE, "203.0.113.9", forged))).contains("dkim=none", "dmarc=fail",
                "policy.dmarc=reject");
    }

    @Test
    void quarantineIsAMarkByWhichMailboxesSort() throws Exception {
        Ruling.Pass pass = (Ruling.Pass) ask(SenderTreatment.APPLY, "203.0.113.9", tested());
        assertThat(pass.tag()).hasValue("dmarc=quarantine");
        assertThat(pass.hold()).isEmpty();
        assertThat(pass.header().additions().getFirst()).isEqualTo(new Header.Field("X-Spam", "Yes"));
        assertThat(pass.header().removals()).contains(new HeaderChange.FieldRemoval("X-Spam", 0));
        assertThat(noted(pass)).contains("dmarc=fail");
    }

    @Test
    void quarantineIsAHoldWithItsReason() throws Exception {
        Ruling.Pass pass = (Ruling.Pass) new SenderCheck("mx.here.example", SenderTreatment.APPLY, Quarantine.HOLD, dns)
                .end(client("203.0.113.9"), tested());
        assertThat(pass.hold()).hasValue("fails DMARC, and tested.example asks for quarantine");
        assertThat(pass.header().additions()).extracting(Header.Field::name).containsExactly("Authentication-Results");
    }

    private CheckedMessage tested() {
        return message("eve@evil.example", octets(TEXT.replace("ann@sender.example", "ann@tested.example")));
    }

    @Test
    void aChangedBodyFails() throws Exception {
        byte[] changed = octets(new String(signed(TEXT), StandardCharsets.ISO_8859_1).replace("How", "Who"));
        assertThat(noted(ask(SenderTreatment.NOTE, "203.0.113.9", message("ann@sender.example", changed))))
                .contains("dkim=fail reason=\"the body was changed\"");
    }

    /// Trouble with DNS is no fault of the sender.
    @Test
    @Timeout(60)
    void silentServersOfDnsRefuseNobodyAndAreNotWaitedForLongerThanTheTimeOfTheMessage() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        DnsLookup silent = (_, _) -> {
            asked.incrementAndGet();
            try {
                never.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return new TextAnswer.None(false);
        };
        Ruling ruling = new SenderCheck("mx.here.example", SenderTreatment.APPLY, Quarantine.MARK, silent, 50_000_000)
                .end(client("192.0.2.7"), message("ann@sender.example", signed(TEXT)));
        assertThat(noted(ruling)).contains("spf=temperror", "dkim=temperror", "dmarc=temperror");
        assertThat(asked.get()).isLessThan(10);
        never.countDown();
    }

    @Test
    void aQueryThatFailsIsATemporaryErrorToo() throws Exception {
        DnsLookup broken = (_, _) -> {
            throw new IllegalStateException("a fault of the library");
        };
        Ruling ruling = new SenderCheck("mx.here.example", SenderTreatment.APPLY, Quarantine.MARK, broken)
                .end(client("192.0.2.7"), message("ann@sender.example", signed(TEXT)));
        assertThat(noted(ruling)).contains("spf=temperror", "dkim=temperror", "dmarc=temperror");
    }

    @Test
    void fieldsThatClaimToBeOursAreRemovedAndThoseOfOthersStay() throws Exception {
        String forged = "Authentication-Results: mx.here.example; dkim=pass header.d=bank.example\r\n"
                + "Authentication-Results: other.example; spf=pass\r\n"
                + "authentication-results: (a (b) c) MX.Here.Example 1; dmarc=pass\r\n" + TEXT;
        Ruling.Pass pass = (Ruling.Pass) ask(SenderTreatment.NOTE, "203.0.113.9",
                message("eve@evil.example", octets(forged)));
        String left = new String(pass.header().remaining(octets(forged)), StandardCharsets.ISO_8859_1);
        assertThat(left).contains("other.example").doesNotContain("bank.example", "MX.Here");
    }

    @Test
    void aContentThatCannotBeReadIsAcceptedUnjudgedAndWithoutForeignFields() throws Exception {
        byte[] octets = octets("Authentication-Results: mx.here.example; dkim=pass\r\n" + TEXT);
        Content broken = new Content() {
            @Override
            public long sizeBytes() {
                return octets.length;
            }

            @Override
            public InputStream open() throws IOException {
                throw new IOException("Input/output error");
            }
        };
        Ruling.Pass pass = (Ruling.Pass) ask(SenderTreatment.APPLY, "203.0.113.9",
                message("eve@evil.example", octets, broken));
        assertThat(pass.header().additions()).isEmpty();
        assertThat(pass.header().removals()).hasSize(1);
    }

    @Test
    @Timeout(60)
    void tenThousandSignaturesAskForFewKeys() throws Exception {
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 10_000; i++) {
            many.append("DKIM-Signature: v=1; a=rsa-sha256; d=d").append(i)
                    .append(".example; s=s; h=from; bh=AAAA; b=AAAA\r\n");
        }
        AtomicInteger asked = new AtomicInteger();
        DnsLookup counting = (name, type) -> {
            asked.incrementAndGet();
            return dns.ask(name, type);
        };
        Ruling ruling = new SenderCheck("mx.here.example", SenderTreatment.NOTE, Quarantine.MARK, counting, ENOUGH)
                .end(client("203.0.113.9"), message("eve@evil.example", octets(many + TEXT)));
        assertThat(noted(ruling)).contains("dmarc=fail");
        assertThat(asked.get()).isLessThan(40);
    }

    @Test
    @Timeout(60)
    void aMessageWithoutABodyIsJudgedAndAnEndlessHeaderIsNotCollected() throws Exception {
        assertThat(noted(ask(SenderTreatment.NOTE, "192.0.2.7",
                message("ann@sender.example", octets("From: ann@sender.example\r\n"))))).contains("dmarc=pass");
        byte[] start = octets("From: ann@sender.example\r\nX: ");
        Content endless = new Content() {
            @Override
            public long sizeBytes() {
                return Long.MAX_VALUE;
            }

            @Override
            public InputStream open() {
                return new InputStream() {
                    private int at;

                    @Override
                    public int read() {
                        return at < start.length ? start[at++] : 'x';
                    }
                };
            }
        };
        assertThat(noted(ask(SenderTreatment.NOTE, "192.0.2.7", message("ann@sender.example", start, endless))))
                .contains("dkim=none", "dmarc=pass");
    }

    /// A name of DNS is asked once for a message.
    @Test
    void aQuestionIsAskedOnce() {
        AtomicInteger asked = new AtomicInteger();
        MessageLookup lookup = new MessageLookup((name, type) -> {
            asked.incrementAndGet();
            return dns.ask(name, type);
        }, System::nanoTime, ENOUGH);
        lookup.begin("sender.example", RecordType.TXT);
        assertThat(lookup.ask("sender.example", RecordType.TXT)).isEqualTo(dns.ask("sender.example", RecordType.TXT));
        lookup.ask("sender.example", RecordType.TXT);
        assertThat(asked).hasValue(1);
    }

    private List<JudgedMessage> told(SenderTreatment treatment, String address, String policy, byte[] octets)
            throws IOException {
        List<JudgedMessage> told = new ArrayList<>();
        DnsLookup zone = ZoneText.of(ZONE.replace("v=DMARC1; p=reject", policy));
        new SenderCheck("mx.here.example", treatment, Quarantine.MARK, zone).telling(told::add).end(client(address),
                message("ann@sender.example", octets));
        return told;
    }

    @Test
    void messagesOfADomainThatWantsReportsAreTold() throws IOException {
        String policy = "v=DMARC1; p=reject; rua=mailto:a@sender.example";
        assertThat(told(SenderTreatment.APPLY, "192.0.2.7", policy, signed(TEXT))).singleElement().satisfies(each -> {
            assertThat(each.policy().domain()).isEqualTo("sender.example");
            assertThat(each.message().source()).isEqualTo("192.0.2.7");
            assertThat(each.message().disposition()).isEqualTo("pass");
            assertThat(each.message().envelope()).contains("sender.example");
            assertThat(each.message().signatures()).extracting(ReportedSignature::result).containsExactly("pass");
        });
        assertThat(told(SenderTreatment.APPLY, "203.0.113.9", policy, octets(TEXT))).singleElement()
                .extracting(each -> each.message().disposition()).isEqualTo("reject");
        assertThat(told(SenderTreatment.NOTE, "203.0.113.9", policy, octets(TEXT))).singleElement()
                .satisfies(each -> {
                    assertThat(each.message().disposition()).isEqualTo("none");
                    assertThat(each.message().override()).contains("local_policy");
                });
        assertThat(told(SenderTreatment.APPLY, "192.0.2.7", "v=DMARC1; p=reject", signed(TEXT))).isEmpty();
    }

    /// Otherwise two servers would report about their reports indefinitely.
    @Test
    void aReportOfTheDomainItselfIsNotToldAndAForgedOneIs() throws IOException {
        String policy = "v=DMARC1; p=reject; rua=mailto:a@sender.example";
        String report = TEXT.replace("Subject: hello", "Subject: Report Domain: here.example Submitter: x");
        assertThat(told(SenderTreatment.NOTE, "192.0.2.7", policy, signed(report))).isEmpty();
        assertThat(told(SenderTreatment.NOTE, "203.0.113.9", policy, octets(report))).hasSize(1);
    }
}
