package org.slipstream.guard.dkim;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.auth.dkim.DkimAlgorithm;
import org.slipstream.auth.dkim.KeyFailedException;
import org.slipstream.auth.dkim.KeyName;
import org.slipstream.auth.dkim.SigningKey;
import org.slipstream.auth.dkim.SigningKeys;
import org.slipstream.auth.dkim.StreamedMessage;
import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.guard.dkim.MailSigner.MessageForm;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.RSAPrivateCrtKeySpec;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class MailSignerTest {
    private static final String MESSAGE = "From: a@example.org\r\nSubject: x\r\n\r\nHello.\r\n";
    private static final MessageForm FORM = new MessageForm(1, new QueueId(7), "unchanged");

    private final AtomicInteger reads = new AtomicInteger();
    private final MailSigner signer = new MailSigner(InstantSource.fixed(Instant.parse("2026-11-27T03:00:00Z")));

    @BeforeEach
    void keys() {
        signer.use(keys("one"));
    }

    private static SigningKeys keys(String selector) {
        return new SigningKeys(Map.of("example.org", List.of(
                SigningKey.create(KeyName.of("example.org", selector).orElseThrow(), DkimAlgorithm.ED25519))));
    }

    private Content content(String text) {
        Content all = Content.of(text.getBytes(StandardCharsets.ISO_8859_1));
        return new Content() {
            @Override
            public long sizeBytes() {
                return all.sizeBytes();
            }

            @Override
            public InputStream open() throws IOException {
                reads.incrementAndGet();
                return all.open();
            }
        };
    }

    private String fields(MessageForm form, String text) throws IOException {
        return new String(signer.fields(form, content(text)), StandardCharsets.US_ASCII);
    }

    /// The content is read once, however many deliveries the message has and though they begin together.
    @Test
    void aFormOfAMessageIsSignedOnce() throws Exception {
        CountDownLatch together = new CountDownLatch(8);
        Callable<String> delivery = () -> {
            together.countDown();
            together.await();
            return fields(FORM, MESSAGE);
        };
        try (var deliveries = Executors.newVirtualThreadPerTaskExecutor()) {
            List<String> made = new ArrayList<>();
            for (Future<String> each : deliveries.invokeAll(List.of(delivery, delivery, delivery, delivery, delivery,
                    delivery, delivery, delivery))) {
                made.add(each.get());
            }
            assertThat(made).containsOnly(made.getFirst()).first().asString().contains("s=one;");
        }
        assertThat(reads).hasValue(1);
        fields(new MessageForm(1, FORM.id(), "7bit"), MESSAGE);
        fields(new MessageForm(2, FORM.id(), FORM.form()), MESSAGE);
        assertThat(reads).as("another form, and the same number in another shard").hasValue(3);
    }

    /// The record of the old key may be gone by the next attempt.
    @Test
    void otherKeysSignAgain() throws IOException {
        fields(FORM, MESSAGE);
        signer.use(keys("two"));
        assertThat(fields(FORM, MESSAGE)).contains("s=two;");
    }

    @Test
    void withoutKeysNothingIsRead() throws IOException {
        signer.use(new SigningKeys(Map.of()));
        assertThat(fields(FORM, MESSAGE)).isEmpty();
        assertThat(reads).hasValue(0);
    }

    @Test
    void aContentThatCannotBeReadMakesTheMessageWaitAndIsTriedAgain() throws IOException {
        Content gone = new Content() {
            @Override
            public long sizeBytes() {
                return 1;
            }

            @Override
            public InputStream open() throws IOException {
                throw new IOException("Input/output error");
            }
        };
        assertThatThrownBy(() -> signer.fields(FORM, gone)).isInstanceOf(IOException.class)
                .hasMessage("Input/output error");
        assertThat(fields(FORM, MESSAGE)).contains("s=one;");
    }

    /// Its modulus is whole, so it is read as a key. A file that lost an octet may be such.
    @Test
    void aDamagedKeyIsToldAsSuchToEachDelivery() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2_048);
        RSAPrivateCrtKey good = (RSAPrivateCrtKey) generator.generateKeyPair().getPrivate();
        byte[] damaged = KeyFactory.getInstance("RSA").generatePrivate(new RSAPrivateCrtKeySpec(good.getModulus(),
                good.getPublicExponent(), good.getPrivateExponent(), good.getPrimeP(), good.getPrimeQ(),
                good.getPrimeExponentP().subtract(BigInteger.TWO), good.getPrimeExponentQ(),
                good.getCrtCoefficient())).getEncoded();
        signer.use(new SigningKeys(Map.of("example.org", List.of(SigningKey.read(
                KeyName.of("example.org", "bad").orElseThrow(), "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder().encodeToString(damaged) + "\n-----END PRIVATE KEY-----\n")))));
        for (int delivery = 0; delivery < 2; delivery++) {
            assertThatThrownBy(() -> fields(FORM, MESSAGE)).isInstanceOf(KeyFailedException.class)
                    .hasMessageContaining("the message cannot be signed: ");
        }
        signer.use(keys("one"));
        assertThat(fields(FORM, MESSAGE)).contains("s=one;");
    }

    @Test
    void aHeaderAtTheLimitIsSignedAndALongerOneIsNot() throws IOException {
        String begin = "From: a@example.org\r\nX: ";
        String end = "\r\n\r\nHello.\r\n";
        String fits = begin + "x".repeat(StreamedMessage.MOST_HEADER - begin.length() - 4) + end;
        assertThat(fields(FORM, fits)).contains("s=one;");
        String longer = begin + "x".repeat(StreamedMessage.MOST_HEADER + (64 << 10)) + end;
        assertThat(fields(new MessageForm(1, new QueueId(8), "unchanged"), longer)).isEmpty();
    }

    @Test
    void messagesWithoutAHeaderOrWithoutABodyHaveAnEnd() throws IOException {
        int number = 100;
        for (String text : List.of("", "\r\n", "\r\nFrom: a@example.org\r\n", "From", "x\r\n\r\n")) {
            assertThat(fields(new MessageForm(1, new QueueId(number++), ""), text)).as(text).isEmpty();
        }
        assertThat(fields(FORM, "From: a@example.org\r\n")).contains("s=one;");
    }

    @Test
    void whatIsRememberedHasABoundInOctets() {
        RememberedSignatures remembered = new RememberedSignatures(10_000);
        MessageForm making = new MessageForm(1, new QueueId(1), "");
        assertThat(remembered.putIfAbsent(making, new CompletableFuture<>())).isEmpty();
        for (int i = 2; i <= 1_000; i++) {
            MessageForm form = new MessageForm(1, new QueueId(i), "");
            CompletableFuture<byte[]> made = CompletableFuture.completedFuture(new byte[700]);
            assertThat(remembered.putIfAbsent(form, made)).isEmpty();
            remembered.done(form, made);
            assertThat(remembered.size()).isLessThanOrEqualTo(11);
        }
        assertThat(remembered.putIfAbsent(making, new CompletableFuture<>())).as("one that is being made stays")
                .isPresent();
    }
}
